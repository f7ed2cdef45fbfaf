import type { BuildRuns } from '../app/build-runs.js';
import type { Worker } from './worker.js';

/** Gives up the builds of hosts that stayed away too long, or that have been removed. */
export function createLostHosts(deps: {
  hosts: { lost(): Promise<string[]> };
  runs: Pick<BuildRuns, 'hostLost'>;
}): Worker {
  return {
    name: 'lost-hosts',
    periodMs: 15_000,
    wakeOn: ['hosts'],
    async run() {
      for (const hostId of await deps.hosts.lost()) await deps.runs.hostLost(hostId);
      return null;
    },
  };
}
