// A build's log in its four forms.
import { type CallOptions, fetchBytes, fetchJson, fetchText, type Wire } from '../http/exchange.js';
import type { LogLines, LogMatches } from '../types.js';
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
  /** The last `lines` lines, 0 to 10,000. */
  tail(id: string, lines: number, options?: CallOptions & { plain?: boolean; timestamps?: boolean }): Promise<string>;
  /**
   * Lines by number: from `fromLine` (default 1), at most `lines` (1 to 10,000, default 1,000). Long lines reduce
   * their number; continue at `next_from_line`.
   *
   * @param options.waitS seconds (0 to 60) to wait for a complete line, more of the last one, or the end of the build
   */
  lines(id: string, options?: CallOptions & LinesOptions & { waitS?: number }): Promise<LogLines>;
  /** Lines that contain a literal text, ignoring case, at most `lines` (1 to 1,000). */
  search(id: string, text: string, options?: CallOptions & LinesOptions): Promise<LogMatches>;
}

export function buildLogApi(wire: Wire): BuildLogApi {
  const pathOf = (id: string) => `/builds/${encodeURIComponent(id)}/log`;
  const segment: LogSource['segment'] = (id, offset, options) => {
    const wait = options?.waitS;
    return fetchJson(wire, {
      method: 'GET',
      path: pathOf(id),
      query: { offset, wait },
      holdMs: (wait ?? 0) * 1000,
      options,
    });
  };
  const stream: LogSource['stream'] = (id, options) => {
    const { waitS: wait, offset, tail } = options ?? {};
    const marks = { ansi: ansiOf(options), timestamps: timestampsOf(options) };
    const query =
      wait === undefined && offset === undefined
        ? { tail, ...marks }
        : { format: 'text', offset, tail, wait, ...marks };
    const holdMs = (wait ?? 0) * 1000;
    const call = { method: 'GET', path: pathOf(id), query, holdMs, options } as const;
    return fetchBytes(wire, call, 'the connection was lost in the middle of the log');
  };

  return {
    ...followLog(wire.clock, { segment, stream }),
    text: (id, options) =>
      fetchText(wire, { method: 'GET', path: pathOf(id), query: { ansi: ansiOf(options) }, options }),
    tail: (id, tail, options) => {
      const query = { tail, ansi: ansiOf(options), timestamps: timestampsOf(options) };
      return fetchText(wire, { method: 'GET', path: pathOf(id), query, options });
    },
    lines: (id, options) => {
      const { fromLine: from_line = 1, lines, waitS: wait } = options ?? {};
      const query = { from_line, lines, wait, ansi: ansiOf(options), timestamps: timestampsOf(options) };
      const holdMs = (wait ?? 0) * 1000;
      return fetchJson(wire, { method: 'GET', path: pathOf(id), query, holdMs, options });
    },
    search: (id, search, options) => {
      const { fromLine: from_line, lines } = options ?? {};
      const query = { search, from_line, lines, ansi: ansiOf(options), timestamps: timestampsOf(options) };
      return fetchJson(wire, { method: 'GET', path: pathOf(id), query, options });
    },
    segment,
    stream,
  };
}

const timestampsOf = (options?: { timestamps?: boolean }) => (options?.timestamps ? 'true' : undefined);
const ansiOf = (options?: { plain?: boolean }) => (options?.plain ? 'strip' : undefined);
