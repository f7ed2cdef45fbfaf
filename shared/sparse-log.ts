// Limits log lines that another program can cause at will: one per minute, with the number of omitted lines.
import type { Clock } from './clock.js';

/** How often one subject may be logged, ms. */
const EVERY_MS = 60_000;

export interface SparseLog {
  /** Calls `write` unless it was called for this subject within the last minute. @param write gets how many were left out */
  say(subject: string, write: (leftOut: number) => void): void;
}

/** @param most subjects that are remembered; with more, the oldest is forgotten */
export function createSparseLog(clock: Clock, most = 1000): SparseLog {
  const said = new Map<string, { at: number; leftOut: number }>();
  return {
    say(subject, write) {
      const now = clock.monotonic();
      const last = said.get(subject);
      if (last && now - last.at < EVERY_MS) {
        last.leftOut += 1;
        return;
      }
      said.delete(subject);
      const [oldest] = said.keys();
      if (said.size >= most && oldest !== undefined) said.delete(oldest);
      said.set(subject, { at: now, leftOut: 0 });
      write(last?.leftOut ?? 0);
    },
  };
}
