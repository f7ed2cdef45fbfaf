import { z } from 'zod';
import { hasEnded } from '../../api/builds.js';
import type { Build, BuildFailure } from '../../types.js';
import { buildId } from '../inputs.js';
import type { LogLine } from '../log-lines.js';
import { type ToolCall, tool } from '../tool.js';
import { cleanLine, marked, markedBlock, type ShownLine, shownLine, UNTRUSTED } from '../untrusted.js';
import { failureView } from '../views.js';

const MOST_LINES = 400;
/** Characters of one answer; what does not fit is left for the next call. */
const MOST_CHARACTERS = 24_000;
const MOST_MATCHES = 100;
const EXCERPT_LINES = 40;
const TAIL_LINES = 15;

const answer = { status: 'string', lines: 'array', truncated: 'boolean', next_line: 'any' } as const;
const fromLine = z.int().min(1).default(1);

export const logTools = [
  tool({
    name: 'failure_summary',
    title: 'Why a build failed',
    description:
      'Start here after a failed build: who is at fault, the reason, the place in the source, what to do, the lines that show the cause, the last lines.',
    input: { build_id: buildId },
    answer: { ...answer, failure: 'any', from_log: 'any', tail: 'array' },
    effect: 'reads',
    openWorld: true,
    async run({ build_id }, call) {
      const build = await call.client.builds.get(build_id, { signal: call.signal });
      const [first, last] = build.failure?.log_excerpt_lines ?? [];
      const range =
        first === undefined || last === undefined ? null : { first: Math.max(1, first - 3), last: last + 3 };
      const read = range
        ? await readFrom(call, build_id, range.first, Math.min(range.last - range.first + 1, EXCERPT_LINES))
        : { lines: [], more: false };
      const { lines: tail, total } = await readTail(call, build_id, TAIL_LINES);
      const lines = read.lines;
      const cut = range !== null && (lines.at(-1)?.line ?? 0) < Math.min(range.last, total);
      const advice = adviceFor(build);
      const { status } = build;
      const failure = build.failure && failureView(build.failure);
      const quoted = build.failure && quotedOf(build.failure);
      return {
        data: {
          ...{ build_id, status, failure, advice, notice: UNTRUSTED, from_log: quoted },
          ...{ lines, tail, total_lines: total, truncated: cut, next_line: cut ? nextOf(lines) : null },
        },
        text: [
          JSON.stringify({ build_id, status, ...(failure ? { failure } : {}), advice }),
          ...(quoted ? ['What its log says:', UNTRUSTED, marked(`log ${build_id}`, rowsOf(quoted))] : []),
          ...(lines.length > 0 ? ['The cause:', markedBlock(build_id, lines)] : []),
          ...(tail.length > 0
            ? [`The last lines, of ${total}:`, markedBlock(build_id, tail)]
            : ['The log is empty.']),
        ].join('\n'),
      };
    },
  }),
  tool({
    name: 'log_tail',
    title: 'End of a log',
    description:
      'The last lines of a log with their numbers, also while it grows. Secrets are masked as ***.',
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
      'Lines of the whole log that contain any of the given texts (literal, any case by default), with numbers and the lines around them.',
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
      const heading = `${totalMatches} matching lines from line ${from_line} on; shown: ${matches.join(', ') || 'none'}`;
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
    openWorld: true,
    async run({ build_id, from_line, lines: count }, call) {
      const { status } = await call.client.builds.get(build_id, { signal: call.signal });
      const { lines, more } = await readFrom(call, build_id, from_line, count);
      const total = more ? null : (lines.at(-1)?.line ?? null);
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
  total: number | null;
  truncated: boolean;
  next: number | null;
}

function linesAnswer(
  { lines, total, next, ...shown }: Shown,
  more: Record<string, unknown> = {},
  heading?: string,
) {
  const { build_id, status, truncated } = shown;
  const [first, last] = [lines[0]?.line, lines.at(-1)?.line];
  const range =
    first === undefined ? 'no lines' : `lines ${first} to ${last}${total === null ? '' : ` of ${total}`}`;
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

const nextOf = (lines: readonly ShownLine[]) => (lines.at(-1)?.line ?? 0) + 1;

/** What fits into one answer: the first lines, or with `fromEnd` the last ones; always at least one. */
function fitting(lines: readonly LogLine[], fromEnd = false): ShownLine[] {
  const shown: ShownLine[] = [];
  let characters = 0;
  for (const line of fromEnd ? lines.toReversed() : lines) {
    const next = shownLine(line);
    characters += next.text.length;
    if (shown.length > 0 && characters > MOST_CHARACTERS) break;
    shown.push(next);
  }
  return fromEnd ? shown.reverse() : shown;
}

async function readFrom({ logs, signal }: ToolCall, buildId: string, first: number, count: number) {
  const read: LogLine[] = [];
  for await (const batch of logs.from(buildId, first, signal)) {
    read.push(...batch.slice(0, count + 1 - read.length));
    if (read.length > count) break;
  }
  const lines = fitting(read.slice(0, count));
  return { lines, more: lines.length < read.length };
}

/** The last lines, and how many there are in all. */
async function readTail({ logs, signal }: ToolCall, buildId: string, count: number) {
  let last: LogLine[] = [];
  let total = 0;
  for await (const batch of logs.from(buildId, Math.max(1, logs.knownUntil(buildId) - count), signal)) {
    last = [...last, ...batch.slice(-count)].slice(-count);
    total = batch.at(-1)?.number ?? total;
  }
  return { lines: fitting(last, true), total };
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
  const lines = fitting(found);
  const lastShown = lines.at(-1)?.line ?? 0;
  const shown = matches.filter((number) => number <= lastShown);
  return { lines, total, totalMatches, matches: shown, next: matches[shown.length] ?? next };
}

const searchedText = (line: LogLine) => cleanLine(line.text, Number.POSITIVE_INFINITY);

interface Quoted {
  summary: string;
  location: { file: string; line: number; message: string } | null;
}

/** What of a failure the log said. */
function quotedOf({ summary, location }: BuildFailure): Quoted {
  return {
    summary: cleanLine(summary, 600),
    location: location && {
      file: cleanLine(location.file),
      line: location.line,
      message: cleanLine(location.message),
    },
  };
}

const rowsOf = ({ summary, location }: Quoted): string[] => [
  `summary: ${summary}`,
  ...(location ? [`at ${location.file}:${location.line}: ${location.message}`] : []),
];

function adviceFor({ status, failure, ...build }: Build): string {
  if (!hasEnded({ status })) return 'It has not ended; call wait.';
  if (status === 'succeeded') return 'It succeeded; there is nothing to explain.';
  if (status === 'cancelled') return `It was cancelled (${build.end_reason}).`;
  if (status === 'expired')
    return `It never started (${build.end_reason}). Look at status, then build again.`;
  if (failure?.fault === 'platform') return 'The service is at fault: build again unchanged.';
  if (failure?.fault === 'customer') return 'Change the code or the script, then build again.';
  return 'The cause is not known. Read the end of the log; if it names none, build again once.';
}
