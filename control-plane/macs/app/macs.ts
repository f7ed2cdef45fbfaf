// Reads Macs, and the state that their hosts should bring about.
import type { LinkMacs } from '../../hosts/app/link-ports.js';
import type { Queries } from '../../platform/store/sql.js';
import { desiredMacOf } from '../domain/desired-mac.js';
import { isActive, type Mac, type Machine } from '../domain/mac.js';
import * as rows from '../store/macs.js';
import * as tierRows from '../store/tiers.js';
import { createImageFacts, type HostImagesDeps } from './host-images.js';
import { desiredImages } from './image-pulls.js';
import { createMacFacts, type MacFactsDeps } from './mac-facts.js';

/** Returns the account's Macs, reserved ones too, oldest first. */
export function macsOf(q: Queries, accountId: number): Promise<Mac[]> {
  return rows.readMacs(q, accountId);
}

/** Returns the Macs in the slots of one host, reserved ones too. */
export function macsOfHost(q: Queries, hostId: string): Promise<Mac[]> {
  return rows.readMacsOfHost(q, hostId);
}

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

/** Returns Macs of any account, including removed ones, in the order of the ids. */
export function findMacs(q: Queries, rentalIds: readonly string[]): Promise<Machine[]> {
  return rows.readMachines(q, rentalIds);
}

/** Returns the Mac that is in the slot now, regardless of the calendar; null if it is empty. */
export function tenantOf(q: Queries, slotId: string): Promise<Machine | null> {
  return rows.findTenant(q, slotId);
}

/** Returns every Xcode version that any tier offers. */
export function xcodeCatalog(q: Queries): Promise<ReadonlySet<string>> {
  return tierRows.readXcodeCatalog(q);
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
