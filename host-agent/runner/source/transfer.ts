// Gets contents from the cache or from the control plane and writes them into the work folder.

import { createHash, hash } from 'node:crypto';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { hostFailure } from '../../../shared/messages/host-failures.js';
import type { SourceFile } from '../../../shared/protocol/index.js';
import type { ContentCache } from '../../caches/content-cache.js';
import { waitToRetry } from '../../caches/retry.js';
import type { SourceStep } from '../../caches/source-step.js';
import { BuildStepError } from '../../contract/build-step-error.js';
import { takeTurns } from '../../system/turns.js';
import {
  type BlobRecord,
  ContentGoneError,
  readBlobRecords,
  TransferError,
  WrongContentError,
} from './blob-records.js';
import type { SourceFetcher } from './port.js';
import { setStamp } from './work-index.js';
import { replaceFile, replaceWithClone } from './write-files.js';

const EMPTY = Buffer.alloc(0);

/** A content to write, and the rows of the manifest that have it. */
interface Wanted {
  sha256: string;
  size: number;
  rows: number[];
}

export interface Transfer {
  step: SourceStep;
  fetcher: SourceFetcher;
  cache: ContentCache;
  files: readonly SourceFile[];
  /** Receives the stamps of written files. */
  stamps: Float64Array;
}

/**
 * Asks for a manifest until there is one.
 *
 * @throws BuildStepError (source_unavailable) when the control plane stays out of reach
 */
export async function fetchManifest<T>(step: SourceStep, ask: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      // The response was complete, but not a manifest.
      if (error instanceof z.ZodError || error instanceof SyntaxError) throw unavailable(error);
      await retryOrThrow(step, attempt, error);
    }
  }
}

/**
 * Writes the given rows of the manifest; their parents are real folders already.
 *
 * @throws BuildStepError (source_unavailable) when the control plane cannot be reached or does not have a content
 */
export async function writeContents(transfer: Transfer, rows: readonly number[]): Promise<void> {
  const missing = new Map<string, Wanted>();
  const turn = takeTurns(transfer.step.signal, 64);
  for (const wanted of byContent(transfer.files, rows)) {
    await turn();
    if (!(await writeFromCache(transfer, wanted))) missing.set(wanted.sha256, wanted);
  }
  let wrongAnswers = 0;
  for (let attempt = 0; missing.size > 0; ) {
    const before = missing.size;
    try {
      await receive(transfer, missing);
      if (missing.size === before) throw new TransferError('the transfer was empty');
      attempt = 0;
    } catch (error) {
      if (error instanceof ContentGoneError) throw wrongSources(error);
      // An error of writing is not an error of the transfer.
      if (!(error instanceof TransferError)) throw error;
      if (error instanceof WrongContentError && ++wrongAnswers >= transfer.step.limits.transferWrongAnswers)
        throw wrongSources(error);
      if (missing.size < before) attempt = 0;
      await retryOrThrow(transfer.step, attempt, error);
      attempt += 1;
    }
  }
}

function byContent(files: readonly SourceFile[], rows: readonly number[]): Iterable<Wanted> {
  const contents = new Map<string, Wanted>();
  for (const row of rows) {
    const file = files[row]!;
    const known = contents.get(file.sha256);
    if (known) known.rows.push(row);
    else contents.set(file.sha256, { sha256: file.sha256, size: file.size, rows: [row] });
  }
  return contents.values();
}

async function writeFromCache(transfer: Transfer, wanted: Wanted): Promise<boolean> {
  const { cache, step } = transfer;
  if (wanted.size <= step.limits.smallContentBytes) {
    const content = wanted.size === 0 ? EMPTY : cache.bytes(wanted.sha256, wanted.size);
    if (content) await writeSmall(transfer, wanted, content);
    return content !== null;
  }
  const from = await cache.file(wanted.sha256, wanted.size, step.signal);
  if (from) await writeLarge(transfer, wanted, from);
  return from !== null;
}

