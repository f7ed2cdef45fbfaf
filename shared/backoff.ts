/**
 * Returns a wait with exponential backoff and full jitter: random between 0 and min(max, base * 2^attempt) ms.
 *
 * @param attempt 0 for the first retry
 * @example backoffMs(3, { baseMs: 250, maxMs: 30_000 }) // 0 to 2000
 */
export function backoffMs(attempt: number, options: { baseMs: number; maxMs: number; random?: () => number }): number {
  const ceiling = Math.min(options.maxMs, options.baseMs * 2 ** Math.min(attempt, 30));
  return Math.round((options.random ?? Math.random)() * ceiling);
}
