// The workers of the platform.
import type { Limits } from '../domain/limits.js';
import { purgeErrors } from '../store/api-errors.js';
import { purgeReplies } from '../store/idempotency.js';
import { type PurgeDeps, purge } from './sweeps.js';
import type { Worker } from './worker.js';

export function platformWorkers(deps: PurgeDeps & { readonly limits: Limits }): readonly Worker[] {
  const { limits } = deps;
  return [
    purge(deps, 'idempotency', limits.idempotency_ms, purgeReplies),
    purge(deps, 'errors', limits.errors_kept_ms, purgeErrors),
  ];
}
