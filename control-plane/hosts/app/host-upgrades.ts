// Hosts whose agent is upgraded.
import type { HostUpgrade } from '../../../shared/protocol/index.js';
import { hosts } from '../store/hosts.js';
import type { HostsDeps } from './host-changes.js';

export function createHostUpgrades({ store }: HostsDeps) {
  return {
    /** Records how far the upgrade of a host has come; null: its agent does not report it. */
    async upgradeReported(hostId: string, upgrade: HostUpgrade | null): Promise<void> {
      await store.transaction((tx) => hosts.update(tx, { hostId }, { upgrade }));
    },
  };
}
