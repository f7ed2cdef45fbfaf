// Contents on their way to a host, as records: a line `<sha256> <size>` followed by exactly size bytes.

import type { Readable } from 'node:stream';
import { isErrno } from '../../../shared/errno.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { LinkFiles } from '../app/link-ports.js';

/** Contents that are opened before their turn: opening a small one is mostly waiting. */
const OPENED_AHEAD = 8;

interface Opened {
  readonly sha256: string;
  readonly size: number;
  /** Null when the service has lost the content. */
  readonly stream: Readable | null;
}

/**
 * In the order of the hashes. A content that the service has lost is the line `<sha256> gone`. Fails where a content
 * cannot be read, after what came before it.
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
      // Whoever awaits it in its turn is told.
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
    // The host went away, or a content could not be read; one that failed to open has nothing to close.
    for (const opened of ahead)
      opened.then(
        ({ stream }) => stream?.destroy(),
        () => undefined,
      );
  }
}

/** No row, or no bytes. A disk that fails otherwise may work again. */
function isLost(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === 'not_found';
  return isErrno(error, 'ENOENT');
}
