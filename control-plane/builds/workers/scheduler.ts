import type { Worker } from '../../platform/workers/worker.js';
import { type AssignmentDeps, assignBuilds } from '../app/build-assignment.js';
import { accountsWithQueuedBuilds } from '../store/build-queue.js';

/** Starts waiting builds. Woken with the id of an account whose queue or Macs have changed. */
export function createScheduler(deps: AssignmentDeps): Worker {
  return {
    name: 'scheduler',
    periodMs: 300_000,
    wakeOn: ['scheduler'],
    async run(woken) {
      const accounts = woken.size > 0 ? [...woken].map(Number) : await accountsWithQueuedBuilds(deps.store);
      for (const accountId of accounts) await assignBuilds(deps, accountId);
      return null;
    },
  };
}
