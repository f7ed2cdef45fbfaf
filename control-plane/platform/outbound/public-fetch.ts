// Sends requests to URLs given by customers; protects against SSRF. Every attempt checks the URL, checks all addresses
// that its host resolves to, connects to a checked address (the host name is used for Host and SNI only), and checks
// the remote address of the connection. No redirects, no proxies; time and bytes are limited.

import { isIP } from 'node:net';
import { systemClock } from '../../../shared/clock.js';
import { deliveryError } from '../../../shared/messages/delivery-errors.js';
import type { Message } from '../../../shared/messages/message.js';
import type { Stop } from '../../../shared/stop.js';
import { type HttpAnswer, type HttpExchange, startPost } from './http-exchange.js';
import { createPinnedAgent } from './pinned-agent.js';
import { createOwnAddresses } from './public-address.js';
import { mayDial, NOT_PUBLIC, type ReceiverRules, readPublicUrl } from './public-url.js';
import { type ResolveHost, resolveBySystem } from './resolve-host.js';

export interface PublicRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Aborts the request. A response whose status has arrived is still returned. */
  readonly stop?: Stop;
}

export type PublicAnswer =
  /** `body` contains the first bytes only. */
  | ({ readonly kind: 'answered' } & HttpAnswer)
  /** The URL or one of its addresses is not allowed; nothing was sent. */
  | { readonly kind: 'forbidden'; readonly error: Message }
  /** No response: DNS, connection or TLS error, or timeout. */
  | { readonly kind: 'unreachable'; readonly error: Message };

export type PublicFetch = ReturnType<typeof createPublicFetch>;

export interface PublicFetchOptions {
  readonly rules: ReceiverRules;
  readonly resolve: ResolveHost;
  /** From the DNS query to the status of the response. */
  readonly timeoutMs: number;
  /** Maximum bytes of a response body to keep. */
  readonly bodyBytes: number;
  /** Trusted certificates, instead of those of the system. */
  readonly ca?: string;
  /** Returns whether the address belongs to this machine. Default: checks the network interfaces. */
  readonly isOwnAddress?: (address: string) => boolean;
}

type Refused = Exclude<PublicAnswer, { kind: 'answered' }>;

const ADDRESSES_TRIED = 4;
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENETUNREACH', 'EHOSTUNREACH']);

/**
 * @example
 * const publicFetch = createPublicFetch({ rules, resolve, timeoutMs: 10_000, bodyBytes: 4096 });
 * const answer = await publicFetch.post({ url, headers: {}, body: '{}' });
 */
export function createPublicFetch(options: PublicFetchOptions) {
  const { rules, timeoutMs, bodyBytes, isOwnAddress = createOwnAddresses() } = options;
  const agent = createPinnedAgent(options);

  const addressesOf = (host: string): Promise<readonly string[]> => {
    if (isIP(host) > 0) return Promise.resolve([host]);
    const byOperator =
      rules.unrestricted || rules.allowed.hasName(host) || (rules.allowLoopback && host === 'localhost');
    return byOperator ? resolveBySystem(host) : options.resolve(host);
  };

  /** Returns the addresses to connect to, or why there are none. */
  const look = async (text: string): Promise<{ url: URL; addresses: readonly string[] } | Refused> => {
    const read = readPublicUrl(text, rules);
    if ('problem' in read) return { kind: 'forbidden', error: read.problem };
    const { url, host } = read;
    try {
      const addresses = await addressesOf(host);
      const open = addresses.every((address) => mayDial(address, host, rules, isOwnAddress));
      return open ? { url, addresses } : { kind: 'forbidden', error: NOT_PUBLIC };
    } catch (error) {
      return unreachable(deliveryError('name_not_resolved', { host, reason: codeOf(error) }));
    }
  };

  return {
    /** Returns why the URL cannot be called, or null if it can. Resolves the host name. */
    async problem(url: string): Promise<Message | null> {
      const found = await look(url);
      return 'kind' in found ? found.error : null;
    },
    post: ({ url: text, headers, body, stop }: PublicRequest): Promise<PublicAnswer> =>
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
          () => end(unreachable(deliveryError('no_answer_in_time', { seconds: timeoutMs / 1000 }))),
          timeoutMs,
        );
        const onStop = () => (answered ? exchange?.abort() : end(unreachable(deliveryError('stopped'))));
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
          let answer = unreachable(deliveryError('no_answer'));
          for (const address of over ? [] : tried) {
            try {
              exchange = startPost(agent, { address, url, headers, body, keepBytes: bodyBytes, onStatus });
              return { kind: 'answered', ...(await exchange.answer) };
            } catch (error) {
              answer = unreachable(deliveryError('no_answer_because', { reason: codeOf(error) }));
              if (over || !NOT_CONNECTED.has(codeOf(error))) break;
            }
          }
          return answer;
        };
        void attempt().then((answer) => {
          if (!over) end(answer);
        });
      }),
    async close(): Promise<void> {
      agent.destroy();
    },
  };
}

const unreachable = (error: Message): Refused => ({ kind: 'unreachable', error });

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
