import type { IncomingHttpHeaders } from 'node:http';
import { type AddressRanges, normalizeAddress } from '../domain/cidr.js';

/**
 * Returns the address of the client: the peer address of the socket, or behind a trusted proxy the right-most entry of
 * X-Forwarded-For that is not a trusted proxy. Entries further left can be forged by the client.
 *
 * @param trusted null if no proxy is trusted
 */
export function clientIp(
  request: { headers: IncomingHttpHeaders; socket: { remoteAddress?: string | undefined } },
  trusted: AddressRanges | null,
): string {
  const socket = normalizeAddress(request.socket.remoteAddress ?? '');
  if (!trusted?.includes(socket)) return socket;
  const header = request.headers['x-forwarded-for'];
  const hops = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',');
  let ip = socket;
  for (const hop of hops.reverse()) {
    const address = withoutPort(hop.trim());
    if (address === '') break;
    ip = normalizeAddress(address);
    if (!trusted.includes(ip)) break;
  }
  return ip;
}

/** Some proxies add the port: `192.0.2.1:5000`, `[2001:db8::1]:5000`. */
function withoutPort(hop: string): string {
  const match = /^\[([^\]]+)\](?::\d+)?$/.exec(hop) ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop);
  return match?.[1] ?? hop;
}
