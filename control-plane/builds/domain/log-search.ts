// Searches a log for a text while its bytes are read, ignoring case and colors. Searches many lines at once and splits
// lines only around matches.
import { withoutEscapes } from '../../../shared/escape-stripper.js';

const LF = 0x0a;
const NOTHING: Buffer = Buffer.alloc(0);
/** A line of more bytes is searched in parts. */
const LONGEST_WHOLE = 1024 * 1024;
/** Overlap of two parts, because a match, and colors within it, may span both. */
const OVERLAP = 16 * 1024;
/** Characters of a long line that are shown before its match. */
const BEFORE = 200;

export interface LogMatch {
  /** Number of the line, from 1. */
  readonly n: number;
  /** Offset of its first byte. */
  readonly start: number;
  readonly text: string;
  /** `text` is only a part of the line, with the first match in it. */
  readonly cut: boolean;
}

export interface LogMatches {
  readonly matches: readonly LogMatch[];
  /** In everything that was read. */
  readonly total: number;
  /** Of them, those before `from`. */
  readonly before: number;
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
 * search.end(); // { matches: [{ n: 2, start: 4, text: '\x1b[31merror:\x1b[0m two', cut: false }], total: 1, before: 0, next: null }
 */
export function createLogSearch(options: SearchOptions) {
  const { text } = options;
  const wanted = text.toLowerCase();
  // For a text of ASCII each byte can be read as a character, which is faster and never ambiguous.
  const encoding = Buffer.byteLength(text) === text.length ? 'latin1' : 'utf8';
  const found = createMatches(options);
  /** Number of the unfinished line, and its state. */
  let line = 1;
  let rest = NOTHING;
  /** Offset of `rest`. */
  let place = 0;
  /** Offset of a long line. */
  let longStart = 0;
  let isLong = false;
  let isFound = false;

  const searched = (bytes: Buffer) => {
    const all = bytes.toString(encoding);
    return (all.includes('\x1b') ? withoutEscapes(all) : all).toLowerCase();
  };
  const searchLines = (bytes: Buffer, offset: number) => {
    line += eachMatch(bytes, searched(bytes), wanted, (lines, from, to) =>
      found.add({ line: line + lines, start: offset + from }, bytes.subarray(from, to), false),
    );
  };
  const searchPart = (bytes: Buffer) => {
    if (isFound || !searched(bytes).includes(wanted)) return;
    isFound = true;
    found.add({ line, start: longStart }, bytes, true);
  };
  /** Searches a long line in parts, which are split at fixed offsets of the line. */
  const searchParts = (bytes: Buffer): Buffer => {
    let at = 0;
    for (; bytes.length - at > LONGEST_WHOLE; at += LONGEST_WHOLE - OVERLAP) {
      isLong = true;
      searchPart(bytes.subarray(at, at + LONGEST_WHOLE));
    }
    return bytes.subarray(at);
  };
  const readPiece = (piece: Buffer) => {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    let at = 0;
    const offset = place;
    const feed = bytes.indexOf(LF, rest.length);
    if (isLong || (feed < 0 ? bytes.length : feed) > LONGEST_WHOLE) {
      if (!isLong) longStart = offset;
      rest = searchParts(feed < 0 ? bytes : bytes.subarray(0, feed));
      if (feed < 0) {
        place = offset + bytes.length - rest.length;
        return;
      }
      endLongLine();
      at = feed + 1;
    }
    const end = bytes.lastIndexOf(LF) + 1;
    if (end > at) searchLines(bytes.subarray(at, end), offset + at);
    rest = bytes.subarray(Math.max(at, end));
    place = offset + Math.max(at, end);
  };
  const endLongLine = () => {
    searchPart(rest);
    line++;
    isLong = false;
    isFound = false;
  };

  return {
    /** Continues with the next bytes; pieces may be split anywhere. */
    read(bytes: Buffer): void {
      for (let at = 0; at < bytes.length; at += LONGEST_WHOLE) readPiece(bytes.subarray(at, at + LONGEST_WHOLE));
    },
    /** Nothing more comes. */
    end(): LogMatches {
      if (isLong) searchPart(rest);
      else if (rest.length > 0 && searched(rest).includes(wanted)) found.add({ line, start: place }, rest, false);
      return found.matches();
    },
  };
}

/**
 * Searches complete lines.
 *
 * @param all the lines as they are searched
 * @param onMatch gets the number of lines before a matching one, and the offsets between which it is in `bytes`
 * @returns the number of lines
 */
function eachMatch(
  bytes: Buffer,
  all: string,
  wanted: string,
  onMatch: (lines: number, from: number, to: number) => void,
): number {
  let lines = 0;
  let lineStart = 0;
  let lineEnd = bytes.indexOf(LF);
  let counted = 0;
  const toLine = (place: number) => {
    for (let feed = all.indexOf('\n', counted); feed >= 0 && feed < place; feed = all.indexOf('\n', counted)) {
      counted = feed + 1;
      lineStart = lineEnd + 1;
      lineEnd = bytes.indexOf(LF, lineStart);
      lines++;
    }
  };
  for (let at = all.indexOf(wanted); at >= 0; ) {
    toLine(at);
    onMatch(lines, lineStart, lineEnd);
    const end = all.indexOf('\n', at);
    at = all.indexOf(wanted, end);
  }
  toLine(all.length);
  return lines;
}

/** Collects the matching lines that fit into the page. */
function createMatches({ text, from, count, lineChars, pageChars }: SearchOptions) {
  const wanted = text.toLowerCase();
  const matches: LogMatch[] = [];
  let chars = 0;
  let total = 0;
  let before = 0;
  let next: number | null = null;

  return {
    add({ line: n, start }: { line: number; start: number }, bytes: Buffer, isPart: boolean) {
      total++;
      if (n < from) {
        before++;
        return;
      }
      if (next !== null || matches.length >= count || chars >= pageChars) {
        next ??= n;
        return;
      }
      const whole = bytes.toString('utf8').replace(/\r$/, '');
      const shown = whole.length > lineChars ? around(whole, wanted, lineChars) : whole;
      matches.push({ n, start, text: shown, cut: isPart || shown.length < whole.length });
      chars += shown.length;
    },
    matches: (): LogMatches => ({ matches, total, before, next }),
  };
}

/** Returns the part of a long line that contains its first match. */
function around(whole: string, wanted: string, chars: number): string {
  const at = whole.toLowerCase().indexOf(wanted);
  const start = Math.max(0, Math.min(at - BEFORE, whole.length - chars));
  return whole
    .slice(start, start + chars)
    .replace(/^[\udc00-\udfff]/, '')
    .replace(/[\ud800-\udbff]$/, '');
}
