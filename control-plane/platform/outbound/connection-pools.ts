// Connections to receivers, by origin and checked address: one that leads elsewhere is never taken up.
import { buildConnector, Pool } from 'undici';
import { isSameAddress } from './public-address.js';

export interface ConnectionPools {
  /** @param address is dialled; the origin's name goes into Host and SNI only */
  of(origin: string, address: string): Pool;
  close(): Promise<void>;
}

/** Connections are kept as long as nearly every server keeps them, so that few are reused when they are closed. */
const KEEP_ALIVE_MS = 2_000;
const POOLS = 1_024;

/** @param ca certificates that are trusted instead of the system's */
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
      // The last one used is the last one in the map.
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
