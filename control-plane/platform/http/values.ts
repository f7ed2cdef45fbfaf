// Shapes of values that many answers hold.
import { z } from 'zod';

/** ISO 8601 in UTC, with milliseconds. */
export const time = z.string().meta({ format: 'date-time' });

/** Won, VAT included. */
export const won = z.int().min(0);

export const count = z.int().min(0);

/** Of a list that is read page by page. */
export const nextBefore = z
  .string()
  .nullable()
  .meta({ description: '`before` of the next, older page; null on the last one' });
