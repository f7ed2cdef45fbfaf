// A rollout: an operator's request that hosts run another version of the agent. A few hosts go first (canaries); the others
// follow when those have worked for a while, a few at a time. The first failure stops it.
import { type Message, uncoded } from '../../../shared/messages/message.js';
import { upgradeError } from '../../../shared/messages/upgrade-errors.js';
import type { HostUpgrade } from '../../../shared/protocol/index.js';
import { bool, int, type RecordOf, text } from '../../platform/domain/fields.js';
import type { Limits } from '../../platform/domain/limits.js';
import { storedMessage } from '../../platform/domain/stored-message.js';
import type { Host } from './host.js';

export type RolloutStatus = 'running' | 'done' | 'failed' | 'cancelled';

export const rolloutFields = {
  rolloutId: text(),
  version: text(),
  status: text<RolloutStatus>(),
  /** How many hosts go first; 0: no canaries. */
  canaries: int(),
  /** Why it failed: the host's error. */
  errorMessage: storedMessage().orNull.initially(null),
  errorHost: text().orNull.initially(null),
  /** Both as text. */
  error: text().orNull,
  /** The other hosts follow at this time; null until all canaries run the version. */
  soakUntil: int().orNull,
  createdAt: int(),
  endedAt: int().orNull,
};
export type Rollout = RecordOf<typeof rolloutFields>;

/** left_out: the host was not changed; `error` says why. */
export type RolloutHostState = 'waiting' | 'upgrading' | 'done' | 'failed' | 'left_out';

export const rolloutHostFields = {
  rolloutId: text(),
  hostId: text(),
  /** Hosts are upgraded in this order. */
  position: int(),
  canary: bool(),
  state: text<RolloutHostState>(),
  errorMessage: storedMessage().orNull.initially(null),
  /** The same as text. */
  error: text().orNull,
  startedAt: int().orNull,
  endedAt: int().orNull,
};
export type RolloutHost = RecordOf<typeof rolloutHostFields>;

export type RolloutLimits = Pick<
  Limits,
  'upgrades_at_once' | 'upgrade_soak_ms' | 'upgrade_host_ms' | 'upgrade_away_ms'
>;

type Failure = Pick<RolloutHost, 'error' | 'errorMessage'>;
export type HostOutcome = Pick<RolloutHost, 'state'> & Failure;

/** @param error null: it did not fail */
export const outcome = (state: RolloutHostState, error: Message | null): HostOutcome => ({
  state,
  error: error?.text ?? null,
  errorMessage: error,
});

/** Why the host says that it failed, or is not able; hosts of older versions say it as text only. */
export const saidByHost = ({ error, error_message }: HostUpgrade): Message | null =>
  error_message ?? (error === null ? null : uncoded(error));

export interface RolloutStep {
  readonly hosts: readonly (Pick<RolloutHost, 'hostId' | 'canary' | 'state'> & Failure)[];
  readonly soakUntil: number | null;
  readonly end: (Pick<Rollout, 'error' | 'errorMessage' | 'errorHost'> & { readonly status: 'done' | 'failed' }) | null;
  /** When the next decision is due if nothing is reported before. */
  readonly nextAt: number | null;
}

/** Returns what is to be changed now; `hosts` has each host of `rows`. */
export function decideRollout(
  rollout: Rollout,
  rows: readonly RolloutHost[],
  hosts: ReadonlyMap<string, Host>,
  now: number,
  limits: RolloutLimits,
): RolloutStep {
  const list: Draft[] = rows.map((row) => ({ ...row }));
  const times: number[] = [];
  for (const row of list) {
    if (row.state !== 'upgrading' && !(row.state === 'done' && row.canary)) continue;
    const seen = progressOf(rollout, row, hosts.get(row.hostId), now, limits);
    if ('until' in seen) times.push(seen.until);
    else Object.assign(row, seen);
  }
  let soakUntil = rollout.soakUntil;
  const failed = list.find(({ state }) => state === 'failed');
  if (failed === undefined) {
    const isOpen = ({ state }: RolloutHost) => state === 'waiting' || state === 'upgrading';
    for (;;) {
      chooseCanaries(rollout, list, hosts);
      const canaryOpen = list.some((row) => row.canary && isOpen(row));
      // Another canary has taken the place of one that was removed.
      if (canaryOpen) soakUntil = null;
      if (soakUntil === null && !canaryOpen && rollout.canaries > 0) soakUntil = now + limits.upgrade_soak_ms;
      const everybody = rollout.canaries === 0 || (soakUntil !== null && now >= soakUntil);
      const next = list.find((row) => row.state === 'waiting' && (row.canary || everybody));
      const running = list.filter(({ state }) => state === 'upgrading').length;
      if (next === undefined || running >= limits.upgrades_at_once) break;
      const why = whyLeftOut(hosts.get(next.hostId));
      Object.assign(next, why === null ? { state: 'upgrading' } : outcome('left_out', why));
      if (why === null) times.push(now + limits.upgrade_host_ms);
    }
    if (soakUntil !== null && soakUntil > now) times.push(soakUntil);
    if (list.some(isOpen)) {
      return { hosts: changesOf(rows, list), soakUntil, end: null, nextAt: Math.min(...times) };
    }
  }
  const name = hosts.get(failed?.hostId ?? '')?.name ?? failed?.hostId;
  const end = failed
    ? {
        status: 'failed' as const,
        error: `${name}: ${failed.error}`,
        errorMessage: failed.errorMessage,
        errorHost: name ?? null,
      }
    : { status: 'done' as const, error: null, errorMessage: null, errorHost: null };
  for (const row of list) {
    if (row.state === 'waiting') Object.assign(row, outcome('left_out', upgradeError('stopped_before')));
    if (row.state === 'upgrading') {
      Object.assign(row, outcome('left_out', upgradeError('stopped_while_upgrading')));
    }
  }
  return { hosts: changesOf(rows, list), soakUntil, end, nextAt: null };
}

