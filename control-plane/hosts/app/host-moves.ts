// Hosts that change the address at which they reach the service.
import type { HostAddress } from '../../../shared/protocol/index.js';
import * as moveRows from '../store/host-moves.js';
import * as rows from '../store/hosts.js';
import type { HostsDeps } from './host-changes.js';

export function createHostMoves({ store }: HostsDeps) {
  return {
    /** Records the address that a host uses; null: its agent does not report it, so it cannot move. */
    async addressReported(hostId: string, address: HostAddress | null): Promise<void> {
      await store.transaction((tx) => moveRows.recordAddress(tx, hostId, address));
    },

    /** Returns the address that the host should move to; null: it should stay where it is. */
    async wantedAddress(hostId: string): Promise<{ site_url: string } | null> {
      const siteUrl = (await rows.findHost(store, hostId))?.moveTo ?? null;
      return siteUrl === null ? null : { site_url: siteUrl };
    },
  };
}
