// `cidermill logs` by line numbers, and its search.
import { printedJson } from '../../shared/clean-text.js';
import type { LogLine } from '../types.js';
import { formatCount } from './format.js';
import type { Session } from './session.js';

/** The largest page of the service. */
const MOST_LINES = 10_000;
const MOST_MATCHES = 1_000;

export interface LinePage {
  fromLine: number;
  /** Null: to the end; of a search, one page. */
  lines: number | null;
  /** Without terminal escape sequences. */
  plain: boolean;
}

/** Lines as they are, page by page. */
export async function printLines(session: Session, id: string, page: LinePage): Promise<void> {
  const { log } = session.client.builds;
  let left = page.lines ?? Number.POSITIVE_INFINITY;
  let cut = 0;
  for (let from: number | null = page.fromLine; from !== null && left > 0; ) {
    const options = { fromLine: from, lines: Math.min(left, MOST_LINES), plain: page.plain };
    const read = await log.lines(id, options);
    if (session.json) return session.print(`${printedJson(read, 2)}\n`);
    await session.print(read.lines.map(({ text }) => `${text}\n`).join(''));
    cut += cutLines(read.lines);
    left -= read.lines.length;
    from = read.next_from_line;
  }
  noteCut(session, cut);
}

/** Matching lines, each after its number, as `grep -n` prints them. */
export async function printMatches(
  session: Session,
  id: string,
  text: string,
  { fromLine, lines, plain }: LinePage,
): Promise<void> {
  const { log } = session.client.builds;
  let left = lines ?? MOST_MATCHES;
  let cut = 0;
  let next: number | null = fromLine;
  let total = 0;
  while (next !== null && left > 0) {
    const options = { fromLine: next, lines: Math.min(left, MOST_MATCHES), plain };
    const found = await log.search(id, text, options);
    if (session.json) return session.print(`${printedJson(found, 2)}\n`);
    await session.print(found.matches.map((line) => `${line.n}:${line.text}\n`).join(''));
    cut += cutLines(found.matches);
    left -= found.matches.length;
    total = found.total_matches;
    next = found.next_from_line;
  }
  noteCut(session, cut);
  const more = next === null ? '' : `; --from-line ${next} goes on`;
  if (total === 0 || next !== null) session.note(`${formatCount(total, 'matching line')} in all${more}`);
}

const cutLines = (lines: readonly LogLine[]) => lines.filter(({ cut }) => cut).length;

function noteCut(session: Session, cut: number): void {
  if (cut > 0)
    session.note(
      `${formatCount(cut, 'long line')} not shown whole; without --from-line and --search they are`,
    );
}
