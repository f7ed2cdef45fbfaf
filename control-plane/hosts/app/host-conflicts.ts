// Two agents that used the credential of one host, until an operator has dealt with it (see host-settings.ts).
import { setCredentialConflict } from '../store/hosts.js';
import type { HostsDeps } from './host-changes.js';

export function createHostConflicts({ store, clock, wake }: HostsDeps) {
  return {
    /** @param addresses of the older and the newer connection */
    async recordConflict(hostId: string, addresses: readonly string[]): Promise<void> {
      await store.transaction(async (tx) => {
        await setCredentialConflict(tx, hostId, { at: clock.now(), addresses });
        tx.onCommit(() => wake.wake('hosts', hostId));
      });
    },
  };
}
