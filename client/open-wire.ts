// Options of a client, and the connection settings that its requests share.
import { type Clock, systemClock } from '../shared/clock.js';
import type { Wire } from './http/exchange.js';
import { type FetchLike, platformFetch } from './http/fetch-like.js';
import { defaultRetry, type RetryPolicy } from './http/retry.js';

export interface ClientOptions {
  /** The service's base_url, for example `https://macs.example.com/api/v1`; a bare origin gets `/api/v1`. */
  url: string;
  /** An API key (`cm_…`). */
  key: string;
  /** Address of the console's API; by default `runner` beside the version segment of `url`. */
  runnerUrl?: string;
  fetch?: FetchLike;
  gzip?: (data: Uint8Array) => Promise<Uint8Array>;
  retry?: Partial<RetryPolicy>;
  /** Timeout in ms without any progress (default 60,000); long polls add their waiting time. */
  timeoutMs?: number;
  /** Appended to `cidermill-client` in the User-Agent. Without it no User-Agent is set, as browsers require. */
  userAgent?: string;
  clock?: Clock;
  /** Generates Idempotency-Keys; default: random UUIDs. */
  randomId?: () => string;
  /** Source of the random part of delays, 0 to 1. */
  random?: () => number;
}

/** @throws TypeError when `url` is not an http or https address */
export function openWire(options: ClientOptions): Wire {
  const baseUrl = baseUrlOf(options.url);
  return {
    baseUrl,
    runnerUrl: (options.runnerUrl ?? baseUrl.replace(/\/[^/]*$/, '/runner')).replace(/\/+$/, ''),
    key: options.key,
    userAgent: options.userAgent ? `cidermill-client ${options.userAgent}` : null,
    fetch: options.fetch ?? platformFetch,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    randomId: options.randomId ?? (() => crypto.randomUUID()),
    retry: { ...defaultRetry, ...options.retry },
    timeoutMs: options.timeoutMs ?? 60_000,
  };
}

/** Normalizes a service address: removes a trailing slash, and appends the version segment to a bare origin. */
export function baseUrlOf(url: string): string {
  if (!/^https?:\/\//i.test(url)) throw new TypeError('expected an address that begins with http:// or https://');
  const parsed = new URL(url);
  const path = parsed.pathname.replace(/\/+$/, '');
  return `${parsed.origin}${path === '' ? '/api/v1' : path}`;
}
