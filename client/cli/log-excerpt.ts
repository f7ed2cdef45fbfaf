// Fetches the excerpt of a log by line numbers.
import type { BuildClient } from '../build-client.js';

/** Distance between remembered line positions in bytes: an excerpt then costs one or two requests. */
const EVERY_BYTES = 128 * 1024;

/** Remembers positions of lines while the log is streamed. */
export interface LogNotes {
  add(bytes: Uint8Array): void;
  /** Offset of a byte at or before line `line` (from 1), and the number of the line it is in. */
  before(line: number): { offset: number; line: number };
}

export function createLogNotes(): LogNotes {
  const places = [{ offset: 0, line: 1 }];
  let offset = 0;
  let line = 1;
  return {
    add(bytes) {
      if (offset - places.at(-1)!.offset >= EVERY_BYTES) places.push({ offset, line });
      // Searching a Buffer is several times as fast.
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      for (let at = buffer.indexOf(0x0a); at >= 0; at = buffer.indexOf(0x0a, at + 1)) line++;
      offset += bytes.length;
    },
    before(wanted) {
      let found = places[0]!;
      for (const place of places) if (place.line < wanted) found = place;
      return found;
    },
  };
}

/** Lines `first` to `last` (from 1, inclusive) of a build's log; fewer where the log is shorter. */
export async function fetchLines(
  client: BuildClient,
  buildId: string,
  notes: LogNotes,
  [first, last]: readonly [number, number],
  options: { signal?: AbortSignal } = {},
): Promise<string[]> {
  const start = notes.before(first);
  let { offset } = start;
  let text = '';
  let number = start.line;
  for (;;) {
    const segment = await client.builds.log.segment(buildId, offset, options);
    text += segment.data;
    // Drops the bytes before the first requested line.
    for (let end = text.indexOf('\n'); number < first && end >= 0; end = text.indexOf('\n')) {
      text = text.slice(end + 1);
      number++;
    }
    const lines = text.split('\n');
    const complete = number === first && lines.length > last - first + 1;
    if (complete || segment.eof || segment.next_offset <= offset) {
      return number < first ? [] : lines.slice(0, last - first + 1);
    }
    offset = segment.next_offset;
  }
}
