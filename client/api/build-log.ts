// A build's log in its four forms.
import { type CallOptions, fetchBytes, fetchJson, fetchText, type Wire } from '../http/exchange.js';
import type { LogLines, LogMatches } from '../types.js';
import { followLog, type LogFollower, type LogSource } from './follow-log.js';

export interface BuildLogApi extends LogSource, LogFollower {
  /** The log so far; with `plain` without colors and other escape sequences. */
  text(id: string, options?: CallOptions & { plain?: boolean }): Promise<string>;
  /** The last `lines` lines, 0 to 10,000. */
  tail(id: string, lines: number, options?: CallOptions & { plain?: boolean }): Promise<string>;
  /**
   * Lines by number: from `fromLine` (default 1), at most `lines` (1 to 10,000, default 1,000). Long lines reduce
   * their number; continue at `next_from_line`.
   */
  lines(
    id: string,
    options?: CallOptions & { fromLine?: number; lines?: number; plain?: boolean },
  ): Promise<LogLines>;
  /** Lines that contain a literal text, ignoring case, at most `lines` (1 to 1,000). */
  search(
    id: string,
    text: string,
    options?: CallOptions & { fromLine?: number; lines?: number; plain?: boolean },
  ): Promise<LogMatches>;
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
    const ansi = ansiOf(options);
    const query =
      wait === undefined && offset === undefined
        ? { tail, ansi }
        : { format: 'text', offset, tail, wait, ansi };
    const holdMs = (wait ?? 0) * 1000;
    const call = { method: 'GET', path: pathOf(id), query, holdMs, options } as const;
    return fetchBytes(wire, call, 'the connection was lost in the middle of the log');
  };

  return {
    ...followLog(wire.clock, { segment, stream }),
    text: (id, options) =>
      fetchText(wire, { method: 'GET', path: pathOf(id), query: { ansi: ansiOf(options) }, options }),
    tail: (id, tail, options) =>
      fetchText(wire, { method: 'GET', path: pathOf(id), query: { tail, ansi: ansiOf(options) }, options }),
    lines: (id, options) => {
      const { fromLine: from_line = 1, lines } = options ?? {};
      const query = { from_line, lines, ansi: ansiOf(options) };
      return fetchJson(wire, { method: 'GET', path: pathOf(id), query, options });
    },
    search: (id, search, options) => {
      const query = { search, from_line: options?.fromLine, lines: options?.lines, ansi: ansiOf(options) };
      return fetchJson(wire, { method: 'GET', path: pathOf(id), query, options });
    },
    segment,
    stream,
  };
}

const ansiOf = (options?: { plain?: boolean }) => (options?.plain ? 'strip' : undefined);