async function writeSmall({ step, files, stamps }: Transfer, wanted: Wanted, content: Buffer): Promise<void> {
  for (const row of wanted.rows) {
    const { path, mode } = files[row]!;
    setStamp(stamps, row, await replaceFile(`${step.workDir}/${path}`, content, mode, step.signal));
  }
}

async function writeLarge({ step, files, stamps }: Transfer, wanted: Wanted, from: string): Promise<void> {
  for (const row of wanted.rows) {
    const { path, mode } = files[row]!;
    setStamp(stamps, row, await replaceWithClone(from, `${step.workDir}/${path}`, mode, step.signal));
  }
}

/** Sends one request; complete contents are written and removed from `missing`. */
async function receive(transfer: Transfer, missing: Map<string, Wanted>): Promise<void> {
  const stream = await request(transfer, [...missing.values()]);
  for await (const record of readBlobRecords(stream)) {
    const wanted = missing.get(record.sha256);
    if (wanted?.size !== record.size)
      throw new WrongContentError('the transfer contained something that was not requested');
    if (record.size <= transfer.step.limits.smallContentBytes) await receiveSmall(transfer, wanted, record);
    else await receiveLarge(transfer, wanted, record);
    missing.delete(record.sha256);
  }
}

async function request({ step, fetcher }: Transfer, missing: readonly Wanted[]): Promise<Readable> {
  const { blobsPerRequest, blobBytesPerRequest } = step.limits;
  const hashes: string[] = [];
  let bytes = 0;
  for (const { sha256, size } of missing) {
    if (hashes.length > 0 && (hashes.length >= blobsPerRequest || bytes + size > blobBytesPerRequest)) break;
    hashes.push(sha256);
    bytes += size;
  }
  try {
    return await fetcher.blobs(hashes, step.signal);
  } catch (cause) {
    if (cause instanceof BuildStepError) throw cause;
    throw new TransferError('the contents could not be requested', { cause });
  }
}

async function receiveSmall(transfer: Transfer, wanted: Wanted, record: BlobRecord): Promise<void> {
  const content = await record.bytes();
  if (hash('sha256', content, 'hex') !== wanted.sha256) throw damaged();
  await writeSmall(transfer, wanted, content);
  transfer.cache.put(wanted.sha256, content);
}

async function receiveLarge(transfer: Transfer, wanted: Wanted, record: BlobRecord): Promise<void> {
  const path = transfer.cache.incoming();
  try {
    const sum = createHash('sha256');
    const fd = openSync(path, 'wx', 0o600);
    try {
      for await (const piece of record.pieces()) {
        sum.update(piece);
        for (let at = 0; at < piece.length; ) at += writeSync(fd, piece, at);
      }
    } finally {
      closeSync(fd);
    }
    if (sum.digest('hex') !== wanted.sha256) throw damaged();
    await writeLarge(transfer, wanted, path);
    transfer.cache.adopt(path, wanted.sha256, wanted.size);
  } finally {
    // Already moved if it was added to the cache.
    rmSync(path, { force: true });
  }
}

function damaged(): TransferError {
  return new WrongContentError('a content was damaged in transfer');
}

async function retryOrThrow(step: SourceStep, attempt: number, error: unknown): Promise<void> {
  step.signal.throwIfAborted();
  if (error instanceof BuildStepError) throw error;
  if (attempt + 1 >= step.limits.transferAttempts) {
    throw unavailable(error);
  }
  if (attempt === 0) step.say('The connection to the service broke while fetching sources; trying again.');
  await waitToRetry(step, attempt);
}

function unavailable(cause: unknown): BuildStepError {
  const message = hostFailure('upload_not_fetched');
  return new BuildStepError('source', 'source_unavailable', 'platform', message, { cause });
}

function wrongSources(cause: Error): BuildStepError {
  const message = hostFailure('upload_damaged', { reason: cause.message });
  return new BuildStepError('source', 'source_unavailable', 'platform', message, { cause });
}
