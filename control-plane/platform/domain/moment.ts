// Times that people write: ISO 8601, or a period from now.
import { parseIsoTime } from './iso-time.js';

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** @example periodOf('7d') // 604800000, in ms; null if it is no period */
function periodOf(text: string): number | null {
  const [, number, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit];
  return unitMs === undefined ? null : Number(number) * unitMs;
}

/**
 * Returns the time in ms, or null if the text is none.
 *
 * @param toward whether a period such as `12h` lies behind `now` or ahead
 * @example momentOf('1h', 5_000_000, 'past') // 1400000
 */
export function momentOf(text: string, now: number, toward: 'past' | 'future'): number | null {
  const period = periodOf(text);
  if (period === null) return parseIsoTime(text);
  return toward === 'past' ? now - period : now + period;
}
