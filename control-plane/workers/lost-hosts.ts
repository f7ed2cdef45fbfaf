import type { BuildRuns } from '../app/build-runs.js';
import type { Hosts } from '../app/hosts.js';
import { LONGEST_PERIOD_MS, type Worker } from './worker.js';

/** Gives up the builds of hosts that stayed away too long, or that have been removed. */
export function createLostHosts(deps: {
  hosts: Pick<Hosts, 'lost' | 'nextLossAt'>;
  runs: Pick<BuildRuns, 'hostLost'>;
}): Worker {
  return {
    name: 'lost-hosts',
    periodMs: LONGEST_PERIOD_MS,
    wakeOn: ['hosts'],
    async run() {
      for (const hostId of await deps.hosts.lost()) await deps.runs.hostLost(hostId);
      return deps.hosts.nextLossAt();
    },
  };
}
