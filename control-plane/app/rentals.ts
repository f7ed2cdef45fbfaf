// Macs: made, found ready by their host, ended.
import type { DesiredMac, MacFact } from '../../shared/protocol/index.js';

export interface NewRental {
  readonly accountId: number;
  readonly slotId: string;
  readonly tier: string;
  readonly xcode: string | null;
  /** Bought time; it starts to run when the host first reports the Mac ready. */
  readonly hours: number;
}

export interface Rentals {
  /** What should be in the slots of this host. */
  desiredMacs(hostId: string): Promise<DesiredMac[]>;
  /** Records what is in the slots of this host. */
  macFacts(hostId: string, facts: readonly MacFact[]): Promise<void>;
  /** Rents a free slot to an account without an order; it starts as preparing. Answers the rental id. */
  create(rental: NewRental): Promise<string>;
}
