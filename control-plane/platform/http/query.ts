// Shapes of query parameters, parsed from strings. A parameter that is given more than once is refused.
import { z } from 'zod';

/** An integer from `min` to `max`. */
export function integerParam(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,16}$/, 'expected a whole number')
    .transform(Number)
    .refine((n) => n >= min && n <= max, `expected ${min} to ${max}`)
    .meta({ type: 'integer', minimum: min, maximum: max });
}

const ISO = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** An ISO 8601 date or time, in UTC if it has no offset. Parsed to milliseconds since the epoch. */
export function timeParam() {
  return z.string().transform((text, context) => {
    const ms = parseIsoTime(text);
    if (ms === null) context.addIssue('expected an ISO 8601 time');
    return ms ?? 0;
  });
}

/** An ISO 8601 date or time, in UTC if it has no offset, or epoch milliseconds. Parsed to epoch milliseconds. */
export function momentParam(about: string) {
  return z
    .string()
    .transform((text, context) => {
      const ms = /^\d{1,15}$/.test(text) ? Number(text) : parseIsoTime(text);
      if (ms === null) context.addIssue('expected an ISO 8601 time or epoch milliseconds');
      return ms ?? 0;
    })
    .meta({ type: ['string', 'integer'], description: `${about}: ISO time or epoch ms` });
}

/** `next_before` of the previous page. */
export const beforeParam = z.string().meta({ title: '`next_before` of the page before' });

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
