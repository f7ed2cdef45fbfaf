// Sends missing contents: a few requests in parallel, and after a failure only what is still missing.

import { backoffMs } from '../../shared/backoff.js';
import type { Clock } from '../../shared/clock.js';
import { pause } from '../../shared/pause.js';
import type { BuildClient } from '../build-client.js';
import { CidermillError } from '../cidermill-error.js';
import type { Scan, ScannedFile } from '../files/scan.js';
import type { CallOptions } from '../http/exchange.js';
import { type OnWait, RATE_LIMITED } from '../http/retry.js';
import { packBlobs, streamBlob } from './blob-body.js';
import type { Compression } from './manifest.js';

const PARALLEL = 3;
/** Consecutive failures without progress after which sending fails. */
const FRUITLESS_ROUNDS = 5;

export interface SendOptions {
  compression: Compression;
  clock: Clock;
  signal?: AbortSignal | undefined;
  /** Called with the bytes (of files, before compression) that were stored since the last call. */
  onSent?: ((bytes: number) => void) | undefined;
  /** Called before the wait that follows a failed round, with its length in ms. */
  onWait?: OnWait | undefined;
}

/**
 * Sends the contents named by `missing` until the service has them all.
 *
 * @throws FileChanged when a file is not what the manifest says; CidermillError when the service cannot be
 *   reached for long, or refuses
 */
export async function sendBlobs(
  client: BuildClient,
  uploadId: string,
  scan: Scan,
  missing: readonly string[],
  options: SendOptions,
): Promise<void> {
  let left = missing;
  for (let fruitless = 0; left.length > 0; ) {
    const failure = await sendRound(client, uploadId, scan, left, options);
    if (failure && !failure.retryable) throw failure;
    const before = left.length;
    if (failure) {
      // Other uploads of the account may use up its limit. Waiting for them does not count as a failed attempt.
      if (failure.code !== RATE_LIMITED) fruitless++;
      const askedMs = (failure.retryAfterS ?? 0) * 1000;
      const waitMs = askedMs + backoffMs(fruitless, { baseMs: 250, maxMs: 10_000 });
      options.onWait?.(failure, waitMs);
      await pause(options.clock, waitMs, options.signal);
    }
    left = failure ? await missingOf(client, uploadId, callOptions(options)) : [];
    if (left.length < before) fruitless = 0;
    if (failure && fruitless >= FRUITLESS_ROUNDS) throw failure;
  }
}

/** Reads the missing contents page by page; `after`: of an earlier page, `missing_next`. */
export async function missingOf(
  client: BuildClient,
  uploadId: string,
  options: CallOptions,
  after: string | null = null,
): Promise<string[]> {
  const missing: string[] = [];
  for (let next = after, first = after === null; first || next !== null; first = false) {
    const page = await client.uploads.get(uploadId, next === null ? options : { ...options, missingAfter: next });
    missing.push(...page.missing);
    // Undefined: a service from before there were pages.
    next = page.missing_next ?? null;
  }
  return missing;
}

/** Sends everything once; returns the first failure that another round may resolve. */
async function sendRound(
  client: BuildClient,
  uploadId: string,
  scan: Scan,
  missing: readonly string[],
  options: SendOptions,
): Promise<CidermillError | null> {
  const batches = blobBatches(scan.files, missing);
  let failure: CidermillError | null = null;
  let stopped = false;
  const work = async () => {
    for (let batch = batches.shift(); batch && !stopped; batch = batches.shift()) {
      try {
        const body = await bodyOf(scan, batch, options.compression);
        // Not retried as it is: the next round first asks which contents have arrived.
        await client.uploads.blobs(uploadId, body, { ...callOptions(options), retry: { attempts: 1 } });
        options.onSent?.(batch.reduce((sum, file) => sum + file.size, 0));
      } catch (error) {
        stopped = true;
        if (!(error instanceof CidermillError)) throw error;
        failure = error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, batches.length) }, work));
  return failure;
}

async function bodyOf(scan: Scan, batch: ScannedFile[], compression: Compression) {
  if (isLarge(batch)) return () => streamBlob(scan.dir, batch[0]!, compression);
  const packed = await packBlobs(scan.dir, batch, compression);
  return () => packed;
}

const callOptions = (options: SendOptions) => (options.signal ? { signal: options.signal } : {});

/** Contents of one request. Larger files are sent alone, as a stream. */
const BATCH_BYTES = 4 * 1024 * 1024;
const BATCH_FILES = 500;

/** One file per missing content, in batches of at most 4 MiB or 500 files, or a single larger file. */
function blobBatches(files: readonly ScannedFile[], missing: Iterable<string>): ScannedFile[][] {
  const wanted = new Set(missing);
  const batches: ScannedFile[][] = [];
  let batch: ScannedFile[] = [];
  let bytes = 0;
  for (const file of files) {
    if (!wanted.delete(file.sha256)) continue;
    if (batch.length > 0 && (bytes + file.size > BATCH_BYTES || batch.length >= BATCH_FILES)) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(file);
    bytes += file.size;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

/** True for a batch that must not be held in memory whole. */
function isLarge(batch: readonly ScannedFile[]): boolean {
  return batch[0]!.size > BATCH_BYTES;
}
