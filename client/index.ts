// Public face of `cidermill/client`: runs in Node 20 and later and in bundlers, with nothing but fetch.
export { hasEnded } from './api/builds.js';
export { BAD_RESPONSE, CidermillError, UNREACHABLE } from './cidermill-error.js';
export { type Client, type ClientOptions, createClient } from './create-client.js';
export type { CallOptions } from './http/exchange.js';
export type { FetchLike, ResponseLike, SendBody, SendInit } from './http/fetch-like.js';
export type { RetryPolicy } from './http/retry.js';
export type * from './types.js';
