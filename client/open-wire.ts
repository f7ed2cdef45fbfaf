// What a client is told once, and the wire that all of its requests share.
import { type Clock, systemClock } from '../shared/clock.js';
import type { Wire } from './http/exchange.js';
import { type FetchLike, platformFetch } from './http/fetch-like.js';
import { defaultRetry, type RetryPolicy } from './http/retry.js';

export interface ClientOptions {
  /** The service's base_url, for example `https://macs.example.com/api/v1`; a bare origin gets `/api/v1`. */
  url: string;
  /** An API key (`cm_…`). */
  key: string;
  /** Address of family B; by default `runner` beside the version segment of `url`. */
  runnerUrl?: string;
  fetch?: FetchLike;
  gzip?: (data: Uint8Array) => Promise<Uint8Array>;
  retry?: Partial<RetryPolicy>;
  /** Longest silence before an answer, in ms (default 60,000); long polls get their time on top. */
  timeoutMs?: number;
  /** Added to `cidermill-client` in the User-Agent; browsers do not let it be set, so none is sent without. */
  userAgent?: string;
  clock?: Clock;
  /** Makes Idempotency-Keys; by default random UUIDs. */
  randomId?: () => string;
  /** Source of the random part of waits, 0 to 1. */
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

/** Normalises a service address: no trailing slash, and the version segment when only an origin is given. */
export function baseUrlOf(url: string): string {
  if (!/^https?:\/\//i.test(url))
    throw new TypeError('expected an address that begins with http:// or https://');
  const parsed = new URL(url);
  const path = parsed.pathname.replace(/\/+$/, '');
  return `${parsed.origin}${path === '' ? '/api/v1' : path}`;
}
