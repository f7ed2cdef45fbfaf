// Reads the end of a log as it grows.
import type { LogLines } from '../../../client/types.js';
import { clock } from '../clock.js';
import type { Connection } from '../data/connection.js';
import { isUnreachable, laterOf, pause, waitOf } from './log-retry.js';
import type { LogSource } from './source.js';

/** Pause after an answer with new lines, in ms: they are shown about once a second. */
const FOLLOW_MS = 1_000;
/** A request that waits for lines is answered in half of this. */
const SILENCE_MS = 40_000;
/** Other requests, while the service cannot be reached. */
const PROBE_MS = 10_000;

export interface Following {
  readonly source: Pick<LogSource, 'lines' | 'follow'>;
  /** Lines of one request. */
  readonly chunk: number;
  /** Resolves when somebody can see the log and the service can be reached. */
  when(signal: AbortSignal): Promise<void>;
  /** Lines of the log; null: not known yet. */
  total(): number | null;
  /** Aborted when all requests are sent again. */
  repeated(): AbortSignal;
  report(connection: Connection): void;
  /** Takes new lines, or none: the wait is over. */
  take(page: LogLines): void;
  failed(error: unknown): void;
}

/** Follows a log until the signal aborts. */
export async function followLog(log: Following, signal: AbortSignal): Promise<void> {
  let from: number | null = null;
  let heardAt = clock.now();
  let isLost = false;
  for (let tries = 0; !signal.aborted; ) {
    await log.when(signal);
    from ??= startOf(log.total());
    if (from === null) {
      await pause(FOLLOW_MS / 10, signal);
      continue;
    }
    const repeated = log.repeated();
    const silence = new AbortController();
    const timer = clock.setTimeout(() => silence.abort(), isLost ? PROBE_MS : SILENCE_MS);
    try {
      const askedAt = clock.monotonic();
      const ends = AbortSignal.any([signal, repeated, silence.signal]);
      // An answer that waits for more would not say whether the service can be reached.
      const page = await (isLost ? log.source.lines(from, log.chunk, ends) : log.source.follow(from, ends));
      if (signal.aborted) return;
      tries = 0;
      heardAt = clock.now();
      isLost = false;
      log.report({ state: 'open', heardAt, silent: false });
      log.take(page);
      from = nextAfter(page, from);
      // Without lines the wait is over, or the build, which the page learns a moment later.
      const isQuick = clock.monotonic() - askedAt < FOLLOW_MS;
      if (page.lines.length > 0 || isQuick) await pause(FOLLOW_MS, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (repeated.aborted) continue;
      const silent = silence.signal.aborted;
      if (silent || isUnreachable(error)) {
        isLost = true;
        log.report({ state: 'lost', heardAt, silent });
        await pauseUnlessRepeated(log, silent ? 0 : FOLLOW_MS, signal);
        continue;
      }
      const wait = waitOf(error, tries++);
      if (wait === null) log.failed(error);
      const isRetried = await pauseUnlessRepeated(log, wait ?? laterOf(error), signal);
      if (isRetried) tries = 0;
    } finally {
      timer.cancel();
    }
  }
}

const startOf = (total: number | null): number | null => (total === null ? null : Math.max(1, total));

/** Returns true at once when all requests are sent again, else false after `ms`. */
async function pauseUnlessRepeated(log: Following, ms: number, signal: AbortSignal): Promise<boolean> {
  const repeated = log.repeated();
  await pause(ms, AbortSignal.any([signal, repeated]));
  return repeated.aborted;
}

/** Returns from where to follow. Behind a fast build only the end is followed; the window loads what it shows. */
function nextAfter({ lines, next_from_line, total_lines }: LogLines, from: number): number {
  if (next_from_line !== null) return total_lines;
  const last = lines.at(-1);
  if (!last) return from;
  return last.open ? last.n : last.n + 1;
}
