// Resolves a host name to all its addresses.

import { lookup, Resolver } from 'node:dns/promises';
import { systemClock } from '../../../shared/clock.js';

/** Returns all addresses, IPv4 first; rejects if there are none. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

const TRIES = 2;

/**
 * Queries the DNS servers directly (A and AAAA): the system call would occupy a thread of the pool that is also used
 * for file access, so a receiver with an unreachable DNS server would slow down the whole service.
 *
 * @param servers default: those of the system
 */
export function createPublicResolver(options: { timeoutMs: number; servers?: readonly string[] }): ResolveHost {
  const { timeoutMs, servers } = options;
  return async (host) => {
    // One resolver per query: it uses the current system settings, and can be canceled independently.
    const resolver = new Resolver({ timeout: Math.max(1, Math.floor(timeoutMs / TRIES)), tries: TRIES });
    if (servers) resolver.setServers(servers);
    // c-ares increases the timeout with every try.
    const late = systemClock.setTimeout(() => resolver.cancel(), timeoutMs);
    try {
      const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
      const found = [v4, v6].flatMap((part) => (part.status === 'fulfilled' ? part.value : []));
      if (found.length > 0) return found;
      throw v4.status === 'rejected' ? v4.reason : new Error(`${host} has no address`);
    } finally {
      late.cancel();
    }
  };
}

/** Resolves by the system, including its hosts file: for host names that the operator has allowed. */
export const resolveBySystem: ResolveHost = async (host) => {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
};
