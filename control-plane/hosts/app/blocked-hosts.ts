// Hosts that have reported why they cannot create Macs, such as a virtual machine limit that is reached.
import type { Degradation } from '../../platform/domain/degradation.js';
import type { Queries } from '../../platform/store/sql.js';
import { listHosts } from '../store/hosts.js';

/** Degradations of /healthz for connected hosts that have reported why they cannot create Macs. */
export async function blockedHostDegradations(store: Queries): Promise<Degradation[]> {
  const hosts = (await listHosts(store)).filter(({ status, connected }) => status !== 'removed' && connected);
  return hosts.flatMap(({ hostId, name, blocked }) =>
    blocked
      ? {
          name: 'host_blocked',
          message: `Host ${name} (${hostId}) cannot create Macs (${blocked.code ?? 'unknown'}): ${blocked.message} It gets no new ones until it reports that it can again.`,
        }
      : [],
  );
}
