// Brings the slots of this host to what they should hold, one change of a slot at a time.
import { backoffMs } from '../../../shared/backoff.js';
import type { Clock, Timer } from '../../../shared/clock.js';
import { countOf } from '../../../shared/count.js';
import type { Log } from '../../../shared/log.js';
import { pause } from '../../../shared/pause.js';
import type { DesiredMac, MacFact, MacProgress, MacRefusal } from '../../../shared/protocol/index.js';
import { type HostMac, type MacDriver, NotInstalledError } from '../../driver/driver.js';
import type { DaemonLimits } from '../../limits.js';
import { type MacAction, macActions, macActualOf } from '../reconcile-actions.js';
import { type ChangeDriver, createMacChanges } from './change.js';
import { desiredFact, presentFact } from './facts.js';
import { haveOf, isSameMac, planOf } from './plan.js';

export type ReconcilerDriver = ChangeDriver &
  Pick<MacDriver, 'inventory' | 'workFolders' | 'removeWorkFolder' | 'freeBytes'>;

export interface MacReconciler {
  /** @param complete slots that are not named should be empty */
  want(macs: readonly DesiredMac[], complete: boolean): void;
  /** What is in the slots, with what is being done about it. */
  facts(): Promise<MacFact[]>;
  /** The slot is being changed, or is about to be. */
  busy(slotId: string): boolean;
  /** Something has changed that changes were waiting for. */
  reconcile(): void;
  /**
   * Runs `work` while neither a build nor a change begins in the slot. False, without having run it, when the slot is
   * in use or being changed.
   */
  whileIdle(slotId: string, work: () => Promise<void>): Promise<boolean>;
  /** Begins no more changes, and waits a little for those under way; the next daemon finds what is left undone. */
  close(): Promise<void>;
}

interface Failure {
  desired: DesiredMac | undefined;
  /** The Mac that was to be changed still works. */
  works: boolean;
  error: string;
  refused: MacRefusal | null;
  attempt: number;
  retry: Timer | null;
}

interface Change {
  desired: DesiredMac | undefined;
  /** Builds cannot run meanwhile. */
  disturbs: boolean;
  progress: MacProgress | null;
  done: Promise<void>;
}