type Draft = { -readonly [K in keyof RolloutHost]: RolloutHost[K] };

/** If none of the canaries could be upgraded, others take their place. */
function chooseCanaries(rollout: Rollout, list: Draft[], hosts: ReadonlyMap<string, Host>): void {
  const tried = list.filter(({ canary, state }) => canary && state !== 'left_out').length;
  const waiting = list.filter((row) => row.state === 'waiting' && !row.canary);
  const able = waiting.filter(({ hostId }) => whyLeftOut(hosts.get(hostId)) === null);
  if (tried === 0) for (const row of able.slice(0, rollout.canaries)) row.canary = true;
}

/** Returns why the host cannot be upgraded now; null if it can. */
export function whyLeftOut(host: Host | undefined): Message | null {
  if (!host || host.status === 'removed') return upgradeError('removed');
  if (!host.connected) return upgradeError('not_connected');
  if (host.upgrade === null) return upgradeError('agent_too_old');
  if (!host.upgrade.able) return saidByHost(host.upgrade) ?? upgradeError('not_upgradable');
  return null;
}

/** Of a host that is upgrading, or of a canary that runs the version while the others wait. */
function progressOf(
  { rolloutId, version, soakUntil }: Rollout,
  row: RolloutHost,
  host: Host | undefined,
  now: number,
  limits: RolloutLimits,
): { until: number } | HostOutcome {
  if (!host || host.status === 'removed') return outcome('left_out', upgradeError('removed'));
  const { upgrade, connected, lastSeenAt } = host;
  if (upgrade?.attempt === rolloutId && (upgrade.state === 'failed' || upgrade.state === 'rolled_back')) {
    return outcome('failed', saidByHost(upgrade) ?? upgradeError(upgrade.state));
  }
  const isSoaking = row.state === 'done';
  const awayAt = (lastSeenAt ?? now) + limits.upgrade_away_ms;
  if (!connected && now >= awayAt) {
    const minutes = Math.round(limits.upgrade_away_ms / 60_000);
    return outcome('failed', upgradeError('away', { minutes }));
  }
  if (connected && runs(host, version)) {
    if (!isSoaking) return outcome('done', null);
    return { until: Math.max(soakUntil ?? 0, now + limits.upgrade_away_ms) };
  }
  if (connected && isSoaking) {
    return outcome('failed', upgradeError('runs_again', { version: host.agentVersion ?? '?' }));
  }
  if (isSoaking) return { until: awayAt };
  const late = (row.startedAt ?? now) + limits.upgrade_host_ms;
  if (now >= late) {
    const minutes = Math.round(limits.upgrade_host_ms / 60_000);
    return outcome('failed', upgradeError('too_late', { minutes }));
  }
  return { until: connected ? late : Math.min(late, awayAt) };
}

const UNDER_WAY: readonly HostUpgrade['state'][] = ['downloading', 'installing', 'restarting', 'trying'];

/** Whether the host runs the version, and no other is being tried or installed. */
export function runs(host: Pick<Host, 'agentVersion' | 'upgrade'>, version: string): boolean {
  return host.agentVersion === version && !UNDER_WAY.includes(host.upgrade?.state ?? 'idle');
}

function changesOf(before: readonly RolloutHost[], after: readonly RolloutHost[]): RolloutStep['hosts'] {
  return after
    .filter((row, at) => row.state !== before[at]?.state || row.canary !== before[at]?.canary)
    .map(({ hostId, canary, state, error, errorMessage }) => ({
      hostId,
      canary,
      state,
      error,
      errorMessage,
    }));
}
