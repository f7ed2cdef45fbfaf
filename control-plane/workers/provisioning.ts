import { type ProvisioningDeps, rescueMaking } from '../app/provisioning.js';
import { LONGEST_PERIOD_MS, type Worker } from './worker.js';

/** Has Macs that their host cannot make made elsewhere, and gives up orders for which there is no elsewhere. */
export function createProvisioning(deps: ProvisioningDeps): Worker {
  return {
    name: 'provisioning',
    periodMs: LONGEST_PERIOD_MS,
    wakeOn: ['orders', 'stock', 'hosts'],
    run: () => rescueMaking(deps),
  };
}
