// Durations of builds of one project and script, and the estimate for the next one.

/** Durations of the last builds that ended by themselves, in ms. */
export type RunTimes = readonly number[];

/** By history key; see source-key.ts. */
export type History = ReadonlyMap<string, RunTimes>;

/**
 * Estimates a build's total duration: the median of earlier builds or, if it has already exceeded that, the median of
 * those that took longer. Returns null without an estimate.
 *
 * @param elapsed ms that it has run
 * @example expectedRunMs([60_000, 80_000, 300_000]) // 80_000
 */
export function expectedRunMs(times: RunTimes, elapsed = 0): number | null {
  const middle = median(times);
  if (middle === null || middle > elapsed) return middle;
  return median(times.filter((time) => time > elapsed));
}

function median(times: RunTimes): number | null {
  const sorted = [...times].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  const upper = sorted[half];
  if (upper === undefined) return null;
  return sorted.length % 2 === 1 ? upper : Math.round(((sorted[half - 1] ?? upper) + upper) / 2);
}
