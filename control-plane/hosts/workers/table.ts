// The background workers of hosts.
import type { Limits } from '../../platform/domain/limits.js';
import { type PurgeDeps, purge } from '../../platform/workers/sweeps.js';
import type { Worker } from '../../platform/workers/worker.js';
import { advanceRollout, type RolloutDeps } from '../app/rollouts.js';
import { purgeApprovals } from '../store/approvals.js';
import { purgeTokens } from '../store/enrolment-tokens.js';

export function hostWorkers(deps: PurgeDeps & RolloutDeps & { readonly limits: Limits }): readonly Worker[] {
  const { records_kept_ms, approval_ms } = deps.limits;
  return [
    purge(deps, 'enrolments', records_kept_ms, purgeTokens),
    purge(deps, 'approvals', approval_ms, purgeApprovals),
    { name: 'rollouts', readsAll: true, wakeOn: ['hosts'], run: () => advanceRollout(deps) },
  ];
}
