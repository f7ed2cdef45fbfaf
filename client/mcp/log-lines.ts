// The lines of a build's log by their numbers, read as a stream: the log may be as long as the service keeps it.
import type { BuildLogApi } from '../api/build-log.js';
import { CidermillError } from '../cidermill-error.js';

/** Bytes kept of a line; a longer one still counts as one line. */
const KEPT_BYTES = 4096;
/** Distance between remembered positions of a log, and the number of logs with such positions. */
const PLACE_EVERY_BYTES = 128 * 1024;
const KNOWN_LOGS = 16;
const NEWLINE = 0x0a;

export interface LogLine {
  /** From 1, in the whole stored log; the numbers of `log_excerpt_lines`. */
  number: number;
  text: string;
  /** False when only its first part was kept. */
  whole: boolean;
}

export interface LogLines {
  /** Lines from `first` (from 1) to the end of what there is now, in batches as they arrive. */
  from(buildId: string, first: number, signal: AbortSignal): AsyncGenerator<LogLine[], void, undefined>;
}

interface Place {
  offset: number;
  line: number;
}

/** Remembers where lines begin, so that the end of a long log is not read from its start every time. */
export function createLogLines(log: Pick<BuildLogApi, 'stream'>): LogLines {
  const logs = new Map<string, Place[]>();
  const placesOf = (buildId: string): Place[] => {
    const places = logs.get(buildId) ?? [{ offset: 0, line: 1 }];
    logs.delete(buildId);
    logs.set(buildId, places);
    const oldest = logs.keys().next();
    if (logs.size > KNOWN_LOGS && !oldest.done) logs.delete(oldest.value);
    return places;
  };

  async function* from(buildId: string, first: number, signal: AbortSignal) {
    const places = placesOf(buildId);
    const start = places.findLast(({ line }) => line <= first) ?? { offset: 0, line: 1 };
    const splitter = createSplitter(start.line);
    let offset = start.offset;
    for await (const bytes of log.stream(buildId, { offset, signal })) {
      const { lines, lineStart } = splitter.add(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
      if (lineStart !== null) {
        const place = { offset: offset + lineStart, line: splitter.current() };
        if (place.offset - (places.at(-1)?.offset ?? 0) >= PLACE_EVERY_BYTES) places.push(place);
      }
      offset += bytes.length;
      const wanted = lines.filter(({ number }) => number >= first);
      if (wanted.length > 0) yield wanted;
    }
    const last = splitter.rest();
    if (last !== null && last.number >= first) yield [last];
  }

  return {
    async *from(buildId, first, signal) {
      try {
        yield* from(buildId, first, signal);
      } catch (error) {
        // The stored log has become shorter (its middle was omitted): start over.
        if (!(error instanceof CidermillError && error.code === 'invalid_offset' && logs.delete(buildId))) {
          throw error;
        }
        yield* from(buildId, first, signal);
      }
    },
  };
}

/** Splits bytes at line feeds, counts lines, and keeps the first part of a long line. */
function createSplitter(firstNumber: number) {
  let number = firstNumber;
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let seenBytes = 0;
  const keep = (part: Buffer) => {
    seenBytes += part.length;
    const room = KEPT_BYTES - keptBytes;
    if (room <= 0 || part.length === 0) return;
    // A copy: a view would keep the whole chunk in memory for one line.
    const first = Buffer.from(part.subarray(0, room));
    kept.push(first);
    keptBytes += first.length;
  };
  const take = (): LogLine => {
    const text = Buffer.concat(kept).toString('utf8').replace(/\r$/, '');
    const line = { number, text, whole: seenBytes === keptBytes };
    kept = [];
    keptBytes = 0;
    seenBytes = 0;
    return line;
  };
  return {
    /** The lines that end in `chunk`, and where in it the last unfinished line begins, if it begins there. */
    add(chunk: Buffer): { lines: LogLine[]; lineStart: number | null } {
      const lines: LogLine[] = [];
      let at = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, at)) {
        keep(chunk.subarray(at, end));
        lines.push(take());
        number++;
        at = end + 1;
      }
      keep(chunk.subarray(at));
      return { lines, lineStart: lines.length > 0 ? at : null };
    },
    /** Number of the line that has not ended. */
    current: () => number,
    rest: (): LogLine | null => (seenBytes > 0 ? take() : null),
  };
}
