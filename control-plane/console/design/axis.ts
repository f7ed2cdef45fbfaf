// Where times and numbers are on an axis.

const MIN = 60_000;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;
const steps = [MIN, 5 * MIN, 15 * MIN, 30 * MIN, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 28 * DAY];

/**
 * Returns times between `from` and `to`, at most `most`, at round times of the time zone.
 *
 * @param zoneMs what the time zone is ahead of UTC
 */
export function timeTicks(from: number, to: number, most: number, zoneMs = 0): number[] {
  const span = to - from;
  const step = steps.find((each) => span / each <= most) ?? Math.ceil(span / most / DAY) * DAY;
  const ticks: number[] = [];
  for (let at = Math.ceil((from + zoneMs) / step) * step - zoneMs; at <= to; at += step) ticks.push(at);
  return ticks;
}

/** Returns where a time is, from 0 to 1. Times outside are at the ends. */
export const shareOf = (at: number, from: number, to: number): number =>
  to <= from ? 0 : Math.min(1, Math.max(0, (at - from) / (to - from)));

/** Returns round numbers from 0 to at least `max`, 3 to 6 of them. */
export function valueTicks(max: number): number[] {
  const rough = Math.max(max, 1) / 4;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * size).find((each) => each >= rough) ?? rough;
  const whole = Math.max(1, step);
  const ticks = [0];
  while ((ticks.at(-1) ?? 0) < max) ticks.push((ticks.at(-1) ?? 0) + whole);
  return ticks.length === 1 ? [0, whole] : ticks;
}
