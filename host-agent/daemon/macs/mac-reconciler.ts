// Reconciles the slots of this host with the Macs that the control plane wants, one change per slot at a time.
import type { Clock } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import { pause } from '../../../shared/pause.js';
import type { DesiredMac } from '../../../shared/protocol/index.js';
import type { HostMac, MacDriver } from '../../driver/driver.js';
import type { DaemonLimits } from '../../limits.js';
import { coalesce } from '../../system/coalesce.js';
import { type MacAction, macActions, macActualOf } from '../reconcile-actions.js';
import { type ChangeDriver, createMacChanges } from './change.js';
import { createChangeFailures } from './change-failures.js';
import { slotFacts } from './facts.js';
import { haveOf, isSameMac } from './plan.js';
import { beginSlotChange, type SlotChange } from './slot-change.js';

export type ReconcilerDriver = ChangeDriver &
  Pick<
    MacDriver,
    'kind' | 'claimSlots' | 'discardRecord' | 'inventory' | 'workFolders' | 'removeWorkFolder' | 'freeBytes'
  >;

export type MacReconciler = ReturnType<typeof createMacReconciler>;

export interface MacReconcilerDeps {
  driver: ChangeDriver & Pick<MacDriver, 'claimSlots'>;
  /** True while a build runs in the slot; its change waits until then. */
  inUse: (slotId: string) => boolean;
  /** Called when `facts` may return something new. */
  changed: () => void;
  /** Removes the caches of all accounts but these. */
  dropCaches: (keep: ReadonlySet<number>) => Promise<void>;
  /** Maximum number of Macs on this host; null: as many as the control plane wants. */
  slots: () => number | null;
  clock: Clock;
  limits: () => DaemonLimits;
  log: Log;
}

