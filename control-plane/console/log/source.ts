// Where the viewer reads a log from: the API below the address of an organization, or of a shared link.
import type { LogLines, LogMatches } from '../../../client/types.js';
import { CONSOLE_ROOT, request } from '../data/api.js';

export type LogSource = ReturnType<typeof apiLogSource>;

/** Seconds that one request waits for more. */
const WAIT_S = 20;
/** Lines and matches of one answer. */
const MOST = 1_000;

/** @param root the path of the API below `/api/runner`, such as `/v1/organizations/org_1/agent` */
export function apiLogSource(root: string, buildId: string) {
  // The root may have a query of its own, such as the workspace.
  const [base = '', own] = root.split('?');
  const path = `${base.replace(/\/$/, '')}/builds/${encodeURIComponent(buildId)}/log`;
  const given = Object.fromEntries(new URLSearchParams(own ?? ''));
  const read = <T>(query: Record<string, string | number>, signal: AbortSignal) =>
    request<T>('GET', path, { query: { ...given, ...query, timestamps: 'true' }, signal });
  return {
    /** Lines from a number on, at most `count`, with their times. */
    lines: (from: number, count: number, signal: AbortSignal): Promise<LogLines> =>
      read<LogLines>({ from_line: from, lines: count }, signal),
    /** The same, but waits for a complete line, for more of the last line, or for the end of the build. */
    follow: (from: number, signal: AbortSignal): Promise<LogLines> =>
      read<LogLines>({ from_line: from, lines: MOST, wait: WAIT_S }, signal),
    /** Lines that contain a text, from a number on. */
    search: (text: string, from: number, signal: AbortSignal): Promise<LogMatches> =>
      read<LogMatches>({ search: text, from_line: from, lines: MOST }, signal),
    /** The whole log as text. */
    rawUrl: ({ plain = false, timestamps = false }: { plain?: boolean; timestamps?: boolean } = {}): string => {
      const query = new URLSearchParams({ ...given, format: 'text' });
      if (plain) query.set('ansi', 'strip');
      if (timestamps) query.set('timestamps', 'true');
      return `${CONSOLE_ROOT}${path}?${query}`;
    },
    /** Name of the file when it is downloaded. */
    fileName: `${buildId}.log`,
  };
}
