// A build's log in its four forms.
import { callOf } from '../http/call-operation.js';
import { type CallOptions, fetchBytes, fetchJson, fetchText, type Wire } from '../http/exchange.js';
import { getBuildLog } from '../operations/api.js';
import type { Asked } from '../operations/operation.js';
import type { GetBuildLogQuery, LogLines, LogMatches } from '../types.js';
import { followLog, type LogFollower, type LogSource } from './follow-log.js';

export interface LinesOptions {
  fromLine?: number;
  lines?: number;
  plain?: boolean;
  /** True: each line has the time at which it arrived, as `at`. */
  timestamps?: boolean;
}

export interface BuildLogApi extends LogSource, LogFollower {
  /** The log so far; with `plain` without colors and other escape sequences. */
  text(id: string, options?: CallOptions & { plain?: boolean }): Promise<string>;
  /** The last `lines` lines. */
  tail(id: string, lines: number, options?: CallOptions & { plain?: boolean; timestamps?: boolean }): Promise<string>;
  /**
   * Lines by number: from `fromLine` (default 1), at most `lines`. Long lines reduce
   * their number; continue at `next_from_line`.
   *
   * @param options.waitS seconds (0 to 60) to wait for a complete line, more of the last one, or the end of the build
   */
  lines(id: string, options?: CallOptions & LinesOptions & { waitS?: number }): Promise<LogLines>;
  /** Lines that contain a literal text, ignoring case, at most `lines`. */
  search(id: string, text: string, options?: CallOptions & LinesOptions): Promise<LogMatches>;
}

export function buildLogApi(wire: Wire): BuildLogApi {
  const call = (id: string, query: Asked<GetBuildLogQuery>, options?: CallOptions) =>
    callOf(getBuildLog, [id, query], options);
  const segment: LogSource['segment'] = (id, offset, options) =>
    fetchJson(wire, call(id, { offset, wait: options?.waitS }, options));
  const stream: LogSource['stream'] = (id, options) => {
    const { waitS: wait, offset, tail } = options ?? {};
    const query =
      wait === undefined && offset === undefined
        ? { tail, ...marksOf(options) }
        : { format: 'text' as const, offset, tail, wait, ...marksOf(options) };
    return fetchBytes(wire, call(id, query, options), 'the connection was lost in the middle of the log');
  };
  return {
    ...followLog(wire.clock, { segment, stream }),
    text: (id, options) => fetchText(wire, call(id, marksOf(options), options)),
    tail: (id, tail, options) => fetchText(wire, call(id, { tail, ...marksOf(options) }, options)),
    lines: (id, options) => {
      const { fromLine: from_line = 1, lines, waitS: wait } = options ?? {};
      return fetchJson(wire, call(id, { from_line, lines, wait, ...marksOf(options) }, options));
    },
    search: (id, search, options) => {
      const { fromLine: from_line, lines } = options ?? {};
      return fetchJson(wire, call(id, { search, from_line, lines, ...marksOf(options) }, options));
    },
    segment,
    stream,
  };
}

const marksOf = (options?: { plain?: boolean; timestamps?: boolean }) => ({
  ansi: options?.plain ? ('strip' as const) : undefined,
  timestamps: options?.timestamps ? ('true' as const) : undefined,
});
