import type { ChangeDeps } from '../app/build-changes.js';
import { stopRunning } from '../app/build-end.js';
import { readOverdue } from '../store/build-watch.js';
import type { Store } from '../store/sql.js';
import { periodWithin, type Worker } from './worker.js';

/** Stops builds that have used up their timeout; their hosts watch it too, by their own clocks. */
export function createDeadlines(deps: ChangeDeps & { store: Store }): Worker {
  return {
    name: 'deadlines',
    // A timeout is at least a minute.
    periodMs: periodWithin(60_000),
    wakeOn: [],
    async run() {
      const { overdue, nextAt } = await readOverdue(deps.store, deps.clock.now());
      for (const build of overdue) {
        await deps.store.transaction((tx) => stopRunning(tx, deps, build, 'timeout'));
      }
      return nextAt;
    },
  };
}
