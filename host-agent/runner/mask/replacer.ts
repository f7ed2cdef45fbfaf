// Replaces every needle in a byte stream by a mark, however the stream is divided. Independent of secrets.
import { type CompiledNeedles, createFinder } from './finder.js';

/** The output for every contiguous masked range, however many needles it consists of. */
export const MARK = '***';

export interface Replacer {
  /**
   * Reads the next chunk and returns all output up to the first byte that may still begin a needle, which may be held
   * back for long. The result is valid until the next write, and may share memory with the chunk.
   */
  write(chunk: Buffer): Buffer;
  /** Returns the bytes held back: an incomplete needle at the end is no needle. */
  end(): Buffer;
}

const NOTHING: Buffer = Buffer.alloc(0);

interface Range {
  start: number;
  end: number;
}

/**
 * Overlapping and adjacent needles become one mark. The output depends on the stream only, not on how it is divided.
 * stream-views.ts defines what counts as an occurrence.
 */
export function createReplacer(compiled: CompiledNeedles): Replacer {
  const mark = Buffer.from(MARK);
  /** The bytes from `written` on. */
  let held = NOTHING;
  // Ranges found and not written yet: disjoint, ordered, not adjacent.
  const ranges: Range[] = [];
  // Position up to which the stream is written, and end of the last mark: a range that begins there belongs to it.
  let written = 0;
  let markedTo = -1;

  const finder = createFinder(compiled, 'ranges', (start, end) => {
    const range = { start, end };
    for (let last = ranges.at(-1); last && last.end >= range.start; last = ranges.at(-1)) {
      range.start = Math.min(range.start, last.start);
      range.end = Math.max(range.end, last.end);
      ranges.pop();
    }
    ranges.push(range);
  });

  /** Returns the output up to a position, or to the end of the range that contains it. */
  const output = (bytes: Buffer, limit: number): Buffer[] => {
    const first = written;
    const pieces: Buffer[] = [];
    const copyUpTo = (position: number): void => {
      if (position <= written) return;
      pieces.push(bytes.subarray(written - first, position - first));
      written = position;
    };
    let done = 0;
    for (; done < ranges.length && ranges[done]!.start < limit; done++) {
      const { start, end } = ranges[done]!;
      copyUpTo(start);
      if (start > markedTo) pieces.push(mark);
      written = Math.max(written, end);
      markedTo = Math.max(markedTo, end);
    }
    ranges.splice(0, done);
    copyUpTo(limit);
    return pieces;
  };

  /** Returns the output up to a position, and holds the rest. */
  const take = (bytes: Buffer, limit: number): Buffer => {
    const first = written;
    const pieces = output(bytes, limit);
    const rest = bytes.subarray(written - first);
    // A copy, because the chunk is only valid during the call.
    held = rest.length === 0 ? NOTHING : Buffer.from(rest);
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  };

  return {
    write(chunk) {
      finder.scan(chunk);
      return take(held.length === 0 ? chunk : Buffer.concat([held, chunk]), finder.settled());
    },
    end: () => take(held, written + held.length),
  };
}
