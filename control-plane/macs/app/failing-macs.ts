// Macs that their hosts cannot make now, for operators.
import { macLabel } from '../../../shared/mac-name.js';
import type { Degradation } from '../../platform/domain/degradation.js';
import type { Queries } from '../../platform/store/sql.js';
import { macProblemTexts } from '../domain/mac-problem.js';
import type { FailingMac } from '../domain/making.js';
import { readFailingMacs } from '../store/making.js';

/** Returns the Macs that their hosts cannot make, by host. */
export async function failingMacs(q: Queries): Promise<ReadonlyMap<string, readonly FailingMac[]>> {
  const byHost = new Map<string, FailingMac[]>();
  for (const { hostId, hostName: _, ...mac } of await readFailingMacs(q)) {
    byHost.set(hostId, [...(byHost.get(hostId) ?? []), mac]);
  }
  return byHost;
}

/** Returns a line for /healthz for each Mac that its host cannot make. */
export async function failingMacDegradations(q: Queries): Promise<Degradation[]> {
  return (await readFailingMacs(q)).map(({ hostId, hostName, problem: { code, detail }, ...mac }) => ({
    name: 'mac_not_made',
    message: `Host ${hostName} (${hostId}) cannot make ${macLabel(mac)} of ${mac.orgName} (${code}): ${detail ?? macProblemTexts[code]} It keeps trying, and the Mac comes back by itself when the cause is gone.`,
  }));
}
