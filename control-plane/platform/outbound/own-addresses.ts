// The addresses of this machine.
import { networkInterfaces } from 'node:os';
import { type Clock, systemClock } from '../../../shared/clock.js';
import { spelledAddress } from './public-address.js';

/** Cache time: listing the network interfaces costs more than signing a delivery. */
const SERVES_MS = 1_000;

/**
 * @param ask returns the network interfaces of the system
 * @returns a function that returns whether an address belongs to this machine, by a list at most one second old
 */
export function createOwnAddresses(
  ask = networkInterfaces,
  clock: Pick<Clock, 'monotonic'> = systemClock,
): (address: string) => boolean {
  let known: { until: number; spelled: ReadonlySet<string> } | null = null;
  return (address) => {
    const now = clock.monotonic();
    if (known === null || now >= known.until) {
      const all = Object.values(ask()).flatMap((entries) => entries ?? []);
      const spelled = new Set(all.map((entry) => spelledAddress(entry.address)));
      known = { until: now + SERVES_MS, spelled };
    }
    return known.spelled.has(spelledAddress(address));
  };
}
