// Hosts that change the address at which they reach the service.
import {
  type HostAddress,
  type ProofRequest,
  type ProofResponse,
  serviceProof,
} from '../../../shared/protocol/index.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import * as moveRows from '../store/host-moves.js';
import * as rows from '../store/hosts.js';
import type { HostsDeps } from './host-changes.js';

export function createHostMoves({ store }: HostsDeps) {
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

    /** Returns the address that the host should move to; null: it should stay where it is. */
    async wantedAddress(hostId: string): Promise<{ site_url: string } | null> {
      const siteUrl = (await rows.findHost(store, hostId))?.moveTo ?? null;
      return siteUrl === null ? null : { site_url: siteUrl };
    },
  };
}
