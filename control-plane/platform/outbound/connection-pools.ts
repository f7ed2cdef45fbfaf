// Connection pools by origin and checked address. A connection to any other address is closed.
import { buildConnector, Pool } from 'undici';
import { isSameAddress } from './public-address.js';

export interface ConnectionPools {
  /** @param address the address to connect to; the host of the origin is used for Host and SNI only */
  of(origin: string, address: string): Pool;
  close(): Promise<void>;
}

/** Shorter than the keep-alive of nearly all servers, so that a reused connection is rarely closed already. */
const KEEP_ALIVE_MS = 2_000;
const POOLS = 1_024;

/** @param ca trusted certificates, instead of those of the system */
export function createConnectionPools({
  ca,
  timeoutMs,
}: {
  ca?: string | undefined;
  timeoutMs: number;
}): ConnectionPools {
  const pools = new Map<string, Pool>();
  const connector = buildConnector({ timeout: timeoutMs, ...(ca === undefined ? {} : { ca }) });
  const make = (origin: string, address: string) =>
    new Pool(origin, {
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      connect: (target, callback) => {
        connector({ ...target, hostname: address }, (error, socket) => {
          if (error) return callback(error, null);
          if (isSameAddress(socket.remoteAddress ?? '', address)) return callback(null, socket);
          socket.destroy();
          callback(new Error('connected to another address than was checked'), null);
        });
      },
    });
  return {
    of(origin, address) {
      const key = `${origin} ${address}`;
      const pool = pools.get(key) ?? make(origin, address);
      // Reinsert, so that the map is ordered by last use.
      pools.delete(key);
      pools.set(key, pool);
      if (pools.size > POOLS) {
        for (const [oldest, unused] of pools) {
          pools.delete(oldest);
          void unused.close();
          break;
        }
      }
      return pool;
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}
