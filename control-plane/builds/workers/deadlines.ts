import type { Store } from '../../platform/store/sql.js';
import type { Worker } from '../../platform/workers/worker.js';
import type { ChangeDeps } from '../app/build-changes.js';
import { stopRunning } from '../app/build-end.js';
import { readOverdue } from '../store/build-watch.js';

/** Stops builds that have exceeded their timeout; their hosts enforce it too, by their own clocks. */
export function createDeadlines(deps: ChangeDeps & { store: Store }): Worker {
  return {
    name: 'deadlines',
    wakeOn: ['running'],
    async run() {
      const { overdue, nextAt } = await readOverdue(deps.store, deps.clock.now());
      for (const build of overdue) {
        await deps.store.transaction((tx) => stopRunning(tx, deps, build, 'timeout'));
      }
      return nextAt;
    },
  };
}
