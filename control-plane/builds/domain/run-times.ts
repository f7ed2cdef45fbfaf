// How long builds of one project and script took, and what that says of the next one.

/** Of the last builds that ended by themselves, in ms. */
export type RunTimes = readonly number[];

/** By history key; see source-key.ts. */
export type History = ReadonlyMap<string, RunTimes>;

/**
 * How long a build will take in all: the median of those before it; when it has already taken that long, the median of
 * those that took longer. Null when nothing can be said.
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
