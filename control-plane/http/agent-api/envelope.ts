// Family A's error bodies, in both formats.
import { z } from 'zod';
import { type ApiError, errorCatalog, type NextRequest } from '../../domain/error-catalog.js';
import type { ErrorContext } from '../error-context.js';
import { failureShape } from './views/build.js';

const next = z.object({
  action: z.string(),
  method: z.string(),
  path: z.string(),
  body: z.record(z.string(), z.unknown()).optional(),
});

/** The content of an error; what is particular to its code stands beside these fields. */
export const errorContent = z
  .looseObject({
    code: z.string(),
    message: z.string(),
    retryable: z.boolean(),
    retry_after_s: z.int().min(0).nullable(),
    fault: z.enum(['client', 'platform', 'payment', 'capacity']),
    docs: z.string(),
    request_id: z.string(),
    next: z.array(next),
    /** Of the build that the request was about, when it has failed. */
    failure: failureShape.optional(),
  })
  .meta({ id: 'ErrorContent' });

/** With `Service-Error-Format: 2`. */
export const errorFormat2 = z.object({ error: errorContent }).meta({ id: 'Error' });
/** Without the header. */
export const errorFormat1 = z
  .object({ error: z.string(), error_detail: errorContent })
  .meta({ id: 'ErrorFormat1' });

export const agentError = z.union([errorFormat2, errorFormat1]);

export type Suggest = (error: ApiError, context: ErrorContext) => readonly NextRequest[];

/** @param format the value of Service-Error-Format */
export function agentErrorBody(
  error: ApiError,
  context: ErrorContext,
  format: unknown,
  suggest: Suggest,
): z.infer<typeof errorFormat1> | z.infer<typeof errorFormat2> {
  const { fault, retryable } = errorCatalog[error.code];
  const content = {
    ...error.detail,
    code: error.code,
    message: error.message,
    retryable,
    retry_after_s: error.retryAfterS,
    fault,
    docs: `${context.siteUrl}/docs/errors/${error.code}`,
    request_id: context.requestId,
    next: [...suggest(error, context)],
  };
  return format === '2' ? { error: content } : { error: error.code, error_detail: content };
}
