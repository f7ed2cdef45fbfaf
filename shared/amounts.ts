// Writes lengths of time and sizes for sentences that mention a limit.
import { countOf } from './count.js';

const spans = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
] as const;

/**
 * Returns a length of time in the largest unit of which it is several: one hour is 60 minutes.
 *
 * @example spanOf(3_600_000) // '60 minutes'
 */
export function spanOf(ms: number): string {
  const [size, name] = spans.find(([size]) => ms > size && ms % size === 0) ?? [1, 'millisecond'];
  return countOf(ms / size, name);
}

const sizes = [
  [1024 ** 3, 'GiB'],
  [1024 ** 2, 'MiB'],
  [1024, 'KiB'],
] as const;

/**
 * Returns a number of bytes in its largest unit that divides it.
 *
 * @example sizeOf(65_536) // '64 KiB'
 */
export function sizeOf(bytes: number): string {
  const [size, name] = sizes.find(([size]) => bytes >= size && bytes % size === 0) ?? [1, 'bytes'];
  return `${bytes / size} ${name}`;
}
