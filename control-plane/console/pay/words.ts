// Formats amounts and times for people.

const won = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** @example money(20000) // '₩20,000' */
export const money = (amount: number): string => `₩${won.format(amount)}`;

/** @example duration(48) // '48 hours (2 days)' */
export function duration(hours: number): string {
  const days = hours / 24;
  return `${hours} hours (${days === 1 ? '1 day' : `${days} days`})`;
}

export const macs = (units: number): string => (units === 1 ? '1 Mac' : `${units} Macs`);

/** Formats a time in the browser's time zone. */
export const time = (iso: string): string => moment.format(new Date(iso));

/** @example clock(65_000) // '1:05' */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
