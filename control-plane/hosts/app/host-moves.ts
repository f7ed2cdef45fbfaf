// Hosts that change the address at which they reach the service.

import {
  type HostAddress,
  type ProofRequest,
  type ProofResponse,
  serviceProof,
} from '../../../shared/protocol/index.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { differences, type HostChange } from '../domain/host-change.js';
import { moveRefusal, rootAddress } from '../domain/host-move.js';
import { refusedChanges } from '../domain/host-refusal.js';
import * as moveRows from '../store/hosts.js';
import * as rows from '../store/hosts.js';
import { type HostsDeps, wakeForHost } from './host-changes.js';
import { type HostSelection, selectHosts } from './host-selector.js';

export function createHostMoves({ store, wake }: HostsDeps) {
  return {
    /** Records the address that a host uses; null: its agent does not report it, so it cannot move. */
    async addressReported(hostId: string, address: HostAddress | null): Promise<void> {
      await store.transaction((tx) => moveRows.recordAddress(tx, hostId, address));
    },

    /** Proves to a host that this service knows it; see shared/protocol/service-proof.ts. */
    async prove({ host_id: hostId, nonce }: ProofRequest, siteUrl: string): Promise<ProofResponse> {
      const hash = await rows.credentialHashOf(store, hostId);
      if (hash === null) throw new ApiError('invalid_host_credential');
      return { site_url: siteUrl, proof: serviceProof(hash, nonce, siteUrl) };
    },

    /**
     * Has all selected hosts move to an address of this service, or none. Hosts that were not selected by name are left out
     * if they cannot move. Each host moves when the service there proves that it knows the host. `done` runs in the
     * transaction.
     *
     * @param url null: those that have not moved yet stay
     * @throws ApiError host_not_found, host_state, invalid_request
     */
    async moveAll(
      selection: HostSelection,
      url: string | null,
      done?: InTransaction<readonly HostChange[]>,
    ): Promise<HostChange[]> {
      const siteUrl = url === null ? null : rootAddress(url);
      return store.transaction(async (tx) => {
        const selected = await selectHosts(tx, selection);
        const refusals = selected.map((host) => (siteUrl === null ? null : moveRefusal(host, siteUrl)));
        const byName = (selection.hosts ?? []).length > 0;
        if (byName ? refusals.some((one) => one !== null) : refusals.every((one) => one !== null)) {
          throw refusedChanges(selected, refusals);
        }
        const changes: HostChange[] = [];
        for (const [i, before] of selected.entries()) {
          const leftOut = refusals[i] ?? null;
          const to = siteUrl === before.linkAddress?.site_url ? null : siteUrl;
          const host = leftOut === null ? { ...before, moveTo: to } : before;
          if (host.moveTo !== before.moveTo) {
            await moveRows.setMoveTo(tx, before.hostId, host.moveTo);
            wakeForHost(tx, wake, before.hostId);
          }
          changes.push({ host, changes: differences(before, host), leftOut });
        }
        await done?.(tx, changes);
        return changes;
      });
    },

    /** Returns the address that the host should move to; null: it should stay where it is. */
    async wantedAddress(hostId: string): Promise<{ site_url: string } | null> {
      const siteUrl = await rows.wantedAddressOf(store, hostId);
      return siteUrl === null ? null : { site_url: siteUrl };
    },
  };
}
