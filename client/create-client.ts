import { type Clock, systemClock } from '../shared/clock.js';
import { type AccountApi, accountApi } from './api/account.js';
import { type BuildsApi, buildsApi } from './api/builds.js';
import { type ErrorsApi, errorsApi } from './api/errors.js';
import { type FilesApi, filesApi } from './api/files.js';
import { type JobsApi, jobsApi } from './api/jobs.js';
import { type SecretsApi, secretsApi } from './api/secrets.js';
import { type UploadsApi, uploadsApi } from './api/uploads.js';
import { gzip } from './gzip.js';
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

/** See {@link createClient}. */
export interface Client extends AccountApi {
  readonly uploads: UploadsApi;
  readonly builds: BuildsApi;
  readonly secrets: SecretsApi;
  readonly errors: ErrorsApi;
  readonly jobs: JobsApi;
  readonly files: FilesApi;
  /** Addresses in use, normalised. */
  readonly baseUrl: string;
  readonly runnerUrl: string;
}

/**
 * A client of the agent API and of the files of the runner API.
 *
 * Every method throws a `CidermillError`. Errors that the service calls retryable, and lost connections,
 * are repeated with growing random waits before they are thrown; POSTs carry an Idempotency-Key, so a
 * repetition never does the work twice.
 *
 * @throws TypeError when `url` is not an http or https address
 * @example
 * const client = createClient({ url: 'http://127.0.0.1:8460/api/v1', key: 'cm_…' });
 * const build = await client.builds.create({ repo: 'acme/app', script: 'make test' });
 * for await (const { data } of client.builds.log.follow(build.id)) process.stdout.write(data);
 * const { status, exit_code } = await client.builds.waitUntilEnded(build.id);
 */
export function createClient(options: ClientOptions): Client {
  const baseUrl = baseUrlOf(options.url);
  const wire: Wire = {
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
  return {
    ...accountApi(wire),
    uploads: uploadsApi(wire, options.gzip ?? gzip),
    builds: buildsApi(wire),
    secrets: secretsApi(wire),
    errors: errorsApi(wire),
    jobs: jobsApi(wire),
    files: filesApi(wire),
    baseUrl: wire.baseUrl,
    runnerUrl: wire.runnerUrl,
  };
}

/** Normalises a service address: no trailing slash, and the version segment when only an origin is given. */
export function baseUrlOf(url: string): string {
  const parsed = new URL(url);
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') {
    throw new TypeError(`the service's address must begin with http:// or https://, not ${parsed.protocol}`);
  }
  const path = parsed.pathname.replace(/\/+$/, '');
  return `${parsed.origin}${path === '' ? '/api/v1' : path}`;
}
