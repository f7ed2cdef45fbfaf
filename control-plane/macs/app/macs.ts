// Reads Macs, and the state that their hosts should bring about.
import type { LinkMacs } from '../../hosts/app/link-ports.js';
import type { Queries } from '../../platform/store/sql.js';
import { desiredMacOf } from '../domain/desired-mac.js';
import { isActive, type Machine } from '../domain/mac.js';
import * as rows from '../store/macs.js';
import { createImageFacts, type HostImagesDeps } from './host-images.js';
import { desiredImages } from './image-pulls.js';
import { createMacFacts, type MacFactsDeps } from './mac-facts.js';

export {
  findTenant as tenantOf,
  readMachines as findMacs,
  readMacs as macsOf,
  readMacsOfHost as macsOfHost,
} from '../store/macs.js';
export { readXcodeCatalog as xcodeCatalog } from '../store/tiers.js';

/** Returns the Mac of any account, or null if it has been removed. */
export async function findMac(q: Queries, rentalId: string): Promise<Machine | null> {
  const found = await rows.findMachine(q, rentalId);
  return found?.state === 'ended' ? null : found;
}

/** Returns the Mac, even if it has been removed; null for another account's Mac. */
export async function findMacOf(q: Queries, accountId: number, rentalId: string): Promise<Machine | null> {
  const found = await rows.findMachine(q, rentalId);
  return found?.accountId === accountId ? found : null;
}

/** What hosts should have, and what they report. */
export function createMacs(deps: MacFactsDeps & HostImagesDeps): LinkMacs {
  return {
    async desiredMacs(hostId) {
      const macs = await rows.readMacsOfHost(deps.store, hostId);
      // A Mac that the host is removing does not come back.
      await deps.store.durable();
      return macs.filter(isActive).map(desiredMacOf);
    },
    macFacts: createMacFacts(deps),
    desiredImages: (hostId) => desiredImages(deps.store, hostId),
    imageFacts: createImageFacts(deps),
  };
}
