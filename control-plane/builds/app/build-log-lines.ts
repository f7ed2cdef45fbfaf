// Reads a build's log by line numbers and searches it.
import { setImmediate } from 'node:timers/promises';
import { incompleteTail } from '../../../shared/utf8.js';
import { type LogLine, readLines } from '../../platform/blobs/log-lines.js';
import type { Scope } from '../../platform/domain/caller.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Store } from '../../platform/store/sql.js';
import { hasEnded } from '../domain/build.js';
import { createLogSearch, type LogMatch, type LogMatches } from '../domain/log-search.js';
import type { BuildLogs } from '../logs/build-logs.js';
import { readableLog } from './log-access.js';

export interface BuildLogLinesDeps {
  readonly store: Store;
  readonly logs: BuildLogs;
  readonly limits: Limits;
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
}

export interface LogPage {
  readonly fromLine: number;
  readonly lines: readonly NumberedLine[];
  /** Lines so far, including an unfinished one. */
  readonly totalLines: number;
  /** Null if there are no lines after these. */
  readonly nextFromLine: number | null;
}

export interface LogLinesRequest {
  readonly scope: Scope;
  readonly buildId: string;
  readonly fromLine: number;
  readonly lines: number;
}

export interface OwnMatches extends LogMatches {
  readonly matches: readonly (LogMatch & Pick<NumberedLine, 'isOwn'>)[];
}

export type BuildLogLines = ReturnType<typeof createBuildLogLines>;

export function createBuildLogLines({ store, logs, limits }: BuildLogLinesDeps) {
  const inTurn = createTurns(Math.max(1, limits.log_searches));

  /** Throws build_not_found, log_deleted. */
  const isRunning = async (of: Pick<LogLinesRequest, 'scope' | 'buildId'>) =>
    !hasEnded(await readableLog(store, of));

  const withOwn = async (buildId: string, found: LogMatches): Promise<OwnMatches> => {
    const isOwn = await logs.serviceLines(buildId);
    return { ...found, matches: found.matches.map((match) => ({ ...match, isOwn: isOwn(match.n) })) };
  };

  return {
    /** Returns at most `lines` lines, fewer if they are long. Throws build_not_found, log_deleted. */
    async page(of: LogLinesRequest): Promise<LogPage> {
      // Read the status first: if the build has ended by then, its log is complete.
      const running = await isRunning(of);
      const { buildId, fromLine } = of;
      const { offset, length, lines: totalLines } = await logs.lineStart(buildId, fromLine);
      const page = {
        ...{ first: fromLine, count: of.lines },
        ...{ lineBytes: limits.log_line_bytes, pageBytes: limits.log_page_bytes },
      };
      const read = await readLines(logs.stream(buildId, { start: offset, end: length }), page);
      const last = read.at(-1);
      const isOwn = await logs.serviceLines(buildId);
      return {
        fromLine,
        lines: read.map((line) => ({ ...numbered(line, running), isOwn: isOwn(line.number) })),
        totalLines,
        nextFromLine: last && last.number < totalLines ? last.number + 1 : null,
      };
    },

    /**
     * Returns lines that contain a text, ignoring case: at most `lines` of them from `fromLine` on, and the total
     * count. Reads only the parts of the log that may contain it. Concurrent searches are limited; further ones wait.
     *
     * @throws ApiError build_not_found, log_deleted
     */
    async search(of: LogLinesRequest & { text: string; signal: AbortSignal }): Promise<OwnMatches> {
      await isRunning(of);
      return inTurn(async () => {
        const search = createLogSearch({
          ...{ text: of.text, from: of.fromLine, count: of.lines },
          ...{ lineChars: limits.log_line_bytes, pageChars: limits.log_page_bytes },
        });
        for (const range of await logs.rangesWith(of.buildId, of.text)) {
          search.goTo(range.firstLine);
          for await (const piece of logs.stream(of.buildId, range)) {
            if (of.signal.aborted) return withOwn(of.buildId, search.end());
            search.read(piece);
            await setImmediate();
          }
        }
        return withOwn(of.buildId, search.end());
      });
    },
  };
}

function numbered({ number, bytes, cut, ended }: LogLine, running: boolean): Omit<NumberedLine, 'isOwn'> {
  const open = running && !ended && !cut;
  // The last character may be incomplete.
  const whole = open || cut ? bytes.subarray(0, bytes.length - incompleteTail(bytes)) : bytes;
  return { n: number, text: whole.toString('utf8'), cut, open };
}

/** Limits how many tasks run at the same time; the others wait in order. */
function createTurns(atOnce: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
