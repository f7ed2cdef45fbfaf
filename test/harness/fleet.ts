// Hosts as an operator has many of them, and the operator's commands.
import type { Host } from '../../control-plane/hosts/domain/host.js';
import { insertHost } from '../../control-plane/hosts/store/hosts.js';
import { commandsOf } from './admin.js';
import { type Harness, type HarnessOptions, startHarness } from './harness.js';
import { putM4 } from './renting.js';

export type HostGiven = Pick<Host, 'name'> & Partial<Pick<Host, 'hostId' | 'tier' | 'status' | 'labels'>>;

/** Starts a service with the tier m4 and these hosts, which have never been connected. Their ids are `host_NAME`. */
export async function startFleet(
  t: Parameters<typeof startHarness>[0],
  given: readonly HostGiven[],
  options: HarnessOptions = {},
): Promise<{ h: Harness; admin: ReturnType<typeof commandsOf> }> {
  const h = await startHarness(t, options);
  await putM4(h);
  await h.store.transaction(async (tx) => {
    for (const { name, hostId = `host_${name}`, status = 'active', tier = 'm4', labels = {} } of given) {
      await insertHost(tx, { hostId, name, status, tier, labels, credentialHash: hostId, now: 1 });
    }
  });
  return { h, admin: commandsOf(h) };
}
