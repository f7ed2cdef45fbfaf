import type { Log } from '../../../shared/log.js';
import { HOST_CONNECTED } from '../../access/domain/audit-actions.js';
import type { AuditSink } from '../../platform/app/audit-sink.js';
import { anonymous } from '../../platform/domain/audit-entry.js';
import type { Hosts } from '../app/hosts.js';

/**
 * Records, and tells operators, that two agents use the credential of a host: the older connection answered when it was replaced, so its agent
 * lives. The agent of a host that connects again has ended its connection before, or lost it with its network.
 *
 * @param addresses of the older and the newer connection
 */
export function reportTwins(
  { audit, log, hosts }: { audit: Pick<AuditSink, 'failed'>; log: Log; hosts: Pick<Hosts, 'recordConflict'> },
  hostId: string,
  addresses: readonly string[],
): Promise<void> {
  log.warn(
    { host_id: hostId, addresses },
    'two agents use the credential of this host: if one of them is not yours, remove the host and enroll it again',
  );
  for (const ip of new Set(addresses)) {
    const action = { ...anonymous, ip, action: HOST_CONNECTED, accountId: null, target: hostId };
    audit.failed(action, 'credential_used_twice');
  }
  return hosts.recordConflict(hostId, addresses);
}
