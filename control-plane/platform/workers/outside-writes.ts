// Detects writes to the database by other processes (the admin commands), and wakes all listeners.
import type { Clock, Timer } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import type { Store } from '../store/sql.js';
import type { Wake } from '../wake.js';

const EVERY_MS = 250;

/** @param clock the real clock: other processes do not follow the test clock */
export function watchOutsideWrites(deps: {
  store: Pick<Store, 'outsideVersion'>;
  wake: Pick<Wake, 'wakeAll'>;
  clock: Clock;
  log: Log;
}): { stop(): void } {
  const { store, wake, clock, log } = deps;
  let known: number | null = null;
  let timer: Timer | null = null;
  let stopped = false;

  const look = async () => {
    try {
      const version = await store.outsideVersion();
      if (stopped) return;
      if (known !== null && version !== known) wake.wakeAll();
      known = version;
    } catch (error) {
      if (!stopped) log.error({ err: error }, 'cannot check whether another process has written to the database');
    }
    if (!stopped) timer = clock.setTimeout(() => void look(), EVERY_MS);
  };
  void look();

  return {
    stop() {
      stopped = true;
      timer?.cancel();
    },
  };
}
