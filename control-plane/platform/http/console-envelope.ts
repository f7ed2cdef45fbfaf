// The error body of the console's API.
import { z } from 'zod';
import { type ApiError, isRetryable } from '../domain/error-catalog.js';
import type { Envelope } from './error-context.js';
import type { ClassCodes } from './validation.js';

export const consoleError = z
  .object({
    error: z.object({
      code: z.string(),
      message: z.string(),
      request_id: z.string(),
      retryable: z.boolean(),
      details: z.looseObject({ fields: z.array(z.string()).optional() }).optional(),
    }),
  })
  .meta({ id: 'ConsoleError' });

/** Default codes of the console's API, for routes that declare none. */
export const consoleCodes: ClassCodes = {
  query: 'invalid_request',
  body: 'invalid_request',
  refusedKey: ['api_key_revoked_leaked', 'insufficient_permission'],
};

export const consoleErrorBody: Envelope = (error, context): z.infer<typeof consoleError> => {
  const details = consoleDetails(error);
  return {
    error: {
      code: error.code,
      message: error.message,
      request_id: context.requestId,
      retryable: isRetryable(error.code),
      ...(Object.keys(details).length > 0 ? { details } : {}),
    },
  };
};

/** `details.fields` contains field names only. */
function consoleDetails(error: ApiError): { [name: string]: unknown; fields?: string[] } {
  const { fields, ...details } = error.detail;
  if (!Array.isArray(fields)) return details;
  const names = fields.map((field: unknown) =>
    typeof field === 'object' && field !== null && 'path' in field ? String(field.path) : String(field),
  );
  // A body that is no object has no field to name.
  return { ...details, fields: [...new Set(names)].filter((name) => name !== '') };
}
