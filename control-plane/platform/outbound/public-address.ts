// Which addresses belong to the public Internet. Everything else is never reached on a customer's behalf.
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

// Only these are handed out to the public in IPv6: what embeds an IPv4 address (mapped, compatible, translated),
// site-local, unique local, discard, segment routing and all that is unassigned lies outside.
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

// Special-purpose ranges of IANA's registries that the library takes for ordinary ones, in one version or another,
// and a cloud provider's own services on a public address.
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
 * @param text an IPv4 or IPv6 address; anything else, and an address with a zone, is not public
 * @example isPublicAddress('::ffff:10.0.0.1') // false
 */
export function isPublicAddress(text: string): boolean {
  // The library reads `1.1.1` and `::8.8.8.8` as the IPv4 addresses that they are not.
  if (isIP(text) === 0 || /%|^::\d+\./.test(text)) return false;
  // An IPv4 address inside an IPv6 one is judged as the IPv4 address that it is.
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv6 && !address.match(GLOBAL_UNICAST)) return false;
  return !SPECIAL.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));
}

export function isLoopbackAddress(text: string): boolean {
  return ipaddr.isValid(text) && ipaddr.process(text).range() === 'loopback';
}

/** The one spelling of an address by which it is compared; what is no address stays as it is. */
export const spelledAddress = (text: string): string =>
  ipaddr.isValid(text) ? ipaddr.process(text).toString() : text;

/** Two spellings of one address. */
export const isSameAddress = (a: string, b: string): boolean =>
  isIP(a) > 0 && (a === b || spelledAddress(a) === spelledAddress(b));
