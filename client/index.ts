// Public exports of `cidermill/client`, which runs in Node 20 and later and in bundles, and needs only fetch.
export { hasEnded } from './api/builds.js';
export { jobHasEnded } from './api/jobs.js';
export type { MacTarget } from './api/maintenance.js';
export { isSettled } from './api/orders.js';
export type { Upload } from './api/uploads.js';
export { BAD_RESPONSE, CidermillError, UNREACHABLE } from './cidermill-error.js';
export { type Client, createClient } from './create-client.js';
export type { CallOptions } from './http/exchange.js';
export type { FetchLike, ResponseLike, SendBody, SendInit } from './http/fetch-like.js';
export type { RetryPolicy } from './http/retry.js';
export type { ClientOptions } from './open-wire.js';
export type * from './types.js';
export type * from './types.js';
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
} from './verify-webhook.js';
