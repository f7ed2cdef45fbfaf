// The one way in which addresses that customers gave are called. On every attempt: the address is checked as it
// stands, every address that its name leads to is checked, a checked one is dialled (the name goes into Host and
// SNI only), and what is at the other end is looked at once more. No redirects, no proxies, bounded time and bytes.
import type { Readable } from 'node:stream';
import ipaddr from 'ipaddr.js';
import { buildConnector, Pool } from 'undici';
import { isSameAddress } from './public-address.js';
import { hostOf, mayDial, NOT_PUBLIC, publicUrlProblem, type ReceiverRules } from './public-url.js';
import { type ResolveHost, resolveBySystem } from './resolve-host.js';

export interface PublicRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal?: AbortSignal;
}

export type PublicAnswer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      /** The first bytes only. */
      readonly body: Buffer;
    }
  /** The guard did not let it through; nothing was sent. */
  | { readonly kind: 'forbidden'; readonly error: string }
  /** No answer: name service, connection, TLS or time. */
  | { readonly kind: 'unreachable'; readonly error: string };

export interface PublicFetch {
  /** Why the address cannot be called, asking the name service too; null when it can. */
  problem(url: string): Promise<string | null>;
  post(request: PublicRequest): Promise<PublicAnswer>;
  close(): Promise<void>;
}

export interface PublicFetchOptions {
  readonly rules: ReceiverRules;
  readonly resolve: ResolveHost;
  /** From the question to the name service to the answer's status. */
  readonly timeoutMs: number;
  /** How much of an answer's body is kept. */
  readonly bodyBytes: number;
  /** Certificates that are trusted instead of the system's. */
  readonly ca?: string;
}

/** A longer body is cut off, and its connection with it. */
const LONGEST_BODY = 64 * 1024;
/** After the status; what has not come by then is not shown. */
const BODY_MS = 1_000;
/** Connections are kept as long as nearly every server keeps them, so that few are reused when they are closed. */
const KEEP_ALIVE_MS = 2_000;
const POOLS = 1_024;
const ADDRESSES_TRIED = 4;
/** One for all: making one with its stack for every request costs more than signing it. */
const OVER = new Error('over');
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENETUNREACH', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

/**
 * @example
 * const publicFetch = createPublicFetch({ rules, resolve, timeoutMs: 10_000, bodyBytes: 4096 });
 * const answer = await publicFetch.post({ url, headers: {}, body: '{}' });
 */
export function createPublicFetch(options: PublicFetchOptions): PublicFetch {
  const { rules, timeoutMs } = options;
  const pools = createPools(options);

  const addressesOf = (host: string): Promise<readonly string[]> => {
    if (ipaddr.isValid(host)) return Promise.resolve([host]);
    const byOperator = rules.allowed.hasName(host) || (rules.allowLoopback && host === 'localhost');
    return byOperator ? resolveBySystem(host) : options.resolve(host);
  };

  /** Addresses to dial, or why there are none. */
  const look = async (text: string): Promise<readonly string[] | PublicAnswer> => {
    const problem = publicUrlProblem(text, rules);
    if (problem !== null) return { kind: 'forbidden', error: problem };
    const host = hostOf(new URL(text));
    try {
      const found = await addressesOf(host);
      const open = found.every((address) => mayDial(address, host, rules));
      return open ? found : { kind: 'forbidden', error: NOT_PUBLIC };
    } catch (error) {
      return { kind: 'unreachable', error: `${host} cannot be resolved (${codeOf(error)})` };
    }
  };

  const send = async (request: PublicRequest, address: string, signal: AbortSignal, onStatus: () => void) => {
    const url = new URL(request.url);
    const answer = await pools.of(url.origin, address).request({
      ...{ method: 'POST', path: url.pathname + url.search, body: request.body, signal },
      headers: { ...request.headers },
    });
    onStatus();
    return {
      kind: 'answered',
      status: answer.statusCode,
      headers: textHeaders(answer.headers),
      body: await firstBytes(answer.body, options.bodyBytes),
    } as const;
  };

  const attempt = async (
    request: PublicRequest,
    signal: AbortSignal,
    onStatus: () => void,
  ): Promise<PublicAnswer> => {
    const addresses = await look(request.url);
    if (!isList(addresses)) return addresses;
    const tried = addresses.slice(0, ADDRESSES_TRIED);
    for (const [index, address] of tried.entries()) {
      try {
        return await send(request, address, signal, onStatus);
      } catch (error) {
        if (signal.aborted) break;
        const another = index < tried.length - 1 && NOT_CONNECTED.has(codeOf(error));
        if (!another) return { kind: 'unreachable', error: `no answer (${codeOf(error)})` };
      }
    }
    return { kind: 'unreachable', error: 'no answer' };
  };

  return {
    async problem(url) {
      const found = await look(url);
      if (isList(found)) return null;
      return found.kind === 'answered' ? null : found.error;
    },
    async post(request) {
      const timer = new AbortController();
      const timeout = setTimeout(() => timer.abort(OVER), timeoutMs);
      const late: Promise<PublicAnswer> = new Promise((resolve) => {
        timer.signal.addEventListener('abort', () =>
          resolve({ kind: 'unreachable', error: `no answer within ${timeoutMs / 1000} seconds` }),
        );
        const stop = () => {
          resolve({ kind: 'unreachable', error: 'stopped' });
          timer.abort(OVER);
        };
        if (request.signal?.aborted) stop();
        request.signal?.addEventListener('abort', stop, { once: true, signal: timer.signal });
      });
      try {
        return await Promise.race([attempt(request, timer.signal, () => clearTimeout(timeout)), late]);
      } finally {
        clearTimeout(timeout);
        // Also lets go of the caller's signal.
        timer.abort(OVER);
      }
    },
    close: () => pools.close(),
  };
}

const isList = <T>(value: readonly T[] | object): value is readonly T[] => Array.isArray(value);

/** Connections by origin and checked address: one that leads elsewhere is never taken up. */
function createPools({ ca, timeoutMs }: PublicFetchOptions) {
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
    of(origin: string, address: string): Pool {
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

function textHeaders(headers: Readonly<Record<string, string | string[] | undefined>>) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]): [string, string] => [name, [value ?? ''].flat().join(', ')]),
  );
}

async function firstBytes(body: Readable, keep: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const late = setTimeout(() => body.destroy(), BODY_MS);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (size < keep) chunks.push(chunk);
      size += chunk.length;
      if (size > LONGEST_BODY) break;
    }
  } catch {
    // The status has come, and with it the answer; the body is only shown to people.
  } finally {
    clearTimeout(late);
  }
  return Buffer.concat(chunks).subarray(0, keep);
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
