// Workers of Macs.
import type { Limits } from '../../platform/domain/limits.js';
import { type PurgeDeps, purge } from '../../platform/workers/sweeps.js';
import type { Worker } from '../../platform/workers/worker.js';
import { beginDelayedRepairs } from '../app/delayed-repairs.js';
import { advancePulls, type ImagePullsDeps } from '../app/image-pulls.js';
import { type AdvanceDeps, advanceJobs } from '../app/jobs.js';
import { purgeJobs } from '../store/jobs.js';
import { purgeStates } from '../store/mac-states.js';

export function macWorkers(
  deps: AdvanceDeps & ImagePullsDeps & PurgeDeps & { readonly limits: Limits },
): readonly Worker[] {
  return [
    // Topic builds: a Mac may have become idle, or a rental may have ended.
    { name: 'jobs', readsAll: true, wakeOn: ['jobs', 'builds', 'host'], run: () => advanceJobs(deps) },
    purge(deps, 'jobs', deps.limits.records_kept_ms, purgeJobs),
    purge(deps, 'mac-states', deps.limits.mac_states_kept_ms, purgeStates),
    { name: 'image-pulls', readsAll: true, wakeOn: ['images', 'hosts'], run: () => advancePulls(deps) },
    { name: 'delayed-repairs', readsAll: true, wakeOn: ['availability'], run: () => beginDelayedRepairs(deps) },
  ];
}
