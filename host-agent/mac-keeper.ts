// Brings the slots of this host to what they should hold, one change of a slot at a time.
import { backoffMs } from '../shared/backoff.js';
import type { Clock, Timer } from '../shared/clock.js';
import type { Log } from '../shared/log.js';
import { pause } from '../shared/pause.js';
import type { DesiredMac, MacFact } from '../shared/protocol/index.js';
import type { MacDriver } from './driver/driver.js';
import type { DaemonLimits } from './limits.js';
import { type MacAction, macActions, macActualOf } from './reconcile.js';

export interface MacKeeper {
  /** @param complete slots that are not named should be empty */
  want(macs: readonly DesiredMac[], complete: boolean): void;
  /** What is in the slots, with what is being done about it. */
  facts(): Promise<MacFact[]>;
  /** The slot is being changed, or is about to be. */
  busy(slotId: string): boolean;
  /** Something has changed that changes were waiting for. */
  look(): void;
  /** Begins no more changes, and waits a little for those under way; the next daemon finds what is left undone. */
  close(): Promise<void>;
}

interface Failure {
  desired: DesiredMac | undefined;
  error: string;
  attempt: number;
  retry: Timer | null;
}

export function createMacKeeper(deps: {
  driver: Pick<MacDriver, 'facts' | 'ensure' | 'remove'>;
  /** A build in the slot must end before the slot may change. */
  inUse: (slotId: string) => boolean;
  changed: () => void;
  /** Most Macs that this host makes; null: as many as the control plane says. */
  slots: () => number | null;
  clock: Clock;
  limits: () => DaemonLimits;
  log: Log;
}): MacKeeper {
  const { driver, inUse, changed, slots, clock, limits, log } = deps;
  let wanted = new Map<string, DesiredMac>();
  let beyond: DesiredMac[] = [];
  let complete = false;
  const changes = new Map<string, { action: MacAction; done: Promise<void> }>();
  const waiting = new Set<string>();
  const failures = new Map<string, Failure>();
  let looking: Promise<void> | null = null;
  let again = false;
  let closed = false;

  const run = (slotId: string, action: MacAction, desired: DesiredMac | undefined) => {
    log.info({ slot_id: slotId, action, rental_id: desired?.rental_id }, 'changing a Mac');
    const work = action === 'ensure' && desired ? driver.ensure(desired) : driver.remove(slotId);
    const done = work
      .then(
        () => void failures.delete(slotId),
        (error: unknown) => failed(slotId, action, desired, error),
      )
      .then(() => {
        changes.delete(slotId);
        changed();
        look();
      });
    changes.set(slotId, { action, done });
    changed();
  };

  const failed = (slotId: string, action: MacAction, desired: DesiredMac | undefined, error: unknown) => {
    const attempt = (failures.get(slotId)?.attempt ?? 0) + 1;
    const { retryBaseMs: baseMs, retryMaxMs: maxMs } = limits();
    const wait = baseMs + backoffMs(attempt, { baseMs, maxMs });
    log.error({ err: error, slot_id: slotId, action, attempt, wait_ms: wait }, 'cannot change a Mac');
    const retry = clock.setTimeout(() => {
      const failure = failures.get(slotId);
      if (failure) failure.retry = null;
      look();
    }, wait);
    const message = error instanceof Error ? error.message : String(error);
    failures.set(slotId, { desired, error: message.slice(0, 500), attempt, retry });
  };

  const lookOnce = async () => {
    const actual = new Map((await driver.facts()).map((fact) => [fact.slot_id, fact]));
    waiting.clear();
    for (const slotId of new Set([...wanted.keys(), ...actual.keys()])) {
      if (closed || changes.has(slotId)) continue;
      const desired = wanted.get(slotId);
      const desire = desired ? 'wanted' : complete ? 'unwanted' : 'unsaid';
      const action = macActions[desire][macActualOf(actual.get(slotId), desired)];
      const failure = failures.get(slotId);
      if (failure && !sameMac(failure.desired, desired)) {
        failure.retry?.cancel();
        failures.delete(slotId);
      } else if (failure?.retry) continue;
      if (action === 'nothing') continue;
      if (inUse(slotId)) waiting.add(slotId);
      else run(slotId, action, desired);
    }
  };

  const look = () => {
    again = true;
    looking ??= (async () => {
      while (again && !closed) {
        again = false;
        await lookOnce();
      }
    })()
      .catch((error: unknown) => {
        log.error({ err: error }, 'cannot see what Macs this host has');
        clock.setTimeout(look, limits().retryMaxMs);
      })
      .finally(() => {
        looking = null;
        if (again && !closed) look();
      });
  };

  return {
    want(macs, all) {
      const most = slots() ?? macs.length;
      wanted = new Map(macs.slice(0, most).map((mac) => [mac.slot_id, mac]));
      beyond = macs.slice(most);
      complete = all;
      look();
    },
    async facts() {
      const facts = new Map((await driver.facts()).map((fact) => [fact.slot_id, fact]));
      for (const [slotId, { action }] of changes) {
        const desired = wanted.get(slotId);
        if (action === 'ensure' && desired) facts.set(slotId, factOf(desired, 'preparing', null));
      }
      for (const [slotId, { desired, error }] of failures) {
        if (desired && !changes.has(slotId)) facts.set(slotId, factOf(desired, 'failed', error));
      }
      for (const mac of beyond) {
        facts.set(mac.slot_id, factOf(mac, 'failed', `this host is configured for ${slots()} Macs`));
      }
      return [...facts.values()];
    },
    busy: (slotId) => changes.has(slotId) || waiting.has(slotId),
    look,
    async close() {
      closed = true;
      for (const failure of failures.values()) failure.retry?.cancel();
      await looking;
      const done = Promise.all([...changes.values()].map((change) => change.done));
      const waited = new AbortController();
      await Promise.race([done, pause(clock, limits().closingMs, waited.signal)]);
      waited.abort();
    },
  };
}

function factOf(mac: DesiredMac, state: MacFact['state'], error: string | null): MacFact {
  const { slot_id, rental_id, generation, xcode } = mac;
  return { slot_id, rental_id, generation, xcode, state, error };
}

function sameMac(a: DesiredMac | undefined, b: DesiredMac | undefined): boolean {
  return a?.rental_id === b?.rental_id && a?.generation === b?.generation && a?.xcode === b?.xcode;
}
