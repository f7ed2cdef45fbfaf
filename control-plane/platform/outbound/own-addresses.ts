// The addresses of this machine itself.
import { networkInterfaces } from 'node:os';
import { type Clock, systemClock } from '../../../shared/clock.js';
import { spelledAddress } from './public-address.js';

/** Asking the system costs more than signing a delivery, so an answer serves for a moment. */
const SERVES_MS = 1_000;

/**
 * @param ask the system, for all interfaces
 * @returns whether an address is one of this machine's, by the system's word of no more than a second ago
 */
export function createOwnAddresses(
  ask = networkInterfaces,
  clock: Pick<Clock, 'now'> = systemClock,
): (address: string) => boolean {
  let known: { until: number; spelled: ReadonlySet<string> } | null = null;
  return (address) => {
    const now = clock.now();
    if (known === null || now >= known.until || now < known.until - SERVES_MS) {
      const all = Object.values(ask()).flatMap((entries) => entries ?? []);
      const spelled = new Set(all.map((entry) => spelledAddress(entry.address)));
      known = { until: now + SERVES_MS, spelled };
    }
    return known.spelled.has(spelledAddress(address));
  };
}
