// A sparse index of line starts, at least one stretch apart. Finding a line costs one look-up and reading one stretch,
// regardless of the log's length.

const LF = 0x0a;
const ENTRY = 12;

export interface LinePoint {
  /** Where a line starts. */
  offset: number;
  /** Lines before it. */
  lines: number;
}

export interface LineIndex {
  /** Bytes seen. */
  length(): number;
  /** Lines seen; an unfinished one counts. */
  lines(): number;
  endsWithLine(): boolean;
  /** Continues with the next bytes; returns the new points encoded for the index file. */
  extend(bytes: Buffer): Buffer;
  /** All points, encoded for the index file. */
  encoded(): Buffer;
  /** The last point at or before the start of line `line` (from 1). */
  before(line: number): LinePoint;
}

/**
 * @param stretch least bytes between two points
 * @param stored encoded points of earlier runs; the caller extends from the last point's offset
 */
export function createLineIndex(stretch: number, stored: readonly LinePoint[] = []): LineIndex {
  const points: LinePoint[] = [{ offset: 0, lines: 0 }, ...stored];
  let { offset: length, lines: lineFeeds } = points.at(-1) ?? { offset: 0, lines: 0 };
  let endsWithLine = true;
  let nextPoint = length + stretch;

  return {
    length: () => length,
    lines: () => (endsWithLine ? lineFeeds : lineFeeds + 1),
    endsWithLine: () => endsWithLine,
    encoded: () => encodePoints(points.slice(1)),
    extend(bytes) {
      const added: LinePoint[] = [];
      for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
        lineFeeds++;
        const offset = length + at + 1;
        if (offset < nextPoint) continue;
        added.push({ offset, lines: lineFeeds });
        nextPoint = offset + stretch;
      }
      if (bytes.length > 0) endsWithLine = bytes[bytes.length - 1] === LF;
      length += bytes.length;
      points.push(...added);
      return encodePoints(added);
    },
    before(line) {
      let low = 0;
      let high = points.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((points[middle]?.lines ?? 0) < line) low = middle;
        else high = middle - 1;
      }
      return points[low] ?? { offset: 0, lines: 0 };
    },
  };
}

function encodePoints(points: readonly LinePoint[]): Buffer {
  const bytes = Buffer.alloc(points.length * ENTRY);
  points.forEach(({ offset, lines }, i) => {
    bytes.writeUIntBE(offset, i * ENTRY, 6);
    bytes.writeUIntBE(lines, i * ENTRY + 6, 6);
  });
  return bytes;
}

/** Returns the points of an index file up to the first that is invalid for a log of this length. */
export function decodePoints(bytes: Buffer, length: number): LinePoint[] {
  const points: LinePoint[] = [];
  let last = { offset: 0, lines: 0 };
  for (let at = 0; at + ENTRY <= bytes.length; at += ENTRY) {
    const point = { offset: bytes.readUIntBE(at, 6), lines: bytes.readUIntBE(at + 6, 6) };
    if (point.offset <= last.offset || point.lines <= last.lines || point.offset > length) break;
    points.push(point);
    last = point;
  }
  return points;
}
