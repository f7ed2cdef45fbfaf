// Shapes of values that many responses contain.
import { z } from 'zod';

/** An ISO 8601 time in UTC, with milliseconds. */
export const time = z.string().meta({ format: 'date-time' });

/** An amount in won, VAT included. */
export const won = z.int().min(0);

export const count = z.int().min(0);

/** Of a list that is read page by page. */
export const nextBefore = z
  .string()
  .nullable()
  .meta({ title: '`before` of the next, older page; null on the last one' });
