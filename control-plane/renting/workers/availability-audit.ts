import type { Limits } from '../../platform/domain/limits.js';
import type { Worker } from '../../platform/workers/worker.js';
import type { AvailabilityAudit } from '../app/availability-audit.js';

/** Looks every minute for differences between the calendar, the database and the hosts. */
export function createAvailabilityAuditWorker(deps: {
  audit: Pick<AvailabilityAudit, 'run'>;
  limits: Pick<Limits, 'audit_every_ms'>;
}): Worker {
  return {
    name: 'availability-audit',
    periodMs: deps.limits.audit_every_ms,
    wakeOn: [],
    async run() {
      await deps.audit.run();
      return null;
    },
  };
}
