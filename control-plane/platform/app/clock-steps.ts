// What happens when the clock of the service's machine is corrected by a step, for example by NTP after a start without a
// network. Spans of time go on as if nothing had happened; what people agreed upon (paid time, expiries) follows the
// corrected time.
import type { Clock, Timer } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import { LOOK_MS, type SteadyClock } from '../../../shared/steady-clock.js';
import type { Store, Transaction } from '../store/sql.js';
import type { Wake } from '../wake.js';

/** Moves the stored times from which a capability measures spans by `ms`. */
export type ShiftSpans = (tx: Transaction, ms: number) => Promise<void>;

export function createClockSteps(deps: {
  clock: SteadyClock;
  store: Store;
  wake: Pick<Wake, 'wakeAll'>;
  log: Log;
  shifts: readonly ShiftSpans[];
}) {
  const { clock, store, wake, log, shifts } = deps;
  const look = async () => {
    const ms = clock.pendingStep();
    if (ms === 0) return;
    const before = clock.now();
    await store.transaction(async (tx) => {
      for (const shift of shifts) await shift(tx, ms);
      tx.onCommit(() => clock.follow(ms));
    });
    log.warn(
      { step_ms: ms, from: new Date(before).toISOString(), to: new Date(before + ms).toISOString() },
      'the clock of this machine was changed; the durations of builds, leases and retries are not affected, expiry times follow the new time',
    );
    // Tasks that wait for a time of day may be due now.
    wake.wakeAll();
  };
  return {
    /** Follows a step, if there was one. */
    look,
    /** Checks every second of real time, until it is stopped. */
    watch(realClock: Clock): { stop(): Promise<void> } {
      let timer: Timer | null = null;
      let stopped = false;
      let looking: Promise<void> = Promise.resolve();
      const next = () => {
        if (!stopped) timer = realClock.setTimeout(run, LOOK_MS);
      };
      const run = () => {
        looking = look()
          .catch((error: unknown) => log.error({ err: error }, 'the corrected time could not be applied, trying again'))
          .then(next);
      };
      next();
      return {
        async stop() {
          stopped = true;
          timer?.cancel();
          await looking;
        },
      };
    },
  };
}
