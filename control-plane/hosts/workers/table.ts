// The background workers of hosts.
import type { Limits } from '../../platform/domain/limits.js';
import { type PurgeDeps, purge } from '../../platform/workers/sweeps.js';
import type { Worker } from '../../platform/workers/worker.js';
import { purgeEnrolments } from '../store/enrolments.js';

export function hostWorkers(deps: PurgeDeps & { readonly limits: Limits }): readonly Worker[] {
  return [purge(deps, 'enrolments', deps.limits.records_kept_ms, purgeEnrolments)];
}
