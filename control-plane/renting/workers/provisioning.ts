import { LONGEST_PERIOD_MS, type Worker } from '../../platform/workers/worker.js';
import { type ProvisioningDeps, rescueMaking } from '../app/provisioning.js';
import { recallStranded } from '../app/stranded-macs.js';

/** Has Macs that their host cannot make made elsewhere, and gives up orders for which there is no elsewhere. */
export function createProvisioning(deps: ProvisioningDeps): Worker {
  return {
    name: 'provisioning',
    periodMs: LONGEST_PERIOD_MS,
    wakeOn: ['orders', 'stock', 'hosts'],
    async run() {
      const again = await recallStranded(deps);
      const next = await rescueMaking(deps);
      return again === null || next === null ? (again ?? next) : Math.min(again, next);
    },
  };
}
