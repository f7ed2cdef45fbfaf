// Workers of Macs.
import type { Worker } from '../../platform/workers/worker.js';
import { beginDelayedRepairs } from '../app/delayed-repairs.js';
import { type AdvanceDeps, advanceJobs } from '../app/jobs.js';

export function macWorkers(deps: AdvanceDeps): readonly Worker[] {
  return [
    // Topic builds: a Mac may have become idle, or a rental may have ended.
    { name: 'jobs', wakeOn: ['jobs', 'builds', 'host'], run: () => advanceJobs(deps) },
    { name: 'delayed-repairs', wakeOn: ['availability'], run: () => beginDelayedRepairs(deps) },
  ];
}
