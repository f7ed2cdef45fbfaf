// The gzip of blob records: each a line `<sha256> <size>` and exactly that many bytes.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { promisify } from 'node:util';
import { createGzip, gzip, gzipSync } from 'node:zlib';
import { isErrno } from '../../shared/errno.js';
import { hashFile } from '../files/hash-file.js';
import type { ScannedFile } from '../files/scan.js';
import { type Compression, gzipOptions } from './manifest.js';

const PACKED_HERE_BYTES = 128 * 1024;

/** A file's content differs from the manifest. */
export class FileChanged extends Error {
  override readonly name = 'FileChanged';
  readonly file: string;
  constructor(file: string) {
    super(`${file} changed while it was being sent`);
    this.file = file;
  }
}

/**
 * The body for a few small files.
 *
 * @throws FileChanged when a content no longer matches its hash
 */
export async function packBlobs(
  dir: string,
  batch: readonly ScannedFile[],
  compression: Compression,
): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  for (const file of batch) {
    const content = file.content ?? contentOf(dir, file);
    parts.push(Buffer.from(`${file.sha256} ${file.size}\n`, 'latin1'), content);
  }
  const records = Buffer.concat(parts);
  // For a few bytes, compressing here is faster than in another thread.
  if (records.length < PACKED_HERE_BYTES) return gzipSync(records, gzipOptions(compression));
  return promisify(gzip)(records, gzipOptions(compression));
}

function contentOf(dir: string, file: ScannedFile): Buffer {
  const now = hashFile(`${dir}/${file.name}`, file.size);
  if (!now?.content || now.sha256 !== file.sha256) throw new FileChanged(file.name);
  return now.content;
}

/** The body for one large file, read while it is sent; fails with {@link FileChanged} if it has changed. */
export async function* streamBlob(
  dir: string,
  file: ScannedFile,
  compression: Compression,
): AsyncGenerator<Uint8Array, void, undefined> {
  const gzipped = createGzip(gzipOptions(compression));
  const source = createReadStream(`${dir}/${file.name}`, { highWaterMark: 256 * 1024 });
  const fill = async () => {
    const hash = createHash('sha256');
    let size = 0;
    gzipped.write(`${file.sha256} ${file.size}\n`);
    for await (const chunk of source as AsyncIterable<Buffer>) {
      hash.update(chunk);
      size += chunk.length;
      if (size > file.size) break;
      if (!gzipped.write(chunk)) await new Promise((resolve) => gzipped.once('drain', resolve));
    }
    if (size !== file.size || hash.digest('hex') !== file.sha256) throw new FileChanged(file.name);
    gzipped.end();
  };
  fill().catch((error: unknown) => {
    const gone = isErrno(error, 'ENOENT');
    gzipped.destroy(gone || !(error instanceof Error) ? new FileChanged(file.name) : error);
  });
  try {
    yield* gzipped;
  } finally {
    source.destroy();
    gzipped.destroy();
  }
}
