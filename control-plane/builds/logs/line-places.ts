// Finds lines from the nearest entry of an index on, and says where bytes come from.
import type { LogOrigin } from './build-logs.js';
import { ENTRY, entryIn, type IndexEntry, STILL_UNKNOWN, UNKNOWN } from './index-entries.js';

const LF = 0x0a;

/** A place from which lines are counted. */
export type LineMark = Pick<IndexEntry, 'offset' | 'feeds'>;

/** The start of a log. */
export const START: IndexEntry = { offset: 0, feeds: 0, at: UNKNOWN, own: 0 };

export function feedsIn(bytes: Buffer): number {
  let feeds = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) feeds++;
  return feeds;
}

/**
 * Returns the offset at which a line begins.
 *
 * @param pieces the bytes from the mark to the end of the log
 */
export async function lineStartAfter(mark: LineMark, line: number, pieces: AsyncIterable<Buffer>): Promise<number> {
  let missing = line - 1 - mark.feeds;
  let { offset } = mark;
  for await (const piece of pieces) {
    for (let feed = piece.indexOf(LF); feed >= 0; feed = piece.indexOf(LF, feed + 1))
      if (--missing === 0) return offset + feed + 1;
    offset += piece.length;
  }
  return offset;
}

/**
 * Returns the number of the line that a byte is in.
 *
 * @param pieces the bytes from the mark to that byte
 */
export async function lineAfter(mark: LineMark, pieces: AsyncIterable<Buffer>): Promise<number> {
  let { feeds } = mark;
  for await (const piece of pieces) feeds += feedsIn(piece);
  return feeds + 1;
}

/** See BuildLogs.origins. @param found the bytes of the entries that hold where it asks, and maybe of others */
export function originsIn(found: Buffer): (offset: number) => LogOrigin {
  let entry = START;
  let n = 0;
  return (offset) => {
    for (; (n + 1) * ENTRY <= found.length && found.readUIntBE(n * ENTRY, 6) <= offset; n++) entry = entryIn(found, n);
    return {
      at: entry.at === UNKNOWN || entry.at === STILL_UNKNOWN ? null : entry.at,
      isOwn: offset < entry.offset + entry.own,
    };
  };
}
