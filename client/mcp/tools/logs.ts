import { z } from 'zod';
import { countOf } from '../../../shared/count.js';
import type { LogLines } from '../../types.js';
import { buildId } from '../inputs.js';
import type { LogLine } from '../log-lines.js';
import { type ToolCall, tool } from '../tool.js';
import { cleanLine, markedBlock, type ShownLine, shownLine, UNTRUSTED } from '../untrusted.js';

const MOST_LINES = 400;
/** Characters of one answer; what does not fit is left for the next call. */
const MOST_CHARACTERS = 24_000;
const MOST_MATCHES = 100;

const answer = { status: 'string', lines: 'array', truncated: 'boolean', next_line: 'any' } as const;
const fromLine = z.int().min(1).default(1);

export const logTools = [
  tool({
    name: 'log_tail',
    title: 'End of a log',
    description: 'The last lines of a log with numbers, also while it grows. Secrets are masked as ***.',
    input: { build_id: buildId, lines: z.int().min(1).max(MOST_LINES).default(60) },
    answer,
    effect: 'reads',
    openWorld: true,
    async run({ build_id, lines: count }, call) {
      const { status } = await call.client.builds.get(build_id, { signal: call.signal });
      const { lines, total } = await readTail(call, build_id, count);
      return linesAnswer({ build_id, status, lines, total, truncated: lines.length < total, next: null });
    },
  }),
  tool({
    name: 'log_search',
    title: 'Search a log',
    description:
      'Lines of the whole log with any of the texts (literal, any case by default), their numbers and lines around them.',
    input: {
      build_id: buildId,
      texts: z.array(z.string().min(1).max(200)).min(1).max(10).describe('e.g. ["error:", "FAILED"]'),
      match_case: z.boolean().default(false),
      context: z.int().min(0).max(10).default(2).describe('lines around each match'),
      max_matches: z.int().min(1).max(MOST_MATCHES).default(20),
      from_line: fromLine,
    },
    answer: { ...answer, matches: 'array', total_matches: 'number' },
    effect: 'reads',
    openWorld: true,
    async run({ build_id, from_line, ...query }, call) {
      const { status } = await call.client.builds.get(build_id, { signal: call.signal });
      const found = await search(call, build_id, from_line, query);
      const { lines, total, matches, totalMatches, next } = found;
      const heading = `${countOf(totalMatches, 'matching line')} from line ${from_line} on; shown: ${matches.join(', ') || 'none'}`;
      const shown = { build_id, status, lines, total, truncated: next !== null, next };
      return linesAnswer(shown, { matches, total_matches: totalMatches }, heading);
    },
  }),
  tool({
    name: 'log_read',
    title: 'Read a log',
    description: 'Lines of a log from a line number (from 1) on. Numbers never change; go on at next_line.',
    input: {
      build_id: buildId,
      from_line: fromLine,
      lines: z.int().min(1).max(MOST_LINES).default(200),
    },
    answer,
    effect: 'reads',
    does: ['getBuildLog'],
    openWorld: true,
    async run({ build_id, from_line, lines: count }, call) {
      const { status } = await call.client.builds.get(build_id, { signal: call.signal });
      const { lines, more, total } = await readFrom(call, build_id, from_line, count);
      return linesAnswer({
        build_id,
        status,
        lines,
        total,
        truncated: more,
        next: more ? nextOf(lines) : null,
      });
    },
  }),
];

interface Shown {
  build_id: string;
  status: string;
  lines: ShownLine[];
  total: number;
  truncated: boolean;
  next: number | null;
}

