// A credential that somebody else seems to use, until an operator has dealt with it (see host-settings.ts).
import type { Degradation } from '../../platform/domain/degradation.js';
import type { Queries } from '../../platform/store/sql.js';
import { conflictReason, UNKNOWN_ADDRESS } from '../domain/credential-conflict.js';
import type { CredentialConflict } from '../domain/host.js';
import { findHost, listHosts, setCredentialConflict, setMachine } from '../store/hosts.js';
import type { HostsDeps } from './host-changes.js';

export function createHostConflicts({ store, clock, wake }: HostsDeps) {
  const recordConflict = async (
    hostId: string,
    how: NonNullable<CredentialConflict['how']>,
    addresses: readonly string[],
  ): Promise<void> => {
    await store.transaction(async (tx) => {
      await setCredentialConflict(tx, hostId, { how, at: clock.now(), addresses });
      tx.onCommit(() => wake.wake('hosts', hostId));
    });
  };
  return {
    /** @param addresses of the older and the newer connection */
    recordConflict,

    /**
     * Records which machine has connected, and from where. Returns the addresses of the connection before and of this one
     * when it is another machine than before, which is a conflict; otherwise null. A machine that no longer says which it is
     * counts as another one, because leaving that out is the easiest thing for a thief.
     */
    async machineReported(
      hostId: string,
      { machine, address }: { machine: string | null; address: string },
    ): Promise<readonly string[] | null> {
      const before = await findHost(store, hostId);
      if (before === null || (before.machine === machine && before.connectedFrom === address)) return null;
      await store.transaction((tx) => setMachine(tx, hostId, { machine, connectedFrom: address }));
      if (before.machine === null || before.machine === machine) return null;
      const addresses = [before.connectedFrom ?? UNKNOWN_ADDRESS, address];
      await recordConflict(hostId, 'other_machine', addresses);
      return addresses;
    },
  };
}

/** Degradations of /healthz for hosts whose credential somebody else seems to use. */
export async function conflictDegradations(store: Queries): Promise<Degradation[]> {
  const hosts = (await listHosts(store)).filter(({ status }) => status !== 'removed');
  return hosts.flatMap(({ hostId, name, credentialConflict }) => {
    if (credentialConflict === null) return [];
    const said = conflictReason(credentialConflict, new Date(credentialConflict.at).toISOString()).text;
    return [
      {
        name: 'credential_conflict',
        message: `Host ${name} (${hostId}): ${said}. If that was not you, run \`cidermill admin host remove ${hostId}\` and enroll the machine again. Otherwise run \`cidermill admin host set ${hostId} --conflict-is-over\`.`,
      },
    ];
  });
}
