// A line as pieces of one look each: colours, links, places that match a search, and wide characters.
import type { Line } from './ansi.js';
import { type Look, lookOf } from './colours.js';
import { withLinks } from './links.js';
import { marksIn } from './matches.js';
import { byWidth } from './width.js';

export interface LinePiece {
  readonly text: string;
  readonly look: Look;
  readonly href?: string;
  readonly isMark: boolean;
  readonly isWide: boolean;
}

/**
 * @param wanted text whose places are marked; empty: none
 * @param most characters; what is beyond is left out
 */
export function piecesOf(line: Line, wanted: string, most: number): readonly LinePiece[] {
  const text = line.runs.map((run) => run.text).join('');
  const marks = marksIn(text, wanted);
  const links = withLinks(text);
  /** Where a link begins or ends, or a mark. */
  const cuts = new Set<number>();
  const hrefs: { from: number; to: number; href: string }[] = [];
  let at = 0;
  for (const { text: part, href } of links) {
    if (href !== undefined) {
      hrefs.push({ from: at, to: at + part.length, href });
      cuts.add(at).add(at + part.length);
    }
    at += part.length;
  }
  for (const [from, to] of marks) cuts.add(from).add(to);
  const sorted = [...cuts].sort((a, b) => a - b);

  const pieces: LinePiece[] = [];
  let offset = 0;
  for (const run of line.runs) {
    const look = lookOf(run.style);
    const end = offset + run.text.length;
    const bounds = [offset, ...sorted.filter((cut) => cut > offset && cut < end), end];
    for (let i = 0; i + 1 < bounds.length; i++) {
      const [from = 0, to = 0] = bounds.slice(i, i + 2);
      if (from >= most) return pieces;
      const isMark = marks.some(([start, stop]) => from >= start && to <= stop);
      const href = hrefs.find((link) => from >= link.from && to <= link.to)?.href;
      for (const part of byWidth(text.slice(from, Math.min(to, most))))
        pieces.push({ ...part, look, isMark, ...(href === undefined ? {} : { href }) });
    }
    offset = end;
  }
  return pieces;
}
