// Searches a log for a text, in any case and without regard to colours, as its bytes are read. Looks at many lines
// at once: only where the text stands are lines told apart.
import { withoutEscapes } from '../../../shared/escape-stripper.js';

const LF = 0x0a;
/** A line longer than this is looked at in parts. */
const LONGEST_WHOLE = 1024 * 1024;
/** How much of a part is looked at again with the next one: a match, and colours within it, may lie across both. */
const OVERLAP = 16 * 1024;
/** Characters of a long line that are shown before its match. */
const BEFORE = 200;

export interface LogMatch {
  /** Number of the line, from 1. */
  readonly n: number;
  readonly text: string;
  /** `text` is only a part of the line, with the first match in it. */
  readonly cut: boolean;
}

export interface LogSearch {
  /** Goes on behind what was read; pieces may be cut anywhere. */
  read(bytes: Buffer): void;
  /** Nothing more comes. */
  end(): LogMatches;
}

export interface LogMatches {
  readonly matches: readonly LogMatch[];
  /** In everything that was read. */
  readonly total: number;
  /** Number of the first matching line that did not fit into `matches`; null when all of them did. */
  readonly next: number | null;
}

export interface SearchOptions {
  /** One line or less. */
  readonly text: string;
  /** Lines before this one are counted but not returned. */
  readonly from: number;
  /** Most lines to return. */
  readonly count: number;
  /** Most characters of one line. */
  readonly lineChars: number;
  /** Most characters of all lines together: no line is added once this is reached. */
  readonly pageChars: number;
}

/**
 * @example
 * const search = createLogSearch({ text: 'ERROR:', from: 1, count: 100, lineChars: 16_384, pageChars: 4_194_304 });
 * search.read(Buffer.from('one\n\x1b[31merror:\x1b[0m two\n'));
 * search.end(); // { matches: [{ n: 2, text: '\x1b[31merror:\x1b[0m two', cut: false }], total: 1, next: null }
 */
export function createLogSearch({ text, from, count, lineChars, pageChars }: SearchOptions): LogSearch {
  const wanted = text.toLowerCase();
  // For a text of ASCII each byte can be read as a character, which is faster and never ambiguous.
  const encoding = Buffer.byteLength(text) === text.length ? 'latin1' : 'utf8';
  const matches: LogMatch[] = [];
  let chars = 0;
  let total = 0;
  let next: number | null = null;
  /** Number of the line that has not ended yet, and what is known of it. */
  let line = 1;
  let rest: Buffer = Buffer.alloc(0);
  let isLong = false;
  let isFound = false;

  const searched = (bytes: Buffer) => {
    const all = bytes.toString(encoding);
    return (all.includes('\x1b') ? withoutEscapes(all) : all).toLowerCase();
  };
  const add = (n: number, bytes: Buffer, isPart: boolean) => {
    total++;
    if (n < from) return;
    if (next !== null || matches.length >= count || chars >= pageChars) {
      next ??= n;
      return;
    }
    const whole = bytes.toString('utf8').replace(/\r$/, '');
    const shown = whole.length > lineChars ? around(whole, wanted, lineChars) : whole;
    matches.push({ n, text: shown, cut: isPart || shown.length < whole.length });
    chars += shown.length;
  };
  /** Looks at lines that have all ended. */
  const lookAt = (bytes: Buffer) => {
    const all = searched(bytes);
    let lineStart = 0;
    let lineEnd = bytes.indexOf(LF);
    let counted = 0;
    const toLine = (place: number) => {
      for (
        let feed = all.indexOf('\n', counted);
        feed >= 0 && feed < place;
        feed = all.indexOf('\n', counted)
      ) {
        counted = feed + 1;
        lineStart = lineEnd + 1;
        lineEnd = bytes.indexOf(LF, lineStart);
        line++;
      }
    };
    for (let at = all.indexOf(wanted); at >= 0; ) {
      toLine(at);
      add(line, bytes.subarray(lineStart, lineEnd), false);
      const end = all.indexOf('\n', at);
      at = all.indexOf(wanted, end);
    }
    toLine(all.length);
  };
  /** Looks at a part of a line that is too long to be held. */
  const lookAtPart = (bytes: Buffer) => {
    if (isFound || !searched(bytes).includes(wanted)) return;
    isFound = true;
    add(line, bytes, true);
  };
  const readAll = (bytes: Buffer) => {
    let at = 0;
    if (isLong) {
      const feed = bytes.indexOf(LF, rest.length);
      if (feed < 0) return hold(bytes);
      lookAtPart(bytes.subarray(0, feed));
      line++;
      isLong = false;
      at = feed + 1;
    }
    const end = bytes.lastIndexOf(LF) + 1;
    if (end > at) lookAt(bytes.subarray(at, end));
    hold(bytes.subarray(Math.max(at, end)));
  };
  const hold = (bytes: Buffer) => {
    rest = bytes;
    if (bytes.length <= LONGEST_WHOLE) return;
    if (!isLong) isFound = false;
    isLong = true;
    lookAtPart(bytes);
    rest = bytes.subarray(bytes.length - OVERLAP);
  };

  return {
    read(bytes) {
      if (bytes.length > 0) readAll(rest.length === 0 ? bytes : Buffer.concat([rest, bytes]));
    },
    end() {
      if (isLong) lookAtPart(rest);
      else if (rest.length > 0 && searched(rest).includes(wanted)) add(line, rest, false);
      return { matches, total, next };
    },
  };
}

/** The part of a long line that has the first match in it. */
function around(whole: string, wanted: string, chars: number): string {
  const at = whole.toLowerCase().indexOf(wanted);
  const start = Math.max(0, Math.min(at - BEFORE, whole.length - chars));
  return whole
    .slice(start, start + chars)
    .replace(/^[\udc00-\udfff]/, '')
    .replace(/[\ud800-\udbff]$/, '');
}
