import { z } from 'zod';
import { type ConfirmGiven, confirmWayNames } from '../app/confirm-ways.js';

/** The body of POST /v1/session/confirm: exactly one way. */
export const confirmGivenShape = z
  .object({
    password: z.string().optional(),
  } satisfies Record<keyof ConfirmGiven, z.ZodType>)
  .refine((given) => confirmWayNames.filter((name) => given[name] !== undefined).length === 1, {
    message: `must have exactly one of: ${confirmWayNames.join(', ')}`,
  });
