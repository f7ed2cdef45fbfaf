// Which addresses belong to the public Internet. Requests on behalf of customers go to no other addresses.
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { type Clock, systemClock } from '../../../shared/clock.js';

// The IPv6 range of public addresses. It excludes addresses that embed IPv4 (mapped, compatible, translated),
// site-local, unique local, discard, segment routing and unassigned ranges.
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

// Special-purpose ranges of the IANA registries that some versions of the library treat as unicast, and a public
// address that a cloud provider uses for internal services.
const SPECIAL = [
  '168.63.129.16/32',
  '192.0.0.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.175.48.0/24',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
].map((range) => ipaddr.parseCIDR(range));

/**
 * @param text an IPv4 or IPv6 address; any other text, or an address with a zone, is not public
 * @example isPublicAddress('::ffff:10.0.0.1') // false
 */
export function isPublicAddress(text: string): boolean {
  // The library parses `1.1.1` and `::8.8.8.8` as IPv4 addresses, which they are not.
  if (isIP(text) === 0 || /%|^::\d+\./.test(text)) return false;
  // An IPv4 address mapped into IPv6 is checked as IPv4.
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv6 && !address.match(GLOBAL_UNICAST)) return false;
  return !SPECIAL.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));
}

export function isLoopbackAddress(text: string): boolean {
  return ipaddr.isValid(text) && ipaddr.process(text).range() === 'loopback';
}

/** Returns the canonical form of an address for comparisons; any other text is returned unchanged. */
export const spelledAddress = (text: string): string => (ipaddr.isValid(text) ? ipaddr.process(text).toString() : text);

/** Returns whether both texts are the same address. */
export const isSameAddress = (a: string, b: string): boolean =>
  isIP(a) > 0 && (a === b || spelledAddress(a) === spelledAddress(b));

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
