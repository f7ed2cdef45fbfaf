// Changes of a rented Mac: which are allowed and when, and how a host's report affects their jobs
// (docs/adr/0015-changes-of-a-mac.md). All decisions are made from the database's state.

import type { MacFact } from '../../../shared/protocol/index.js';
import { DAY_MS } from '../../platform/domain/durations.js';
import { type ErrorCode, errorCatalog } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import { failedWord, type JobError, type JobKind, type JobProgress, type JobTarget, type When } from './job.js';
import { isActive, type Mac, type MacState } from './mac.js';
import { xcodeMessage } from './xcode-message.js';

export type ChangeKind = Exclude<JobKind, 'provision'>;

/** A requested change. */
export interface Change {
  readonly kind: ChangeKind;
  readonly target: JobTarget;
  /** What to do with a build that runs on the Mac; null: not specified. */
  readonly when: When | null;
}

export type ChangeRefusal = Extract<
  ErrorCode,
  'rental_not_active' | 'invalid_setup' | 'xcode_not_available' | 'job_in_progress' | 'reset_limit' | 'rental_busy'
>;

export type ChangeDecision =
  /** start: at once, the Mac is idle. Otherwise the job is queued; cancel: and the running build is stopped. */
  | { readonly result: 'accepted'; readonly start: boolean; readonly cancel: boolean }
  | { readonly result: 'unchanged' }
  | {
      readonly result: 'rejected';
      readonly reason: ChangeRefusal;
      readonly message: string;
      /** Spread into the error, and `detail` of the result when several Macs are changed. */
      readonly detail: Readonly<Record<string, unknown>>;
      readonly retryAfterS: number | null;
    };

/** Returns whether a change recreates the Mac, which counts toward the limits of new VMs. */
export function makesNewMac({ kind, target }: Pick<Change, 'kind' | 'target'>): boolean {
  return kind !== 'xcode' && !target.keepCache;
}

/**
 * Decides whether a Mac may be changed now. Checks in this order, so that the first problem to solve is reported: the
 * rental is active, the values can be selected, no other job is open, something changes, the limits of new VMs, no
 * build is running.
 *
 * @param mac null if its rental has ended
 * @param newMacs when the new VMs of the last day were accepted, ms, in any order
 */
export function decideChange(
  mac: Mac | null,
  change: Change,
  newMacs: readonly number[],
  now: number,
  limits: Pick<Limits, 'reset_every_ms' | 'resets_per_day'>,
): ChangeDecision {
  if (mac === null || !isActive(mac)) return rejected('rental_not_active');
  const unselectable = change.kind === 'reset' ? null : selectable(mac, change);
  if (unselectable) return unselectable;
  if (mac.openJob) return rejected('job_in_progress', { job_id: mac.openJob.jobId });
  if (change.kind !== 'reset' && !changesSetup(mac, change.target)) {
    return change.kind === 'xcode' ? { result: 'unchanged' } : nothingChanges(mac, change.target);
  }
  const waitMs = makesNewMac(change) ? newMacWait(newMacs, now, limits) : 0;
  if (waitMs > 0) return rejected('reset_limit', {}, { retryAfterS: Math.ceil(waitMs / 1000) });
  if (mac.state === 'building' && change.when === null) return rejected('rental_busy');
  const cancel = mac.state === 'building' && change.when === 'now';
  return { result: 'accepted', start: mac.state === 'ready', cancel };
}

/** Returns how long until a Mac may be recreated again, ms; 0: now. Both windows are sliding. */
export function newMacWait(
  newMacs: readonly number[],
  now: number,
  limits: Pick<Limits, 'reset_every_ms' | 'resets_per_day'>,
): number {
  const newestFirst = [...newMacs].sort((a, b) => b - a);
  const until = (at: number | undefined, windowMs: number) => (at === undefined ? 0 : at + windowMs - now);
  return Math.max(
    0,
    until(newestFirst[0], limits.reset_every_ms),
    until(newestFirst[limits.resets_per_day - 1], DAY_MS),
  );
}

/** How often a Mac may still be recreated. */
export interface NewMacQuota {
  /** In the 24 hours until now. */
  readonly left: number;
  /** When the next time is allowed, ms; null: now. */
  readonly nextAt: number | null;
}

export function newMacQuota(
  newMacs: readonly number[],
  now: number,
  limits: Pick<Limits, 'reset_every_ms' | 'resets_per_day'>,
): NewMacQuota {
  const today = newMacs.filter((at) => at > now - DAY_MS).length;
  const waitMs = newMacWait(newMacs, now, limits);
  return { left: Math.max(0, limits.resets_per_day - today), nextAt: waitMs > 0 ? now + waitMs : null };
}

/** The longest window of the limits of new VMs, ms. */
export const newMacWindowMs = (limits: Pick<Limits, 'reset_every_ms'>) => Math.max(DAY_MS, limits.reset_every_ms);

