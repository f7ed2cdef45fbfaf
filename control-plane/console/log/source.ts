// Where the viewer reads a log from: the API of an organization, or of a shared link.
import { getBuildLog } from '../../../client/operations/api.js';
import type { Asked, Operation } from '../../../client/operations/operation.js';
import type { GetBuildLogQuery, LogLines, LogMatches } from '../../../client/types.js';
import { call, send } from '../data/api.js';
import type { BuildSource } from '../data/build-source.js';

export type LogSource = ReturnType<typeof apiLogSource>;

/** Seconds that one request waits for more. */
const WAIT_S = 20;
/** Lines and matches of one answer. */
const MOST = 1_000;

type LogQuery = Asked<GetBuildLogQuery>;
/** The query decides which of its answers comes. */
type Reading<Answer> = Operation<(buildId: string, query: LogQuery) => Answer>;

export function apiLogSource({ of }: BuildSource, buildId: string) {
  const lines = of(getBuildLog as Reading<LogLines>);
  const matches = of(getBuildLog as Reading<LogMatches>);
  return {
    /** Lines from a number on, at most `count`, with their times. */
    lines: (from: number, count: number, signal: AbortSignal): Promise<LogLines> =>
      send(call(lines, buildId, { from_line: from, lines: count, timestamps: 'true' }), { signal }),
    /** The same, but waits for a complete line, for more of the last line, or for the end of the build. */
    follow: (from: number, signal: AbortSignal): Promise<LogLines> =>
      send(call(lines, buildId, { from_line: from, lines: MOST, wait: WAIT_S, timestamps: 'true' }), { signal }),
    /** Lines that contain a text, from a number on. */
    search: (text: string, from: number, signal: AbortSignal): Promise<LogMatches> =>
      send(call(matches, buildId, { search: text, from_line: from, lines: MOST, timestamps: 'true' }), { signal }),
    /** The whole log as text. */
    rawUrl: ({ plain = false, timestamps = false }: { plain?: boolean; timestamps?: boolean } = {}): string =>
      call(lines, buildId, {
        format: 'text',
        ...(plain ? { ansi: 'strip' } : {}),
        ...(timestamps ? { timestamps: 'true' } : {}),
      }).address,
    /** Name of the file when it is downloaded. */
    fileName: `${buildId}.log`,
  };
}
