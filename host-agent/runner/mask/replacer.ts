// Replaces every needle in a byte stream by a mark, whatever pieces the stream comes in. Knows nothing of secrets.
import { type Automaton, createFinder } from './finder.js';
import { createHeldBytes } from './held-bytes.js';
import { createJoiner } from './joiner.js';

/** What stands in the output for every unbroken stretch of masked bytes, however many needles make it up. */
export const MARK = '***';

export interface Replacer {
  /**
   * Takes the next piece of the stream and returns what can be said of the stream by now: everything before the first
   * byte that may still turn out to begin a needle, however long that takes. What is returned is valid until the next
   * write, and may share memory with the piece, which must not be written to before.
   */
  write(chunk: Buffer): Buffer;
  /** Returns what was held back: the beginning of a needle that the stream did not go on with is none. */
  end(): Buffer;
}

interface Range {
  start: number;
  end: number;
}

/**
 * Overlapping and touching needles make one mark. The output depends on the stream alone, not on how it is cut.
 * What counts as an occurrence of a needle is said in stream-views.ts.
 */
export function createReplacer(automaton: Automaton): Replacer {
  const mark = Buffer.from(MARK);
  const held = createHeldBytes();
  const joined = createJoiner();
  // Found and not written yet: disjoint, in order, none touching the next.
  const ranges: Range[] = [];
  // How much of the stream is written, and where the last mark ends: a range that begins there belongs to it.
  let written = 0;
  let markedTo = -1;

  const finder = createFinder(automaton, 'ranges', (start, end) => {
    const range = { start, end };
    for (let last = ranges.at(-1); last && last.end >= range.start; last = ranges.at(-1)) {
      range.start = Math.min(range.start, last.start);
      range.end = Math.max(range.end, last.end);
      ranges.pop();
    }
    ranges.push(range);
  });

  /** The output up to a position of the stream, or to the end of the range that reaches over it. */
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

  return {
    write(chunk) {
      finder.scan(chunk);
      const first = written;
      if (held.length === 0) {
        const pieces = output(chunk, finder.settled());
        if (written - first < chunk.length) held.append(chunk.subarray(written - first));
        return joined(pieces);
      }
      held.append(chunk);
      const pieces = joined(output(held.view(), finder.settled()));
      held.dropFirst(written - first);
      return pieces;
    },
    end() {
      const pieces = Buffer.concat(output(held.view(), written + held.length));
      held.dropFirst(held.length);
      return pieces;
    },
  };
}
