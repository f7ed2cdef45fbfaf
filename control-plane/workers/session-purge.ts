import type { Clock } from '../../shared/clock.js';
import type { Limits } from '../domain/limits.js';
import { purgeSessions } from '../store/sessions.js';
import type { Store } from '../store/sql.js';
import { periodWithin, type Worker } from './worker.js';

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
