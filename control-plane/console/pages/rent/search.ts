// What the address says about the order that is being put together.
export interface RentSearch {
  readonly tier: string | null;
  readonly units: number;
  readonly days: number;
  /** `now`, or a local date and time as the browser's field writes it. */
  readonly start: string;
  readonly xcode: string | null;
}

export const MOST_UNITS = 100;
const LOCAL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/;

const numberOf = (text: string | undefined, most: number): number => {
  const value = /^\d{1,4}$/.test(text ?? '') ? Number(text) : 1;
  return Math.min(Math.max(value, 1), most);
};

/** @example parseRentSearch({ tier: 'm4', days: '7' }) // { tier: 'm4', units: 1, days: 7, start: 'now', xcode: null } */
export const parseRentSearch = ({
  tier,
  units,
  days,
  start,
  xcode,
}: Readonly<Record<string, string | undefined>>): RentSearch => ({
  tier: tier ?? null,
  units: numberOf(units, MOST_UNITS),
  days: numberOf(days, 366),
  start: start !== undefined && LOCAL.test(start) ? start : 'now',
  xcode: xcode ?? null,
});

/** Returns the time as the API takes it: `now`, or an ISO time. Null when it has passed. */
export function startOf(start: string, now: number): string | null {
  if (start === 'now') return 'now';
  const at = new Date(start);
  return Number.isNaN(at.getTime()) || at.getTime() <= now ? null : at.toISOString();
}

/** Returns a local time as the browser's field writes it, to the minute. */
export function localTime(ms: number): string {
  const at = new Date(ms);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
}
