// Contents on their way to a host, as records: a line `<sha256> <size>` followed by exactly size bytes.
import type { Readable } from 'node:stream';
import type { LinkFiles } from './ports.js';

/** Contents that are opened before their turn: opening a small one is mostly waiting. */
const OPENED_AHEAD = 8;

interface Opened {
  readonly sha256: string;
  readonly size: number;
  readonly stream: Readable;
}

/** In the order of the hashes. Fails where a content cannot be read, after what came before it. */
export async function* blobRecords(
  files: Pick<LinkFiles, 'openBlob'>,
  accountId: number,
  hashes: readonly string[],
): AsyncGenerator<Buffer, void, undefined> {
  const ahead: Promise<Opened>[] = [];
  let next = 0;
  const openMore = () => {
    for (const sha256 of hashes.slice(next, next + OPENED_AHEAD - ahead.length)) {
      const opened = files.openBlob(accountId, sha256).then((blob) => ({ sha256, ...blob }));
      // Whoever awaits it in its turn is told.
      opened.catch(() => undefined);
      ahead.push(opened);
      next++;
    }
  };
  try {
    for (openMore(); ahead[0]; openMore()) {
      const { sha256, size, stream } = await ahead[0];
      yield Buffer.from(`${sha256} ${size}\n`);
      yield* stream as AsyncIterable<Buffer>;
      ahead.shift();
    }
  } finally {
    // The host went away, or a content could not be read; one that failed to open has nothing to close.
    for (const opened of ahead)
      opened.then(
        ({ stream }) => stream.destroy(),
        () => undefined,
      );
  }
}
