// Contents as the control plane sends them: records `<sha256> <size>\n<bytes>`, concatenated.
import type { Readable } from 'node:stream';

// A line `<sha256> gone` means that the service has lost the content.
const GONE = /^([0-9a-f]{64}) gone$/;
const HEADER = /^([0-9a-f]{64}) (0|[1-9][0-9]{0,15})$/;
const LONGEST_HEADER = 64 + 1 + 16;
const LINE_FEED = 10;

/** The transfer ended early, or contained something else than records; a retry may help. */
export class TransferError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TransferError';
  }
}

/** The transfer was complete, but contained something else than requested: a retry rarely helps. */
export class WrongContentError extends TransferError {
  override name = 'WrongContentError';
}

/** The service has lost a content: a retry cannot help. */
export class ContentGoneError extends Error {
  override name = 'ContentGoneError';
  constructor(sha256: string) {
    super(`the service has lost the content ${sha256}`);
  }
}

export interface BlobRecord {
  sha256: string;
  size: number;
  /** Yields the bytes as they arrive. Must be read to the end before the next record. */
  pieces(): AsyncGenerator<Buffer>;
  /** Returns all bytes at once; for small contents. */
  bytes(): Promise<Buffer>;
}

/**
 * Reads a stream of records; it is destroyed when the loop over them ends early.
 *
 * @throws TransferError, ContentGoneError
 */
export async function* readBlobRecords(stream: Readable): AsyncGenerator<BlobRecord> {
  const bytes = createByteReader(stream);
  try {
    for (;;) {
      const line = await bytes.line();
      if (line === null) return;
      const gone = GONE.exec(line)?.[1];
      if (gone) throw new ContentGoneError(gone);
      const [, sha256, digits] = HEADER.exec(line) ?? [];
      if (!sha256 || !digits) throw new TransferError('the transfer contains something that is not a content');
      const size = Number(digits);
      yield { sha256, size, pieces: () => bytes.pieces(size), bytes: () => bytes.take(size) };
    }
  } finally {
    stream.destroy();
  }
}

function createByteReader(stream: Readable) {
  const source: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);

  /** Reads the next chunk; returns false at the end of the stream. */
  const more = async (): Promise<boolean> => {
    const next = await source.next().catch((cause: unknown) => {
      throw new TransferError('the transfer broke off', { cause });
    });
    if (next.done) return false;
    held = held.length === 0 ? next.value : Buffer.concat([held, next.value]);
    return true;
  };
  const cut = (length: number): Buffer => {
    const piece = held.subarray(0, length);
    held = held.subarray(length);
    return piece;
  };
  const endedEarly = () => new TransferError('the transfer ended inside a content');

  async function* pieces(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      if (held.length === 0 && !(await more())) throw endedEarly();
      const piece = cut(Math.min(left, held.length));
      left -= piece.length;
      yield piece;
    }
  }

  return {
    pieces,
    async take(size: number): Promise<Buffer> {
      if (held.length >= size) return cut(size);
      const parts: Buffer[] = [];
      for await (const piece of pieces(size)) parts.push(piece);
      return Buffer.concat(parts, size);
    },
    /** Returns the next line without its line end, or null at the end of the stream. */
    async line(): Promise<string | null> {
      for (;;) {
        const end = held.indexOf(LINE_FEED);
        if (end >= 0 && end <= LONGEST_HEADER) {
          const line = cut(end).toString('latin1');
          cut(1);
          return line;
        }
        if (held.length > LONGEST_HEADER)
          throw new TransferError('the transfer contains something that is not a content');
        if (!(await more())) {
          if (held.length > 0) throw endedEarly();
          return null;
        }
      }
    },
  };
}
