// Which addresses belong to the public Internet. Everything else is never reached on a customer's behalf.
import ipaddr from 'ipaddr.js';

// Special-purpose ranges that the library takes for ordinary ones.
const SPECIAL = [
  // A cloud provider's own services, on a public address.
  '168.63.129.16/32',
  '192.88.99.0/24',
  '::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001:db8::/32',
  '3fff::/20',
  '5f00::/16',
  'fec0::/10',
].map((range) => ipaddr.parseCIDR(range));

/**
 * @param text an IPv4 or IPv6 address; anything else is not public
 * @example isPublicAddress('::ffff:10.0.0.1') // false
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  // An IPv4 address inside an IPv6 one is judged as the IPv4 address that it is.
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return !SPECIAL.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));
}

export function isLoopbackAddress(text: string): boolean {
  return ipaddr.isValid(text) && ipaddr.process(text).range() === 'loopback';
}