export function createMacReconciler(deps: MacReconcilerDeps) {
  const { driver, inUse, changed, clock, limits, log } = deps;
  let wanted = new Map<string, DesiredMac>();
  let beyond: DesiredMac[] = [];
  let complete = false;
  let closed = false;
  const changing = new Map<string, SlotChange>();
  const waiting = new Set<string>();
  /** Slots reserved by `whileIdle`. */
  const reserved = new Set<string>();
  const caches = createCacheSweep(deps, () => wanted.values());
  const changes = createMacChanges(driver, caches.sweep);
  const reconcile = () => void runReconcile();
  const failures = createChangeFailures({ retry: reconcile, clock, limits, log });

  const begin = (slotId: string, action: MacAction, desired?: DesiredMac, present?: HostMac) => {
    const ended = async (error?: unknown) => {
      if (error === undefined) failures.clear(slotId);
      else {
        // A Mac that has to be repaired did not work before the change either.
        const works = desired !== undefined && !desired.repair && (await stillWorks(deps, desired));
        failures.add(slotId, { action, desired, works }, error);
        caches.sweepAgain();
      }
      changing.delete(slotId);
      changed();
      reconcile();
    };
    const slot = { slotId, action, desired, present };
    changing.set(slotId, beginSlotChange(slot, changes, log, { progress: changed, ended }));
    changed();
  };

  const reconcileOnce = async () => {
    const present = new Map((await driver.listMacs()).map((mac) => [mac.slot_id, mac]));
    await caches.sweepIfNeeded();
    waiting.clear();
    const failed = [...failures.entries()].map(([slotId]) => slotId);
    for (const slotId of new Set([...wanted.keys(), ...present.keys(), ...failed])) {
      if (closed || changing.has(slotId) || reserved.has(slotId)) continue;
      const desired = wanted.get(slotId);
      const desire = desired ? 'wanted' : complete ? 'unwanted' : 'unsaid';
      const held = present.get(slotId);
      const action = macActions[desire][macActualOf(haveOf(held), desired, held?.stopped)];
      const works = desired !== undefined && isSameMac(haveOf(held), desired) && !held?.stopped;
      const blocked = failures.blocks(slotId, desired, works);
      // As it should be although the change failed: what was missing is back, for example a disk that was away.
      if (action === 'nothing' && desire !== 'unsaid' && failures.clear(slotId)) changed();
      if (blocked || action === 'nothing') continue;
      if (inUse(slotId)) waiting.add(slotId);
      else begin(slotId, action, desired, held);
    }
  };
  const runReconcile = coalesce(async () => {
    if (closed) return;
    await reconcileOnce().catch((error: unknown) => {
      log.error({ err: error }, 'cannot list the Macs of this host');
      clock.setTimeout(reconcile, limits().retryMaxMs);
    });
  });

  return {
    /** @param complete slots that are not named should be empty */
    want(macs: readonly DesiredMac[], all: boolean) {
      claim(deps, macs);
      const most = deps.slots() ?? macs.length;
      wanted = new Map(macs.slice(0, most).map((mac) => [mac.slot_id, mac]));
      beyond = macs.slice(most);
      complete = all;
      reconcile();
    },
    /** Returns one fact per slot: the Mac in it, and the progress or failure of its change. */
    async facts() {
      const limit = deps.slots() ?? 0;
      const present = (await driver.listMacs()).sort(completeFirst);
      return slotFacts(present, { changing, failures: failures.entries(), beyond, limit });
    },
    /** True while the slot is being changed, or its change waits for a build to end. */
    busy: (slotId: string) => changing.has(slotId) || waiting.has(slotId) || reserved.has(slotId),
    /** To be called when a build has ended, which a change may be waiting for. */
    reconcile,
    /**
     * Runs `work` while neither a build nor a change begins in the slot. Returns false, without running it, when the slot
     * is in use or being changed.
     */
    async whileIdle(slotId: string, work: () => Promise<void>) {
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
    /** Starts no more changes and waits at most `closingMs` for those in progress; the next daemon continues them. */
    async close() {
      closed = true;
      failures.close();
      await runReconcile();
      const done = Promise.all([...changing.values()].map((change) => change.done));
      const waited = new AbortController();
      await Promise.race([done, pause(clock, limits().closingMs, waited.signal)]);
      waited.abort();
    },
  };
}

/** Marks the folders of the slots that the service names as this agent's. */
function claim({ driver, log }: MacReconcilerDeps, macs: readonly DesiredMac[]): void {
  try {
    driver.claimSlots(macs.map((mac) => mac.slot_id));
  } catch (error) {
    // They are marked with the next desire; until then this process remembers them.
    log.warn({ err: error }, 'cannot mark the folders of Macs');
  }
}

/** A message has room for 1,000: folders that builds made must not displace Macs. */
const completeFirst = (a: HostMac, b: HostMac) => Number(a.record === null) - Number(b.record === null);

/** Returns whether the slot holds the Mac as it was before the change; false when the driver cannot tell. */
async function stillWorks({ driver, log }: MacReconcilerDeps, desired: DesiredMac): Promise<boolean> {
  try {
    const present = (await driver.listMacs()).find((mac) => mac.slot_id === desired.slot_id);
    return isSameMac(haveOf(present), desired) && !present?.stopped;
  } catch (error) {
    log.error({ err: error, slot_id: desired.slot_id }, 'cannot list the Macs of this host');
    return false;
  }
}

/** Removes the caches of accounts without a Mac. A cache that was dropped without need is only filled again. */
function createCacheSweep(deps: MacReconcilerDeps, wanted: () => Iterable<DesiredMac>) {
  let done = false;
  const sweep = async () => {
    const present = (await deps.driver.listMacs()).flatMap(({ record }) => record?.account_id ?? []);
    await deps.dropCaches(new Set([...present, ...[...wanted()].map((mac) => mac.account_id)]));
  };
  return {
    sweep,
    /** Completes what an earlier daemon or a failed change left. An error does not block other changes. */
    async sweepIfNeeded() {
      if (done) return;
      try {
        await sweep();
        done = true;
      } catch (error) {
        deps.log.error({ err: error }, 'cannot remove the caches of accounts without a Mac');
      }
    },
    sweepAgain() {
      done = false;
    },
  };
}
