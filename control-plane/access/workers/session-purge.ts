import type { Clock } from '../../../shared/clock.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Store } from '../../platform/store/sql.js';
import { periodWithin, type Worker } from '../../platform/workers/worker.js';
import { purgeSessions } from '../store/sessions.js';

/** Forgets sessions that have ended; one that has only been idle is kept until its absolute end, for the throttle. */
export function createSessionPurge(deps: {
  store: Store;
  clock: Clock;
  limits: Pick<Limits, 'session_absolute_ms'>;
}): Worker {
  const { store, clock, limits } = deps;
  return {
    name: 'session-purge',
    periodMs: periodWithin(limits.session_absolute_ms),
    wakeOn: [],
    async run() {
      await store.transaction((tx) => purgeSessions(tx, clock.now()));
      return null;
    },
  };
}
