// `cidermill logs` by line numbers, and its search.
import { printedJson } from '../../shared/clean-text.js';
import { FOLLOW_RETRY } from '../api/follow-log.js';
import type { LogLine } from '../types.js';
import { formatCount } from './format.js';
import type { Session } from './session.js';

/** The largest page of the service. */
const MOST_LINES = 10_000;
const MOST_MATCHES = 1_000;
/** How long one request waits for more lines, in seconds. */
const FOLLOW_WAIT_S = 55;

export interface LinePage {
  fromLine: number;
  /** Null: to the end; of a search, one page. */
  lines: number | null;
  /** Without terminal escape sequences. */
  plain: boolean;
  /** Each line after the time at which it arrived. */
  timestamps: boolean;
}

/** Lines as they are, page by page. */
export async function printLines(session: Session, id: string, page: LinePage): Promise<void> {
  const { log } = session.client.builds;
  const { plain, timestamps } = page;
  let left = page.lines ?? Number.POSITIVE_INFINITY;
  let cut = 0;
  for (let from: number | null = page.fromLine; from !== null && left > 0; ) {
    const options = { fromLine: from, lines: Math.min(left, MOST_LINES), plain, timestamps };
    const read = await log.lines(id, options);
    if (session.json) return session.print(`${printedJson(read, 2)}\n`);
    await session.printLog(read.lines.map((line) => `${stampOf(line)}${line.text}\n`).join(''));
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
  { fromLine, lines, plain, timestamps }: LinePage,
): Promise<void> {
  const { log } = session.client.builds;
  let left = lines ?? MOST_MATCHES;
  let cut = 0;
  let next: number | null = fromLine;
  let total = 0;
  while (next !== null && left > 0) {
    const options = { fromLine: next, lines: Math.min(left, MOST_MATCHES), plain, timestamps };
    const found = await log.search(id, text, options);
    if (session.json) return session.print(`${printedJson(found, 2)}\n`);
    await session.printLog(found.matches.map((line) => `${line.n}:${stampOf(line)}${line.text}\n`).join(''));
    cut += cutLines(found.matches);
    left -= found.matches.length;
    total = found.total_matches;
    next = found.next_from_line;
  }
  noteCut(session, cut);
  const more = next === null ? '' : `; continue with --from-line ${next}`;
  if (total === 0 || next !== null) session.note(`${formatCount(total, 'matching line')} in all${more}`);
}

/** Complete lines as they come, each after its time, until the build has ended. With `--json` a document for each page. */
export async function followLines(
  session: Session,
  id: string,
  { fromLine, plain, timestamps }: LinePage,
): Promise<void> {
  const { builds } = session.client;
  let from = fromLine;
  let cut = 0;
  for (let hasEnded = false; ; ) {
    const options = { fromLine: from, lines: MOST_LINES, plain, timestamps, retry: FOLLOW_RETRY };
    const read = await builds.log.lines(id, { ...options, ...(hasEnded ? {} : { waitS: FOLLOW_WAIT_S }) });
    const lines = read.lines.filter(({ open }) => !open);
    if (session.json && lines.length > 0) await session.print(`${printedJson({ ...read, lines }, 0)}\n`);
    else await session.printLog(lines.map((line) => `${stampOf(line)}${line.text}\n`).join(''));
    cut += cutLines(lines);
    from += lines.length;
    if (lines.length > 0) continue;
    if (hasEnded) break;
    // An answer without lines means that the wait is over or the build is.
    hasEnded = (await builds.get(id)).timings.ended_at !== null;
  }
  noteCut(session, cut);
}

/** The last lines, then further ones as `followLines` does. */
export async function followTail(session: Session, id: string, tail: number, page: LinePage): Promise<void> {
  const { total_lines } = await session.client.builds.log.lines(id, { fromLine: 1, lines: 1 });
  await followLines(session, id, { ...page, fromLine: Math.max(1, total_lines - tail + 1) });
}

/** As wide as a time when it is not known. */
const stampOf = ({ at }: LogLine) => (at === undefined ? '' : `${at ?? '-'.padEnd(24)} `);

const cutLines = (lines: readonly LogLine[]) => lines.filter(({ cut }) => cut).length;

function noteCut(session: Session, cut: number): void {
  if (cut > 0)
    session.note(
      `${formatCount(cut, 'long line')} not shown whole; leave out --from-line and --search to see everything`,
    );
}
