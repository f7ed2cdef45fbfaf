// What was just appended to a log, for those who follow it: they need not read again from the disk what passes by. Only
// large pieces are kept, only while somebody reads, and no more than a few.

/** A smaller piece may hold on to much more memory than its own, and costs little to read. */
const SMALLEST = 64 * 1024;
/** Bytes kept, and bytes appended without anybody reading before none is kept any more. */
const MOST = 2 * 1024 * 1024;

export interface RecentPieces {
  /** The bytes must not be changed afterwards. */
  add(offset: number, bytes: Buffer): void;
  /** What is kept from an offset on, up to the end of one piece; null when there is nothing. Somebody reads. */
  from(offset: number): Buffer | null;
  clear(): void;
}

export function createRecentPieces(): RecentPieces {
  let pieces: { offset: number; end: number; bytes: Buffer }[] = [];
  let end = 0;
  let unread = MOST;

  const clear = () => {
    pieces = [];
  };
  return {
    add(offset, bytes) {
      end = offset + bytes.length;
      unread += bytes.length;
      if (unread > MOST) return clear();
      if (bytes.length >= SMALLEST) pieces.push({ offset, end, bytes });
      while (pieces[0] && end - pieces[0].offset > MOST) pieces.shift();
    },
    from(offset) {
      unread = 0;
      if (offset >= end) clear();
      const piece = pieces.find((one) => offset >= one.offset && offset < one.end);
      return piece ? piece.bytes.subarray(offset - piece.offset) : null;
    },
    clear,
  };
}