export function createMacReconciler(deps: {
  driver: ChangeDriver;
  /** A build in the slot must end before the slot may change. */
  inUse: (slotId: string) => boolean;
  changed: () => void;
  /** Removes what this host keeps, beside its Macs, of all accounts but these. */
  dropCaches: (stillHere: ReadonlySet<number>) => Promise<void>;
  /** Most Macs that this host makes; null: as many as the control plane says. */
  slots: () => number | null;
  clock: Clock;
  limits: () => DaemonLimits;
  log: Log;
}): MacReconciler {
  const { driver, inUse, changed, slots, clock, limits, log } = deps;
  let wanted = new Map<string, DesiredMac>();
  let beyond: DesiredMac[] = [];
  let complete = false;
  let swept = false;
  const changing = new Map<string, Change>();
  const waiting = new Set<string>();
  /** Slots in which other work is being done while they are idle. */
  const reserved = new Set<string>();
  const failures = new Map<string, Failure>();
  let looking: Promise<void> | null = null;
  let again = false;
  let closed = false;

  /** A cache that is dropped without need is only filled again. */
  const dropCaches = async () => {
    const held = (await driver.listMacs()).flatMap(({ record }) => record?.account_id ?? []);
    await deps.dropCaches(new Set([...held, ...[...wanted.values()].map((mac) => mac.account_id)]));
  };
  /** What a daemon that died left undone. It keeps nobody from a Mac of their own, so it only is tried again. */
  const sweep = async () => {
    try {
      await dropCaches();
      swept = true;
    } catch (error) {
      log.error({ err: error }, 'cannot remove what is left of accounts that are gone');
    }
  };
  const changes = createMacChanges(driver, dropCaches);

  const run = (slotId: string, action: MacAction, desired: DesiredMac | undefined, held?: HostMac) => {
    const steps = desired ? planOf(haveOf(held), desired) : [];
    const bringing = action === 'ensure' && desired ? desired : undefined;
    log.info(
      { slot_id: slotId, action, rental_id: desired?.rental_id, steps: steps.map((step) => step.do) },
      'changing a Mac',
    );
    const change: Change = {
      desired: bringing,
      disturbs: steps.length > 0,
      progress: null,
      done: Promise.resolve(),
    };
    const report = (progress: MacProgress) => {
      const before = change.progress;
      change.progress = progress;
      if (before?.step !== progress.step || progress.percent - before.percent >= 5) changed();
    };
    const work = bringing ? changes.bring(bringing, report) : changes.remove(slotId);
    change.done = work
      .then(
        () => void failures.delete(slotId),
        (error: unknown) => failed(slotId, action, desired, error),
      )
      .then(() => {
        changing.delete(slotId);
        changed();
        reconcile();
      });
    changing.set(slotId, change);
    changed();
  };

  const failed = async (
    slotId: string,
    action: MacAction,
    desired: DesiredMac | undefined,
    error: unknown,
  ) => {
    const attempt = (failures.get(slotId)?.attempt ?? 0) + 1;
    const { retryBaseMs: baseMs, retryMaxMs: maxMs, changeAttempts } = limits();
    const message = (error instanceof Error ? error.message : String(error)).slice(0, 500);
    const forGood = error instanceof NotInstalledError;
    const refused: MacRefusal | null =
      desired && (forGood || attempt >= changeAttempts)
        ? { revision: desired.revision, code: forGood ? 'not_installed' : 'failed', message }
        : null;
    // A Mac that is to be repaired is one that did not work.
    const works = desired !== undefined && !desired.repair && (await stillWorks(desired));
    const wait = baseMs + backoffMs(attempt, { baseMs, maxMs });
    log.error({ err: error, slot_id: slotId, action, attempt, wait_ms: wait }, 'cannot change a Mac');
    // A Mac that works stays as it is until something else is wanted; one that is not there is tried on and on.
    const retry =
      closed || (refused && works)
        ? null
        : clock.setTimeout(() => {
            const failure = failures.get(slotId);
            if (failure) failure.retry = null;
            reconcile();
          }, wait);
    failures.set(slotId, { desired, works, error: message, refused, attempt, retry });
    swept = false;
  };

  const stillWorks = async (desired: DesiredMac) => {
    const held = (await driver.listMacs()).find((mac) => mac.slot_id === desired.slot_id);
    return isSameMac(haveOf(held), desired);
  };

  /** Whether a failed change is left alone now. */
  const givenUp = (slotId: string, desired: DesiredMac | undefined): boolean => {
    const failure = failures.get(slotId);
    if (!failure) return false;
    if (JSON.stringify(failure.desired) === JSON.stringify(desired)) {
      return failure.retry !== null || (failure.refused !== null && failure.works);
    }
    failure.retry?.cancel();
    failures.delete(slotId);
    return false;
  };

  const reconcileOnce = async () => {
    const actual = new Map((await driver.listMacs()).map((mac) => [mac.slot_id, mac]));
    if (!swept) await sweep();
    waiting.clear();
    for (const slotId of new Set([...wanted.keys(), ...actual.keys()])) {
      if (closed || changing.has(slotId) || reserved.has(slotId)) continue;
      const desired = wanted.get(slotId);
      const desire = desired ? 'wanted' : complete ? 'unwanted' : 'unsaid';
      const action = macActions[desire][macActualOf(haveOf(actual.get(slotId)), desired)];
      if (givenUp(slotId, desired) || action === 'nothing') continue;
      if (inUse(slotId)) waiting.add(slotId);
      else run(slotId, action, desired, actual.get(slotId));
    }
  };

  const reconcile = () => {
    again = true;
    looking ??= (async () => {
      while (again && !closed) {
        again = false;
        await reconcileOnce();
      }
    })()
      .catch((error: unknown) => {
        log.error({ err: error }, 'cannot see what Macs this host has');
        clock.setTimeout(reconcile, limits().retryMaxMs);
      })
      .finally(() => {
        looking = null;
        if (again && !closed) reconcile();
      });
  };

  return {
    want(macs, all) {
      const most = slots() ?? macs.length;
      wanted = new Map(macs.slice(0, most).map((mac) => [mac.slot_id, mac]));
      beyond = macs.slice(most);
      complete = all;
      reconcile();
    },
    async facts() {
      const facts = new Map((await driver.listMacs()).map((mac) => [mac.slot_id, presentFact(mac)]));
      for (const [slotId, { desired, disturbs, progress }] of changing) {
        if (desired && disturbs) facts.set(slotId, { ...desiredFact(desired, 'preparing'), progress });
      }
      for (const [slotId, { desired, works, error, refused }] of failures) {
        const fact = facts.get(slotId);
        if (!desired || changing.has(slotId)) continue;
        if (works && fact) facts.set(slotId, { ...fact, error, refused });
        // Before it is refused it is only late.
        else facts.set(slotId, { ...desiredFact(desired, refused ? 'failed' : 'preparing'), error, refused });
      }
      for (const mac of beyond) {
        const error = `this host is configured for ${countOf(slots() ?? 0, 'Mac')}`;
        facts.set(mac.slot_id, { ...desiredFact(mac, 'failed'), error });
      }
      return [...facts.values()];
    },
    busy: (slotId) => changing.has(slotId) || waiting.has(slotId) || reserved.has(slotId),
    reconcile,
    async whileIdle(slotId, work) {
      if (closed || reserved.has(slotId) || changing.has(slotId) || inUse(slotId)) return false;
      reserved.add(slotId);
      try {
        await work();
      } finally {
        reserved.delete(slotId);
        changed();
        reconcile();
      }
      return true;
    },
    async close() {
      closed = true;
      for (const failure of failures.values()) failure.retry?.cancel();
      await looking;
      const done = Promise.all([...changing.values()].map((change) => change.done));
      const waited = new AbortController();
      await Promise.race([done, pause(clock, limits().closingMs, waited.signal)]);
      waited.abort();
    },
  };
}
