// The one way in which addresses that customers gave are called. On every attempt: the address is checked as it
// stands, every address that its name leads to is checked, a checked one is dialled (the name goes into Host and
// SNI only), and what is at the other end is looked at once more. No redirects, no proxies, bounded time and bytes.

import { isIP } from 'node:net';
import { systemClock } from '../../../shared/clock.js';
import { countOf } from '../../../shared/count.js';
import type { Stop } from '../../../shared/stop.js';
import { createConnectionPools } from './connection-pools.js';
import { type HttpAnswer, type HttpExchange, startPost } from './http-exchange.js';
import { createOwnAddresses } from './own-addresses.js';
import { mayDial, NOT_PUBLIC, type ReceiverRules, readPublicUrl } from './public-url.js';
import { type ResolveHost, resolveBySystem } from './resolve-host.js';

export interface PublicRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Breaks it off; what has been answered by then counts. */
  readonly stop?: Stop;
}

export type PublicAnswer =
  /** The body's first bytes only. */
  | ({ readonly kind: 'answered' } & HttpAnswer)
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
  /** Whether it is this machine's; by default its network interfaces say so. */
  readonly isOwnAddress?: (address: string) => boolean;
}

type Refused = Exclude<PublicAnswer, { kind: 'answered' }>;

const ADDRESSES_TRIED = 4;
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENETUNREACH', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

/**
 * @example
 * const publicFetch = createPublicFetch({ rules, resolve, timeoutMs: 10_000, bodyBytes: 4096 });
 * const answer = await publicFetch.post({ url, headers: {}, body: '{}' });
 */
export function createPublicFetch(options: PublicFetchOptions): PublicFetch {
  const { rules, timeoutMs, bodyBytes, isOwnAddress = createOwnAddresses() } = options;
  const pools = createConnectionPools(options);

  const addressesOf = (host: string): Promise<readonly string[]> => {
    if (isIP(host) > 0) return Promise.resolve([host]);
    const byOperator = rules.allowed.hasName(host) || (rules.allowLoopback && host === 'localhost');
    return byOperator ? resolveBySystem(host) : options.resolve(host);
  };

  /** Where to dial, or why nowhere. */
  const look = async (text: string): Promise<{ url: URL; addresses: readonly string[] } | Refused> => {
    const read = readPublicUrl(text, rules);
    if ('problem' in read) return { kind: 'forbidden', error: read.problem };
    const { url, host } = read;
    try {
      const addresses = await addressesOf(host);
      const open = addresses.every((address) => mayDial(address, host, rules, isOwnAddress));
      return open ? { url, addresses } : { kind: 'forbidden', error: NOT_PUBLIC };
    } catch (error) {
      return { kind: 'unreachable', error: `${host} cannot be resolved (${codeOf(error)})` };
    }
  };

  return {
    async problem(url) {
      const found = await look(url);
      return 'kind' in found ? found.error : null;
    },
    post: ({ url: text, headers, body, stop }) =>
      new Promise((resolve) => {
        let exchange: HttpExchange | null = null;
        let answered = false;
        let over = false;
        let off: (() => void) | null = null;
        const end = (answer: PublicAnswer) => {
          over = true;
          timer.cancel();
          off?.();
          exchange?.abort();
          resolve(answer);
        };
        const timer = systemClock.setTimeout(
          () =>
            end({ kind: 'unreachable', error: `no answer within ${countOf(timeoutMs / 1000, 'second')}` }),
          timeoutMs,
        );
        const onStop = () => (answered ? exchange?.abort() : end({ kind: 'unreachable', error: 'stopped' }));
        off = stop?.onStop(onStop) ?? null;
        const onStatus = () => {
          answered = true;
          timer.cancel();
        };
        const attempt = async (): Promise<PublicAnswer> => {
          const found = await look(text);
          if ('kind' in found) return found;
          const { url } = found;
          const tried = found.addresses.slice(0, ADDRESSES_TRIED);
          let problem = 'no answer';
          for (const address of over ? [] : tried) {
            const path = url.pathname + url.search;
            exchange = startPost(pools.of(url.origin, address), {
              ...{ path, headers, body, keepBytes: bodyBytes, onStatus },
            });
            try {
              return { kind: 'answered', ...(await exchange.answer) };
            } catch (error) {
              problem = `no answer (${codeOf(error)})`;
              if (over || !NOT_CONNECTED.has(codeOf(error))) break;
            }
          }
          return { kind: 'unreachable', error: problem };
        };
        void attempt().then((answer) => {
          if (!over) end(answer);
        });
      }),
    close: () => pools.close(),
  };
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
