import type { z } from 'zod';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { ApiError, type ErrorCode } from '../../platform/domain/error-catalog.js';
import { invalidField } from '../../platform/domain/invalid-field.js';

/** Throws an error that names the invalid fields, never their values. */
export function valid<T>(schema: z.ZodType<T>, value: unknown, code: ErrorCode = 'invalid_request'): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const paths = parsed.error.issues.map((issue) => issue.path.join('.'));
  const fields = paths.map((path) => invalidField(path, fieldProblem('invalid')));
  throw new ApiError(code, { message: `Not valid: ${paths.join(', ')}.`, detail: { fields } });
}
