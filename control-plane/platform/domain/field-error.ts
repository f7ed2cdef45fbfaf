import type { Message } from '../../../shared/messages/message.js';
import { ApiError, type ApiErrorOptions, type ErrorCode } from './error-catalog.js';
import { invalidField, topOf } from './invalid-field.js';

/**
 * Returns an error about one field. Its message is the path with the problem, unless `options` has another.
 *
 * @example throw fieldError('invalid_request', 'email', fieldProblem('taken', { value: email }))
 */
export function fieldError(
  code: ErrorCode,
  path: string,
  problem: Message,
  { detail, ...options }: ApiErrorOptions = {},
): ApiError {
  return new ApiError(code, {
    message: `${path}: ${problem.text}`,
    ...options,
    detail: { field: topOf(path), ...detail, fields: [invalidField(path, problem)] },
  });
}
