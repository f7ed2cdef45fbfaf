import type { z } from 'zod';
import { ApiError, type ErrorCode } from '../../platform/domain/error-catalog.js';

/** Throws an error that names the invalid fields, never their values. */
export function valid<T>(schema: z.ZodType<T>, value: unknown, code: ErrorCode = 'invalid_request'): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map((issue) => issue.path.join('.'));
  throw new ApiError(code, { message: `Not valid: ${fields.join(', ')}.`, detail: { fields } });
}
