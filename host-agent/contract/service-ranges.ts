// The lines of the service in an attempt's log, as byte ranges.
import { createReadStream } from 'node:fs';
import type { ServiceBytes } from '../../shared/protocol/index.js';

/** Limit of ranges, because every state message carries them. Consecutive lines share a range; later lines are not marked. */
const MOST_RANGES = 500;
const TAG = Buffer.from('[cidermill] ');
const LF = 0x0a;

/** Adds a range that is not before those in the list. */
export function addRange(ranges: ServiceBytes[], from: number, to: number): void {
  const last = ranges.at(-1);
  if (last?.[1] === from) last[1] = to;
  else if (ranges.length < MOST_RANGES) ranges.push([from, to]);
}

/**
 * Returns the ranges of the lines that begin at or after an offset with the service's tag. Only for a log that nothing but
 * the runner can write to: the runner changes the tag in lines of a script.
 */
export async function findServiceLines(log: string, from: number): Promise<ServiceBytes[]> {
  const ranges: ServiceBytes[] = [];
  let offset = Math.max(0, from - 1);
  let lineStart = offset;
  /** How much of the tag the line has; null if it does not begin with it. */
  let matched: number | null = from === 0 ? 0 : null;
  for await (const chunk of createReadStream(log, { start: offset }) as AsyncIterable<Buffer>) {
    let at = 0;
    while (at < chunk.length) {
      if (matched !== null && matched < TAG.length && chunk[at] !== LF) {
        matched = chunk[at] === TAG[matched] ? matched + 1 : null;
        at++;
        continue;
      }
      const lineEnd = chunk.indexOf(LF, at);
      if (lineEnd < 0) break;
      at = lineEnd + 1;
      if (matched === TAG.length) addRange(ranges, lineStart, offset + at);
      lineStart = offset + at;
      matched = 0;
    }
    offset += chunk.length;
  }
  if (matched === TAG.length) addRange(ranges, lineStart, offset);
  return ranges;
}