function selectable(mac: Mac, { kind, target }: Change): ChangeDecision | null {
  if (target.xcode !== undefined && !mac.xcodeVersions.includes(target.xcode)) {
    const options = mac.xcodeVersions;
    const message = xcodeMessage(target.xcode, options, 'on this Mac');
    return kind === 'xcode'
      ? rejected('xcode_not_available', { options }, { message })
      : rejected('invalid_setup', { field: 'xcode', options }, { message });
  }
  for (const field of ['runtimes', 'tools'] as const) {
    const options = field === 'runtimes' ? mac.tierRuntimes : mac.tierTools;
    const unknown = target[field]?.find((name) => !options.includes(name));
    if (unknown === undefined) continue;
    const message = `${unknown} is not among the ${field} of the tier ${mac.tier}.`;
    return rejected('invalid_setup', { field, options }, { message });
  }
  return null;
}

function changesSetup(mac: Mac, target: JobTarget): boolean {
  const differs = (asked: readonly string[] | undefined, has: readonly string[]) =>
    asked !== undefined && (asked.length !== has.length || asked.some((name) => !has.includes(name)));
  return (
    (target.xcode !== undefined && target.xcode !== mac.xcode) ||
    differs(target.runtimes, mac.runtimes) ||
    differs(target.tools, mac.tools)
  );
}

function nothingChanges(mac: Mac, target: JobTarget): ChangeDecision {
  const choices = { xcode: mac.xcodeVersions, runtimes: mac.tierRuntimes, tools: mac.tierTools };
  const fields = ['xcode', 'runtimes', 'tools'] as const;
  const field = fields.find((name) => target[name] !== undefined);
  if (field === undefined) {
    const message = 'Nothing to change: send name, xcode, runtimes or tools.';
    return rejected('invalid_setup', { field: null, options: ['name', ...fields] }, { message });
  }
  const message = 'Nothing to change: the Mac has this setup already.';
  return rejected('invalid_setup', { field, options: choices[field] }, { message });
}

function rejected(
  reason: ChangeRefusal,
  detail: Readonly<Record<string, unknown>> = {},
  more: { message?: string; retryAfterS?: number } = {},
): ChangeDecision {
  const { message = errorCatalog[reason].message, retryAfterS = errorCatalog[reason].retryAfterS } = more;
  return { result: 'rejected', reason, message, detail, retryAfterS };
}

/** The state of a Mac while the job runs. */
export const eventOfStart = (kind: ChangeKind) => (kind === 'reset' ? 'reset' : 'update');

/** The effect of a host's report about a Mac. */
export type MacFactDecision =
  | { readonly does: 'nothing' }
  | { readonly does: 'progress'; readonly progress: JobProgress }
  /** Created or recreated. */
  | { readonly does: 'prepared' }
  | { readonly does: 'job_done' }
  /** mac: its next state; anew: it does not work as before and is recreated. */
  | {
      readonly does: 'job_failed';
      readonly error: JobError;
      readonly message: string;
      readonly mac: 'ready' | 'anew';
    }
  | { readonly does: 'lost' }
  /** The host cannot create it. */
  | { readonly does: 'not_made' };

type SeenMac = Pick<Mac, 'generation' | 'revision' | 'xcode' | 'openJob' | 'prepareFailed' | 'repairAt'> & {
  readonly state: MacState;
};

/**
 * Decides the effect of a fact on a Mac. A fact of another generation concerns a replaced Mac, or one that does not
 * exist yet, and is ignored.
 */
export function decideMacFact(mac: SeenMac, fact: MacFact): MacFactDecision {
  if (fact.generation !== mac.generation) return { does: 'nothing' };
  switch (mac.state) {
    case 'preparing':
      if (fact.state === 'ready' && fact.revision === mac.revision) {
        // Until its repair begins, the host reports the Mac as it was.
        return mac.repairAt === null ? { does: 'prepared' } : { does: 'nothing' };
      }
      // Its host was disconnected while it carried out a change.
      if (isChanging(mac) && fact.refused?.revision === mac.revision) return changing(mac, fact);
      if (fact.state === 'failed') return { does: mac.prepareFailed ? 'nothing' : 'not_made' };
      return progressOf(mac, fact);
    case 'ready':
      return { does: fact.state === 'ready' ? 'nothing' : 'lost' };
    case 'building':
      // A host that rechecks its Macs may report them as preparing while builds continue in them.
      return { does: fact.state === 'failed' ? 'lost' : 'nothing' };
    case 'resetting':
    case 'updating':
      return changing(mac, fact);
    case 'reserved':
    case 'ended':
      return { does: 'nothing' };
  }
}

const isChanging = ({ openJob }: SeenMac) => openJob?.status === 'running' && openJob.kind !== 'provision';

function changing(mac: SeenMac, fact: MacFact): MacFactDecision {
  if (fact.state === 'ready' && fact.revision === mac.revision) return { does: 'job_done' };
  const job = mac.openJob;
  if (job && fact.refused?.revision === mac.revision) {
    // Null: whatever the image has selected.
    const works = fact.state === 'ready' && (mac.xcode === null || fact.xcode === mac.xcode);
    const { code, message } = fact.refused;
    const error = job.kind === 'xcode' && code === 'not_installed' ? 'xcode_not_available' : failedWord(job.kind);
    return { does: 'job_failed', error, message, mac: works ? 'ready' : 'anew' };
  }
  return progressOf(mac, fact);
}

function progressOf(mac: SeenMac, fact: MacFact): MacFactDecision {
  const running = mac.openJob?.status === 'running';
  return running && fact.progress ? { does: 'progress', progress: fact.progress } : { does: 'nothing' };
}
