// Settles the builds and Macs of hosts that are lost or removed.
import type { Hosts } from '../../hosts/app/hosts.js';
import type { JobChangeDeps } from '../../macs/app/job-changes.js';
import { recallFromLostHost } from '../../macs/app/stranded-macs.js';
import type { Store } from '../../platform/store/sql.js';
import type { BuildRuns } from './build-runs.js';

export interface LostHostsDeps extends JobChangeDeps {
  readonly store: Store;
  readonly hosts: Pick<Hosts, 'lost' | 'nextLossAt'>;
  readonly runs: Pick<BuildRuns, 'hostLost'>;
}

/**
 * Ends the builds of hosts that were disconnected too long or have been removed, and recalls the Macs of disconnected
 * ones.
 *
 * @returns when the next host counts as lost, or null
 */
export async function giveUpLostHosts(deps: LostHostsDeps): Promise<number | null> {
  const { removed, away } = await deps.hosts.lost();
  for (const hostId of [...removed, ...away]) await deps.runs.hostLost(hostId);
  for (const hostId of away) await recallFromLostHost(deps, hostId);
  return deps.hosts.nextLossAt();
}
