// Address ranges that a key may be used from, and proxies that are trusted.
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [Address, number];

export interface AddressRanges {
  /** True when `ip` lies in one of the ranges; an IPv4-mapped IPv6 address counts as its IPv4 address. */
  includes(ip: string): boolean;
}

/** The range as it is kept (`203.0.113.7` is `203.0.113.7/32`, `10.1.2.3/8` is `10.0.0.0/8`); null when it is none. */
export function normalizeCidr(text: string): string | null {
  const range = parseRange(text.trim());
  if (!range) return null;
  const [address, bits] = range;
  const cidr = `${address.toString()}/${bits}`;
  const kind = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${kind.networkAddressFromCIDR(cidr).toString()}/${bits}`;
}

/** Compiles ranges that `normalizeCidr` has accepted; throws on any other. */
export function compileRanges(cidrs: readonly string[]): AddressRanges {
  const ranges = cidrs.map((text) => {
    const range = parseRange(text);
    if (!range) throw new Error(`not an address range: ${text}`);
    return range;
  });
  return {
    includes(ip) {
      if (!ipaddr.isValid(ip)) return false;
      const address = ipaddr.process(ip);
      return ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
    },
  };
}

/** An address in the one form in which it is compared and logged: `::ffff:192.0.2.1` is `192.0.2.1`. */
export function normalizeAddress(ip: string): string {
  if (!ip.includes(':')) return ip;
  return ipaddr.isValid(ip) ? ipaddr.process(ip).toString() : ip;
}

/** What counts as one client when failures are counted: an IPv4 address, or the /64 that an IPv6 client owns. */
export function clientBlock(ip: string): string {
  if (!ip.includes(':') || !ipaddr.IPv6.isValid(ip)) return ip;
  return ipaddr.IPv6.parse(ip).parts.slice(0, 4).join(':');
}

function parseRange(text: string): Range | null {
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(text) || ipaddr.IPv6.isValidCIDR(text)) {
    const [address, bits] = ipaddr.parseCIDR(text);
    if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96) {
      return [address.toIPv4Address(), bits - 96];
    }
    return [address, bits];
  }
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return [ipaddr.IPv4.parse(text), 32];
  if (ipaddr.IPv6.isValid(text)) {
    const address = ipaddr.process(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  }
  return null;
}
