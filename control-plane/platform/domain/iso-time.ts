// ISO 8601 dates and times.
const ISO = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** Returns milliseconds since the epoch, or null for an invalid date such as `2026-02-30`. */
export function parseIsoTime(text: string): number | null {
  if (!ISO.test(text)) return null;
  const zoned = /T/.test(text) && !/(?:Z|[+-]\d{2}:?\d{2})$/.test(text) ? `${text}Z` : text;
  const ms = Date.parse(zoned);
  if (Number.isNaN(ms)) return null;
  const day = Number(text.slice(8, 10));
  const lastDay = new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate();
  return day <= lastDay ? ms : null;
}

/** Returns a time in ms as ISO 8601, in UTC with milliseconds. */
export function isoTime(ms: number): string;
export function isoTime(ms: number | null): string | null;
export function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