function linesAnswer({ lines, total, next, ...shown }: Shown, more: Record<string, unknown> = {}, heading?: string) {
  const { build_id, status, truncated } = shown;
  const [first, last] = [lines[0]?.n, lines.at(-1)?.n];
  const range = first === undefined ? 'no lines' : `lines ${first} to ${last} of ${total}`;
  const goOn = next === null ? [] : [`Cut short: go on with from_line ${next}.`];
  const head = `${build_id} (${status}), ${heading ?? range}`;
  const body = lines.length === 0 ? [] : [markedBlock(build_id, lines)];
  return {
    data: {
      build_id,
      status,
      notice: UNTRUSTED,
      lines,
      total_lines: total,
      truncated,
      next_line: next,
      ...more,
    },
    text: [head, ...body, ...goOn].join('\n'),
  };
}

const nextOf = (lines: readonly ShownLine[]) => (lines.at(-1)?.n ?? 0) + 1;

/** What fits into one answer: the first lines, or with `fromEnd` the last ones; always at least one. */
function fitting(lines: readonly ShownLine[], fromEnd = false): ShownLine[] {
  const shown: ShownLine[] = [];
  let characters = 0;
  for (const line of fromEnd ? lines.toReversed() : lines) {
    characters += line.text.length;
    if (shown.length > 0 && characters > MOST_CHARACTERS) break;
    shown.push(line);
  }
  return fromEnd ? shown.reverse() : shown;
}

async function readFrom({ client, signal }: ToolCall, buildId: string, fromLine: number, lines: number) {
  const page = await client.builds.log.lines(buildId, { fromLine, lines, plain: true, signal });
  const shown = fitting(page.lines.map(shownLine));
  const more = shown.length < page.lines.length || page.next_from_line !== null;
  return { lines: shown, more, total: page.total_lines };
}

/** The last lines, and how many there are in all. */
async function readTail(call: ToolCall, buildId: string, count: number) {
  const { log } = call.client.builds;
  const { total_lines } = await log.lines(buildId, { lines: 1, signal: call.signal });
  const fromLine = Math.max(1, total_lines - count + 1);
  const read: ShownLine[] = [];
  let total = total_lines;
  // Pages are bounded in bytes too, and the log may grow meanwhile.
  for (let from: number | null = fromLine; from !== null && read.length < MOST_LINES; ) {
    const page: LogLines = await log.lines(buildId, {
      fromLine: from,
      lines: MOST_LINES,
      plain: true,
      signal: call.signal,
    });
    read.push(...page.lines.map(shownLine));
    total = page.total_lines;
    from = page.lines.length > 0 ? page.next_from_line : null;
  }
  return { lines: fitting(read.slice(-count), true), total };
}

interface Query {
  texts: string[];
  match_case: boolean;
  context: number;
  max_matches: number;
}

async function search(call: ToolCall, buildId: string, first: number, query: Query) {
  const { texts, match_case, context, max_matches } = query;
  const folded = (text: string) => (match_case ? text : text.toLowerCase());
  const wanted = texts.map(folded);
  const found: LogLine[] = [];
  const matches: number[] = [];
  let before: LogLine[] = [];
  let total = 0;
  let totalMatches = 0;
  let behind = 0;
  let next: number | null = null;
  for await (const batch of call.logs.from(buildId, first, call.signal)) {
    for (const line of batch) {
      total = line.number;
      // Escape sequences may stand in the middle of a word: what is searched is cleaned.
      const text = folded(searchedText(line));
      if (wanted.some((part) => text.includes(part))) {
        totalMatches++;
        if (matches.length < max_matches) {
          found.push(...before, line);
          before = [];
          matches.push(line.number);
          behind = context;
        } else next ??= line.number;
      } else if (behind > 0) {
        found.push(line);
        behind--;
      } else if (context > 0) before = [...before, line].slice(-context);
    }
  }
  const lines = fitting(found.map(({ number, text, whole }) => shownLine({ n: number, text, cut: !whole })));
  const lastShown = lines.at(-1)?.n ?? 0;
  const shown = matches.filter((number) => number <= lastShown);
  return { lines, total, totalMatches, matches: shown, next: matches[shown.length] ?? next };
}

const searchedText = (line: LogLine) => cleanLine(line.text, Number.POSITIVE_INFINITY);
