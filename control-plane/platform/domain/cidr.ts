// IP address ranges: where a key may be used, and trusted proxies.
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [Address, number];

export interface AddressRanges {
  /** Returns whether `ip` is in one of the ranges. IPv4-mapped IPv6 addresses are treated as IPv4. */
  includes(ip: string): boolean;
}

/**
 * Returns the normalized range (`203.0.113.7/32` for `203.0.113.7`, `10.0.0.0/8` for `10.1.2.3/8`); null if invalid.
 */
export function normalizeCidr(text: string): string | null {
  const range = parseRange(text.trim());
  if (!range) return null;
  const [address, bits] = range;
  const cidr = `${address.toString()}/${bits}`;
  const kind = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${kind.networkAddressFromCIDR(cidr).toString()}/${bits}`;
}

/** IPv6 from here on is for private networks, links and multicast. */
const NOT_GLOBAL = 0xfc00;

/** Returns whether a range returned by `normalizeCidr` is too large to be somebody's network, e.g. `0.0.0.0/1`. */
export function isVast(cidr: string): boolean {
  const range = parseRange(cidr);
  if (!range) return false;
  const [address, bits] = range;
  if (address instanceof ipaddr.IPv6) return bits < 16 && (address.parts[0] ?? 0) < NOT_GLOBAL;
  return bits < 8;
}

/** Compiles ranges returned by `normalizeCidr`. Throws for invalid ranges. */
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

/** Returns the normalized address, for comparison and logs: `192.0.2.1` for `::ffff:192.0.2.1`. */
export function normalizeAddress(ip: string): string {
  if (!ip.includes(':')) return ip;
  return ipaddr.isValid(ip) ? ipaddr.process(ip).toString() : ip;
}

/** Returns the address block by which failures are counted: the IPv4 address, or the /64 prefix of an IPv6 address. */
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
