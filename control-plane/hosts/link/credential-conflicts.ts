import type { Log } from '../../../shared/log.js';
import { HOST_CONNECTED } from '../../access/domain/audit-actions.js';
import type { AuditSink } from '../../platform/app/audit-sink.js';
import { anonymous } from '../../platform/domain/audit-entry.js';
import type { Hosts } from '../app/hosts.js';

export interface ConflictDeps {
  readonly audit: Pick<AuditSink, 'failed'>;
  readonly log: Log;
}

const WHAT_TO_DO = 'if that was not you, remove the host and enroll it again';

/**
 * Records, and tells operators, that two agents use the credential of a host: the older connection still answered when
 * it was replaced, so its agent is running. An agent that reconnects has closed its connection before, or lost it with
 * its network.
 *
 * @param addresses of the older and the newer connection
 */
export function reportTwins(
  deps: ConflictDeps & { hosts: Pick<Hosts, 'recordConflict'> },
  hostId: string,
  addresses: readonly string[],
): Promise<void> {
  deps.log.warn({ host_id: hostId, addresses }, `two agents use the credential of this host: ${WHAT_TO_DO}`);
  record(deps, hostId, addresses, 'credential_used_twice');
  return deps.hosts.recordConflict(hostId, 'two_agents', addresses);
}

/**
 * Records, and tells operators, that another machine than before has connected with the credential of a host, as a thief
 * does while the host is off.
 */
export async function checkMachine(
  deps: ConflictDeps & { hosts: Pick<Hosts, 'machineReported'> },
  hostId: string,
  reported: { machine: string | null; address: string },
): Promise<void> {
  const addresses = await deps.hosts.machineReported(hostId, reported);
  if (addresses === null) return;
  deps.log.warn({ host_id: hostId, addresses }, `another machine uses the credential of this host: ${WHAT_TO_DO}`);
  record(deps, hostId, [reported.address], 'credential_used_elsewhere');
}

function record({ audit }: ConflictDeps, hostId: string, addresses: readonly string[], result: string): void {
  for (const ip of new Set(addresses)) {
    const action = { ...anonymous, ip, action: HOST_CONNECTED, accountId: null, target: hostId };
    audit.failed(action, result);
  }
}
