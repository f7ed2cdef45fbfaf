// Reads exact numbers of bytes from a stream of chunks. At most one chunk and one small piece are in memory. The
// stream itself is not closed here; that is up to the caller.

export type ByteReader = ReturnType<typeof createByteReader>;

const EMPTY: Buffer = Buffer.alloc(0);

export function createByteReader(source: AsyncIterable<Buffer>) {
  const input = source[Symbol.asyncIterator]();
  let chunk = EMPTY;
  let done = false;

  /** Makes `chunk` non-empty; returns false at the end of the stream. */
  const fill = async (): Promise<boolean> => {
    while (chunk.length === 0 && !done) {
      const next = await input.next();
      if (next.done) done = true;
      else chunk = next.value;
    }
    return chunk.length > 0;
  };
  const cut = (length: number): Buffer => {
    const piece = chunk.subarray(0, length);
    chunk = chunk.subarray(piece.length);
    return piece;
  };

  return {
    /** Returns the next `length` bytes; fewer only at the end of the stream. */
    async take(length: number): Promise<Buffer> {
      if (chunk.length >= length) return cut(length);
      const pieces: Buffer[] = [];
      let missing = length;
      while (missing > 0 && (await fill())) {
        const piece = cut(missing);
        pieces.push(piece);
        missing -= piece.length;
      }
      return Buffer.concat(pieces);
    },
    /**
     * Returns the bytes before the next `delimiter`, which is consumed. Null when there is none within `max` bytes or
     * before the end of the stream.
     */
    async until(delimiter: number, max: number): Promise<Buffer | null> {
      let seen = EMPTY;
      while (await fill()) {
        const at = chunk.indexOf(delimiter);
        if (at < 0 && seen.length + chunk.length > max) return null;
        if (at >= 0) {
          const last = cut(at);
          cut(1);
          const found = seen.length === 0 ? last : Buffer.concat([seen, last]);
          return found.length <= max ? found : null;
        }
        seen = Buffer.concat([seen, cut(chunk.length)]);
      }
      return null;
    },
    /**
     * Yields the next `length` bytes in pieces; ends early only at the end of the stream. After leaving the loop early,
     * `skip(left())` skips the rest.
     */
    body(length: number): { chunks: AsyncGenerator<Buffer, void, undefined>; left(): number } {
      let left = length;
      async function* chunks(): AsyncGenerator<Buffer, void, undefined> {
        while (left > 0 && (await fill())) {
          const piece = cut(left);
          left -= piece.length;
          yield piece;
        }
      }
      return { chunks: chunks(), left: () => left };
    },
    /** Skips `length` bytes; returns how many there were. */
    async skip(length: number) {
      let left = length;
      while (left > 0 && (await fill())) left -= cut(left).length;
      return length - left;
    },
    /** Returns the next bytes of any number, or null at the end of the stream. */
    some: async (): Promise<Buffer | null> => ((await fill()) ? cut(chunk.length) : null),
    /** Puts back the end of what was read last. */
    unread(bytes: Buffer) {
      chunk = chunk.length === 0 ? bytes : Buffer.concat([bytes, chunk]);
    },
    /** Returns true at the end of the stream. */
    ended: async () => !(await fill()),
  };
}
