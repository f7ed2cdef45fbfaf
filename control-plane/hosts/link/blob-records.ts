// The record format of contents sent to a host: a line `<sha256> <size>` followed by exactly size bytes.

import type { Readable } from 'node:stream';
import { isErrno } from '../../../shared/errno.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { LinkFiles } from '../app/link-ports.js';

/** Number of contents opened in advance, because opening a small one is mostly waiting. */
const OPENED_AHEAD = 8;

interface Opened {
  readonly sha256: string;
  readonly size: number;
  /** Null when the content is lost. */
  readonly stream: Readable | null;
}

/**
 * Yields the records in the order of the hashes. A lost content is the line `<sha256> gone`. When a content cannot be
 * read, fails after the ones before it.
 */
export async function* blobRecords(
  files: Pick<LinkFiles, 'openBlob'>,
  accountId: number,
  hashes: readonly string[],
): AsyncGenerator<Buffer, void, undefined> {
  const ahead: Promise<Opened>[] = [];
  let next = 0;
  const openMore = () => {
    for (const sha256 of hashes.slice(next, next + OPENED_AHEAD - ahead.length)) {
      const opened = files.openBlob(accountId, sha256).then(
        (blob): Opened => ({ sha256, ...blob }),
        (error: unknown): Opened => {
          if (!isLost(error)) throw error;
          return { sha256, size: 0, stream: null };
        },
      );
      // The error is handled when its turn comes.
      opened.catch(() => undefined);
      ahead.push(opened);
      next++;
    }
  };
  try {
    for (openMore(); ahead[0]; openMore()) {
      const { sha256, size, stream } = await ahead[0];
      yield Buffer.from(stream ? `${sha256} ${size}\n` : `${sha256} gone\n`);
      if (stream) yield* stream as AsyncIterable<Buffer>;
      ahead.shift();
    }
  } finally {
    // The host disconnected, or a content could not be read; one that failed to open has nothing to close.
    for (const opened of ahead)
      opened.then(
        ({ stream }) => stream?.destroy(),
        () => undefined,
      );
  }
}

/** No row, or no bytes. Other disk errors may be temporary. */
function isLost(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === 'not_found';
  return isErrno(error, 'ENOENT');
}
