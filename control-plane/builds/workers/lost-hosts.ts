import type { Hosts } from '../../hosts/app/hosts.js';
import { LONGEST_PERIOD_MS, type Worker } from '../../platform/workers/worker.js';
import type { BuildRuns } from '../app/build-runs.js';

/** Gives up the builds of hosts that stayed away too long, or that have been removed, and recalls Macs of the former. */
export function createLostHosts(deps: {
  hosts: Pick<Hosts, 'lost' | 'nextLossAt'>;
  runs: Pick<BuildRuns, 'hostLost'>;
  /** For the host's Macs, once its builds have been given up. */
  recallMacs: (hostId: string) => Promise<void>;
}): Worker {
  return {
    name: 'lost-hosts',
    periodMs: LONGEST_PERIOD_MS,
    wakeOn: ['hosts'],
    async run() {
      const { removed, away } = await deps.hosts.lost();
      for (const hostId of [...removed, ...away]) await deps.runs.hostLost(hostId);
      for (const hostId of away) await deps.recallMacs(hostId);
      return deps.hosts.nextLossAt();
    },
  };
}
