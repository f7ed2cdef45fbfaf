// Asks the name service for all addresses of a host.

import { lookup, Resolver } from 'node:dns/promises';
import { systemClock } from '../../../shared/clock.js';

/** Every address, IPv4 first; rejects when there is none. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

const TRIES = 2;

/**
 * Asks the name servers directly (A and AAAA): the system's own call would occupy a thread of the pool on which
 * files are read, so that a receiver with a dead name server slowed everybody down.
 *
 * @param servers default: the system's
 */
export function createPublicResolver(options: {
  timeoutMs: number;
  servers?: readonly string[];
}): ResolveHost {
  const { timeoutMs, servers } = options;
  return async (host) => {
    // One for each question: it reads the system's settings as they are now, and can be cancelled alone.
    const resolver = new Resolver({ timeout: Math.max(1, Math.floor(timeoutMs / TRIES)), tries: TRIES });
    if (servers) resolver.setServers(servers);
    // c-ares waits longer at every further try.
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

/** As the system does it, with its hosts file: for names that the operator has chosen. */
export const resolveBySystem: ResolveHost = async (host) => {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
};
