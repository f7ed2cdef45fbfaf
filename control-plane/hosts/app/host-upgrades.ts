// Hosts whose agent is upgraded: what they report, and the package that they should install.
import type { DesiredAgent, HostUpgrade } from '../../../shared/protocol/index.js';
import type { Degradation } from '../../platform/domain/degradation.js';
import type { Queries } from '../../platform/store/sql.js';
import * as hostRows from '../store/hosts.js';
import { newestRollout, rolloutOfHost } from '../store/rollouts.js';
import type { HostsDeps } from './host-changes.js';

export function createHostUpgrades({ store, wake, packages }: HostsDeps) {
  return {
    /** Records how far the upgrade of a host has come; null: its agent does not report it. */
    async upgradeReported(hostId: string, upgrade: HostUpgrade | null): Promise<void> {
      await store.transaction(async (tx) => {
        await hostRows.hosts.update(tx, { hostId }, { upgrade });
        tx.onCommit(() => wake.wake('hosts', hostId));
      });
    },

    /** Returns the package that the host should install; null: it stays as it is. */
    async wantedAgent(hostId: string): Promise<DesiredAgent | null> {
      const rollout = await rolloutOfHost(store, hostId);
      const platform = rollout && (await hostRows.findHost(store, hostId))?.upgrade?.platform;
      if (!rollout || !platform) return null;
      const file = await packages.hostAgent({ version: rollout.version, platform });
      if (file === null) return null;
      const { version, name, sha256, bytes } = file;
      return { attempt: rollout.rolloutId, version, name, sha256, bytes };
    },
  };
}

/** Degradations of /healthz: the last upgrade of hosts has failed, and nobody has canceled it or begun another. */
export async function upgradeDegradations(store: Queries): Promise<Degradation[]> {
  const newest = await newestRollout(store);
  if (newest?.status !== 'failed') return [];
  return [
    {
      name: 'host_upgrade_failed',
      message: `The upgrade of hosts to ${newest.version} was stopped. ${newest.error} Start another upgrade, or cancel this one to clear the message.`,
    },
  ];
}
