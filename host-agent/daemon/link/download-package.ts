// Downloads a package of the host agent from the control plane; continues an interrupted download.
import { createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { backoffMs } from '../../../shared/backoff.js';
import type { Clock } from '../../../shared/clock.js';
import { errnoOf, isErrno } from '../../../shared/errno.js';
import type { Log } from '../../../shared/log.js';
import { pause } from '../../../shared/pause.js';
import type { DesiredAgent } from '../../../shared/protocol/index.js';
import { AnswerError, type LinkAddress, linkRequest } from '../../system/request.js';

const MOST_SUMS_BYTES = 1024 ** 2;
const RETRY = { baseMs: 500, maxMs: 15_000 };

export interface PackageDownload {
  readonly address: () => LinkAddress;
  readonly wanted: DesiredAgent;
  /** Continued if it exists; complete when the download resolves. Its checksum is not verified here. */
  readonly file: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Retries until `signal` aborts; rejects at once when the control plane refuses, or the file cannot be written. */
export function downloadPackage(download: PackageDownload): Promise<void> {
  const { wanted, file } = download;
  return retrying(download, wanted.name, async () => {
    const present = await sizeOf(file);
    if (present === wanted.bytes) return;
    if (present > wanted.bytes) await rm(file);
    await continueFrom(download, present > wanted.bytes ? 0 : present);
    if ((await sizeOf(file)) < wanted.bytes) throw new Error(`${wanted.name} is shorter than ${wanted.bytes} bytes`);
  });
}

/**
 * Downloads the checksums of all packages, and their signature. Retries as `downloadPackage` does.
 *
 * @throws AnswerError with status 404 when the service has no signature
 */
export async function downloadSums(
  download: PackageDownload,
): Promise<{ readonly sums: Buffer; readonly signature: string }> {
  const fetchOne = (name: string) =>
    retrying(download, name, async () => {
      const answer = await linkRequest(download.address(), {
        method: 'GET',
        path: `/packages/${name}`,
        signal: download.signal,
      });
      const pieces: Buffer[] = [];
      let bytes = 0;
      for await (const piece of answer.body as AsyncIterable<Buffer>) {
        bytes += piece.length;
        if (bytes > MOST_SUMS_BYTES) throw new LongerPackageError({ name, bytes: MOST_SUMS_BYTES });
        pieces.push(piece);
      }
      return Buffer.concat(pieces);
    });
  const sums = await fetchOne('SHA256SUMS');
  return { sums, signature: (await fetchOne('SHA256SUMS.minisig')).toString() };
}

async function retrying<T>({ clock, signal, log }: PackageDownload, name: string, work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (isPermanent(error)) throw error;
      const wait_ms = backoffMs(attempt, RETRY);
      log.warn({ err: error, package: name, wait_ms }, 'the download of a package was interrupted');
      await pause(clock, wait_ms, signal);
    }
  }
}

async function continueFrom({ address, wanted, file, signal }: PackageDownload, from: number): Promise<void> {
  const answer = await linkRequest(address(), {
    method: 'GET',
    path: `/packages/${wanted.name}`,
    signal,
    headers: from === 0 ? {} : { range: `bytes=${from}-` },
  });
  const continued = answer.status === 206;
  let left = wanted.bytes - (continued ? from : 0);
  const bounded = new Transform({
    transform(piece: Buffer, _encoding, done) {
      left -= piece.length;
      done(left < 0 ? new LongerPackageError(wanted) : null, piece);
    },
  });
  const into = createWriteStream(file, { flags: continued ? 'a' : 'w', mode: 0o600 });
  try {
    await pipeline(answer.body, bounded, into, { signal });
  } catch (error) {
    // The pipeline ends before the file is closed, and even before it is made.
    if (!into.closed) await new Promise<void>((closed) => into.once('close', () => closed()));
    if (error instanceof LongerPackageError) await rm(file, { force: true });
    throw error;
  }
}

class LongerPackageError extends Error {
  constructor({ name, bytes }: Pick<DesiredAgent, 'name' | 'bytes'>) {
    super(`${name} is longer than ${bytes} bytes`);
  }
}

/** Not the connection's errors, and not answers that may change. */
function isPermanent(error: unknown): boolean {
  if (error instanceof AnswerError) return !error.temporary;
  return (
    error instanceof LongerPackageError || ['ENOSPC', 'EDQUOT', 'EACCES', 'EROFS', 'EIO'].includes(errnoOf(error) ?? '')
  );
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return 0;
    throw error;
  }
}
