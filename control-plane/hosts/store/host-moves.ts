// The address at which each host reaches the service, and the one that it should use.
import type { HostAddress } from '../../../shared/protocol/index.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { hosts } from './hosts.js';

/** @param siteUrl null: the host should stay where it is */
export async function setMoveTo(tx: Transaction, hostId: string, siteUrl: string | null): Promise<void> {
  await hosts.update(tx, { hostId }, { moveTo: siteUrl });
}

/** Records what a host reports; null: it does not report it. A host that uses the wanted address has moved. */
export async function recordAddress(q: Queries, hostId: string, address: HostAddress | null): Promise<void> {
  await q.run(
    `UPDATE hosts SET link_address = :address, move_to = CASE WHEN move_to = :siteUrl THEN NULL ELSE move_to END
     WHERE host_id = :hostId`,
    { hostId, address: address && JSON.stringify(address), siteUrl: address?.site_url ?? null },
  );
}
