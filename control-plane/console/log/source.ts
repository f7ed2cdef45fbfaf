// Where the viewer reads a log from: the API below the address of an organization, or of a shared link.
import type { LogLines, LogMatches } from '../../../client/types.js';
import { CONSOLE_ROOT, request } from '../data/api.js';

export interface LogSource {
  /** Lines from a number on, at most `count`, with their times. */
  lines(from: number, count: number, signal: AbortSignal): Promise<LogLines>;
  /** The same, but waits for a complete line, for more of the last line, or for the end of the build. */
  follow(from: number, signal: AbortSignal): Promise<LogLines>;
  /** Lines that contain a text, from a number on. */
  search(text: string, from: number, signal: AbortSignal): Promise<LogMatches>;
  /** The whole log as text. */
  rawUrl(options?: { plain?: boolean; timestamps?: boolean }): string;
  /** Name of the file when it is downloaded. */
  readonly fileName: string;
}

/** Seconds that one request waits for more. */
const WAIT_S = 20;
/** Lines and matches of one answer. */
const MOST = 1_000;

/** @param root the path of the API below `/api/runner`, such as `/v1/organizations/org_1/agent` */
export function apiLogSource(root: string, buildId: string): LogSource {
  // The root may have a query of its own, such as the workspace.
  const [base = '', own] = root.split('?');
  const path = `${base.replace(/\/$/, '')}/builds/${encodeURIComponent(buildId)}/log`;
  const given = Object.fromEntries(new URLSearchParams(own ?? ''));
  const read = <T>(query: Record<string, string | number>, signal: AbortSignal) =>
    request<T>('GET', path, { query: { ...given, ...query, timestamps: 'true' }, signal });
  return {
    lines: (from, count, signal) => read<LogLines>({ from_line: from, lines: count }, signal),
    follow: (from, signal) => read<LogLines>({ from_line: from, lines: MOST, wait: WAIT_S }, signal),
    search: (text, from, signal) => read<LogMatches>({ search: text, from_line: from, lines: MOST }, signal),
    rawUrl: ({ plain = false, timestamps = false } = {}) => {
      const query = new URLSearchParams({ ...given, format: 'text' });
      if (plain) query.set('ansi', 'strip');
      if (timestamps) query.set('timestamps', 'true');
      return `${CONSOLE_ROOT}${path}?${query}`;
    },
    fileName: `${buildId}.log`,
  };
}
