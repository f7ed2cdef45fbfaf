// Shapes of query parameters, parsed from strings. A parameter that is given more than once is refused.

import { z } from 'zod';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { parseIsoTime } from '../domain/iso-time.js';
import type { Limits } from '../domain/limits.js';
import { momentOf } from '../domain/moment.js';
import { because, issueBecause } from './issue-problem.js';

/** An integer from `min` to `max`. */
export function integerParam(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,16}$/, 'expected a whole number')
    .transform(Number)
    .refine((n) => n >= min && n <= max, because(fieldProblem('not_between', { least: min, most: max })))
    .meta({ type: 'integer', minimum: min, maximum: max });
}

/** An ISO 8601 date or time, in UTC if it has no offset. Parsed to milliseconds since the epoch. */
export function timeParam() {
  return z.string().transform((text, context) => {
    const ms = parseIsoTime(text);
    if (ms === null) context.addIssue(issueBecause(fieldProblem('invalid_time')));
    return ms ?? 0;
  });
}

/** An ISO 8601 date or time, or how long ago: `30m`, `12h`, `7d`, `4w`. Parsed to milliseconds since the epoch. */
export function pastParam(clock: { now(): number }) {
  return z
    .string()
    .transform((text, context) => {
      const ms = momentOf(text, clock.now(), 'past');
      if (ms === null) context.addIssue(issueBecause(fieldProblem('invalid_moment')));
      return ms ?? 0;
    })
    .meta({ description: 'ISO 8601, or how long ago: 30m, 12h, 7d, 4w' });
}

/** An ISO 8601 date or time, in UTC if it has no offset, or epoch milliseconds. Parsed to epoch milliseconds. */
export function momentParam(about: string) {
  return z
    .string()
    .transform((text, context) => {
      const ms = /^\d{1,15}$/.test(text) ? Number(text) : parseIsoTime(text);
      if (ms === null) context.addIssue(issueBecause(fieldProblem('invalid_time')));
      return ms ?? 0;
    })
    .meta({ type: ['string', 'integer'], description: `${about}: ISO time or epoch ms` });
}

/** A text to search for; its length is counted in code points, as JSON Schema does. */
export const searchParam = (
  { search_text_chars: most }: Pick<Limits, 'search_text_chars'>,
  about: { readonly title?: string; readonly description?: string },
) =>
  z
    .string()
    .refine((text) => [...text].length <= most, because(fieldProblem('too_long', { most })))
    .meta({ maxLength: most, ...about });

/** `next_before` of the previous page. */
export const beforeParam = z.string().meta({ title: '`next_before` of the page before' });
