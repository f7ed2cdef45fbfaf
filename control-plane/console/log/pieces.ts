// A line as pieces of one look each: colors, links, places that match a search, and wide characters.
import type { Line } from './ansi.js';
import { type Look, lookOf } from './colors.js';
import { snapTo } from './graphemes.js';
import { LONGEST_LINK, withLinks } from './links.js';
import { marksIn } from './matches.js';
import { byWidth } from './width.js';

export interface LinePiece {
  readonly text: string;
  readonly look: Look;
  readonly href?: string;
  readonly isMark: boolean;
  readonly isWide: boolean;
}

export interface Most {
  readonly chars: number;
  /** A program may change the color with every character; each piece is an element. */
  readonly pieces: number;
}

/** Wide characters of a line that are aligned with those of other lines. */
const MOST_WIDE = 60;

/**
 * Returns the beginning of a line, as much of it as fits.
 *
 * @param wanted text whose places are marked; empty: none
 */
export function piecesOf(line: Line, wanted: string, most: Most): readonly LinePiece[] {
  // A link that begins in what is shown is needed whole.
  const text = textOf(line, most.chars + LONGEST_LINK);
  const snap = snapTo(text);
  const mostChars = snap.end(most.chars);
  const spans = createSpans(text, wanted, snap);
  const pieces: LinePiece[] = [];
  let at = 0;
  let read = 0;
  let wide = 0;
  for (const run of line.runs) {
    const look = lookOf(run.style);
    read += run.text.length;
    // A character has one look, even if the color changes within it.
    for (const end = snap.end(read); at < end; ) {
      if (at >= mostChars || pieces.length >= most.pieces) return aligned(pieces, wide);
      const { to, isMark, href } = spans.at(at);
      const next = Math.min(to, end, mostChars);
      const common = { look, isMark, ...(href === undefined ? {} : { href }) };
      for (const part of byWidth(text.slice(at, next))) {
        pieces.push({ ...part, ...common });
        if (part.isWide) wide += part.text.length;
      }
      at = next;
    }
  }
  return aligned(pieces, wide);
}

/** Each wide character is an element of its own; what is aligned has few of them, such as a table. */
const aligned = (pieces: readonly LinePiece[], wide: number): readonly LinePiece[] =>
  wide <= MOST_WIDE ? pieces : pieces.map((piece) => ({ ...piece, isWide: false }));

/** Returns at least `chars` characters of a line if it has them. */
function textOf(line: Line, chars: number): string {
  let text = '';
  for (const run of line.runs) {
    if (text.length >= chars) break;
    text += run.text;
  }
  return text;
}

/** Number of characters in pieces. */
export const lengthOf = (pieces: readonly LinePiece[]): number =>
  pieces.reduce((sum, { text }) => sum + text.length, 0);

/** Links and marks of a text. Offsets must be asked for in ascending order. */
function createSpans(text: string, wanted: string, snap: ReturnType<typeof snapTo>) {
  const marks = marksIn(text, wanted).map(([from, to]) => [snap.start(from), snap.end(to)] as const);
  const links = withLinks(text);
  let mark = 0;
  let link = 0;
  let linkEnd = links[0]?.text.length ?? 0;
  return {
    /** Returns what is at an offset, and up to where. */
    at(offset: number): { to: number; isMark: boolean; href: string | undefined } {
      while (mark < marks.length && (marks[mark]?.[1] ?? 0) <= offset) mark++;
      while (linkEnd <= offset && link < links.length - 1) linkEnd += links[++link]?.text.length ?? 0;
      const [from, to] = marks[mark] ?? [text.length, text.length];
      const isMark = offset >= from && offset < to;
      return { to: Math.min(isMark ? to : from, linkEnd), isMark, href: links[link]?.href };
    },
  };
}
