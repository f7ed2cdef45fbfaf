// Error bodies of the API, in both formats.
import { z } from 'zod';
import { enumeration } from '../domain/enumeration.js';
import { type ApiError, errorCatalog, isRetryable } from '../domain/error-catalog.js';
import type { NextRequest } from '../domain/errors/row.js';
import type { ErrorContext } from './error-context.js';
import { nextRequestShape } from './next-request-view.js';
import type { ClassCodes } from './validation.js';

const errorFault = enumeration(['client', 'platform', 'payment', 'capacity'], {
  id: 'ErrorFault',
  title: 'Who has to act after a failed request',
  meanings: {
    client: 'the sender of the request',
    platform: 'the service',
    payment: 'a person, by paying',
    capacity: 'no Mac is free',
  },
});

const errorFields = {
  code: z.string().meta({ description: 'Of the error catalog; more may come' }),
  message: z.string().meta({ description: 'For people' }),
  retryable: z.boolean().meta({ description: 'True: the same request can succeed later' }),
  retry_after_s: z.int().min(0).nullable(),
  fault: errorFault,
  docs: z.string().meta({ title: 'The page of the code' }),
  request_id: z.string(),
  next: z.array(nextRequestShape),
};

type ErrorContent = z.infer<z.ZodObject<typeof errorFields>> & Record<string, unknown>;

/**
 * Returns the shape of all errors of the API, in both formats.
 *
 * @param particular optional fields that some codes add to the common ones
 */
export function apiErrorShape(particular: Readonly<Record<string, z.ZodOptional>>) {
  const content = z.looseObject({ ...errorFields, ...particular }).meta({
    id: 'ErrorContent',
    description: 'Fields of particular codes stand beside',
  });
  return z.union([
    // With `Service-Error-Format: 2`.
    z.object({ error: content }).meta({ id: 'ErrorFormat2' }),
    // Without the header.
    z.object({ error: z.string(), error_detail: content }).meta({ id: 'ErrorFormat1' }),
  ]);
}

/** Default codes of the API, for routes that declare none. */
export const apiCodes: ClassCodes = {
  query: 'invalid_query',
  body: 'invalid_request',
  refusedKey: ['api_key_read_only', 'api_key_write_only', 'insufficient_scope'],
};

export type Suggest = (error: ApiError, context: ErrorContext) => readonly NextRequest[];

/** @param format the value of Service-Error-Format */
export function apiErrorBody(
  error: ApiError,
  context: ErrorContext,
  format: unknown,
  suggest: Suggest,
): { error: ErrorContent } | { error: string; error_detail: ErrorContent } {
  const content = {
    ...error.detail,
    code: error.code,
    message: error.message,
    retryable: isRetryable(error.code),
    retry_after_s: error.retryAfterS,
    fault: errorCatalog[error.code].fault,
    docs: `${context.siteUrl}/docs/errors/${error.code}`,
    request_id: context.requestId,
    next: [...suggest(error, context)],
  };
  return format === '2' ? { error: content } : { error: error.code, error_detail: content };
}
