// Reads a build's log by line numbers and searches it.
import { incompleteTail } from '../../../shared/utf8.js';
import type { Core } from '../../platform/app/core.js';
import type { Step } from '../../platform/app/turns.js';
import { type WaitDeps, waitUntil } from '../../platform/app/wait-until.js';
import { type LogLine, readLines } from '../../platform/blobs/log-lines.js';
import type { Scope } from '../../platform/domain/caller.js';
import { hasEnded } from '../domain/build.js';
import { createLogSearch, type LogMatch, type LogMatches } from '../domain/log-search.js';
import type { BuildLogs } from '../logs/build-logs.js';
import { readableLog } from './log-access.js';

export interface BuildLogLinesDeps extends WaitDeps, Pick<Core, 'store' | 'limits'> {
  readonly logs: BuildLogs;
}

export interface NumberedLine {
  /** From 1, in the whole stored log. */
  readonly n: number;
  readonly text: string;
  /** Only the first part of a long line is included. */
  readonly cut: boolean;
  /** The build is still running and this line has no line end yet. */
  readonly open: boolean;
  /** Whether the service wrote it, not the build. */
  readonly isOwn: boolean;
  /** When its beginning arrived, in ms; null if that is not known, undefined if it was not asked for. */
  readonly at?: number | null;
}

export interface LogPage {
  readonly fromLine: number;
  readonly lines: readonly NumberedLine[];
  /** Lines so far, including an unfinished one. */
  readonly totalLines: number;
  /** Null if there are no lines after these. */
  readonly nextFromLine: number | null;
  /** Nothing will be added to the log. */
  readonly ended: boolean;
}

export interface LogLinesRequest {
  readonly scope: Scope;
  readonly buildId: string;
  readonly fromLine: number;
  readonly lines: number;
  /** Whether to return the times of the lines; default false. */
  readonly timestamps?: boolean;
}

export interface OwnMatches extends Omit<LogMatches, 'matches'> {
  readonly matches: readonly (Omit<LogMatch, 'start'> & Pick<NumberedLine, 'isOwn' | 'at'>)[];
}

export type BuildLogLines = ReturnType<typeof createBuildLogLines>;

export function createBuildLogLines(deps: BuildLogLinesDeps) {
  const { store, logs, limits } = deps;
  const inSlot = createAccountSlots(Math.max(1, limits.log_searches));

  /** Throws build_not_found, log_deleted. */
  const isRunning = async (of: Pick<LogLinesRequest, 'scope' | 'buildId'>) => !hasEnded(await readableLog(store, of));

  const matchesOf = async (of: LogLinesRequest, found: LogMatches): Promise<OwnMatches> => ({
    ...found,
    matches: await described(logs, of, found.matches),
  });

  const read = async (of: LogLinesRequest): Promise<LogPage & { length: number }> => {
    // Read the status first: if the build has ended by then, its log is complete.
    const running = await isRunning(of);
    const { buildId, fromLine } = of;
    const { offset, length, lines: totalLines } = await logs.lineStart(buildId, fromLine);
    const page = {
      first: fromLine,
      count: of.lines,
      lineBytes: limits.log_line_bytes,
      pageBytes: limits.log_page_bytes,
    };
    const found = await readLines(logs.stream(buildId, { start: offset, end: length }), page);
    const last = found.at(-1);
    return {
      fromLine,
      lines: await described(
        logs,
        of,
        found.map((line) => ({ ...numbered(line, running), start: offset + line.start })),
      ),
      totalLines,
      nextFromLine: last && last.number < totalLines ? last.number + 1 : null,
      ended: !running,
      length,
    };
  };

  return {
    /** Returns at most `lines` lines, fewer if they are long. Throws build_not_found, log_deleted. */
    page: (of: LogLinesRequest): Promise<LogPage> => read(of),

    /**
     * Like `page`, but waits up to `ms` for a complete line, more of the last line, or the end of the build.
     *
     * @throws ApiError build_not_found, log_deleted
     */
    async follow(of: LogLinesRequest & { ms: number; signal: AbortSignal }): Promise<LogPage> {
      let before: number | null = null;
      return waitUntil(
        deps,
        { topic: 'build-log', key: of.buildId, ms: of.ms, signal: of.signal },
        () => read(of),
        ({ lines, ended, length }) => {
          const grew = before !== null && length > before && lines.length > 0;
          before ??= length;
          return ended || grew || lines.some(({ open }) => !open);
        },
      );
    },

    /**
     * Returns lines that contain a text, ignoring case: at most `lines` of them from `fromLine` on, and the total
     * count. Concurrent searches of an account are limited; further ones wait.
     *
     * @throws ApiError build_not_found, log_deleted
     */
    async search(of: LogLinesRequest & { text: string; signal: AbortSignal; step: Step }): Promise<OwnMatches> {
      await isRunning(of);
      return inSlot(of.scope.accountId, async () => {
        const search = createLogSearch({
          text: of.text,
          from: of.fromLine,
          count: of.lines,
          lineChars: limits.log_line_bytes,
          pageChars: limits.log_page_bytes,
        });
        for await (const piece of logs.stream(of.buildId)) {
          if (of.signal.aborted) break;
          await of.step();
          search.read(piece);
        }
        return matchesOf(of, search.end());
      });
    },
  };
}

/** Returns lines without their offset, with their source and, if asked for, their time. */
async function described<L extends { n: number; start: number }>(
  logs: BuildLogs,
  of: LogLinesRequest,
  lines: readonly L[],
) {
  const originOf = await logs.origins(of.buildId, lines[0]?.start ?? 0, (lines.at(-1)?.start ?? 0) + 1);
  return lines.map(({ start, ...line }) => {
    const { at, isOwn } = originOf(start);
    return { ...line, isOwn, ...(of.timestamps ? { at } : {}) };
  });
}

function numbered({ number, bytes, cut, ended }: LogLine, running: boolean): Omit<NumberedLine, 'isOwn'> {
  const open = running && !ended && !cut;
  // The last character may be incomplete.
  const whole = open || cut ? bytes.subarray(0, bytes.length - incompleteTail(bytes)) : bytes;
  return { n: number, text: whole.toString('utf8'), cut, open };
}

/** Limits how many tasks of one account run at the same time; its others wait in order. */
function createAccountSlots(atOnce: number) {
  const accounts = new Map<number, { running: number; readonly waiting: (() => void)[] }>();
  return async <T>(accountId: number, work: () => Promise<T>): Promise<T> => {
    const slots = accounts.get(accountId) ?? { running: 0, waiting: [] };
    accounts.set(accountId, slots);
    if (slots.running >= atOnce) await new Promise<void>((resolve) => slots.waiting.push(resolve));
    else slots.running++;
    try {
      return await work();
    } finally {
      const next = slots.waiting.shift();
      if (next) next();
      else if (--slots.running === 0) accounts.delete(accountId);
    }
  };
}
