// The error body of the console's API.
import { z } from 'zod';
import { type ApiError, isRetryable } from '../domain/error-catalog.js';
import { topOf } from '../domain/invalid-field.js';
import type { Refusal } from '../domain/refusal.js';
import type { Envelope } from './error-context.js';
import { messageShape, messageView } from './message-view.js';
import type { ClassCodes } from './validation.js';

const fieldProblemShape = z
  .object({
    field: z.string().meta({ description: 'Name of the field of the body or query; empty: the whole body' }),
    path: z.string().meta({ description: 'With the names and positions in it, such as `levels.0`' }),
    ...messageShape.shape,
  })
  .meta({ id: 'FieldProblem', description: 'What is wrong with a field' });

export const refusalShape = z
  .object({
    subject: z.string().nullable().meta({ description: 'In a change of several: the one that cannot change' }),
    ...messageShape.shape,
  })
  .meta({ id: 'Refusal', description: 'Why a change is refused' });

const fieldDetails = {
  fields: z.array(z.string()).optional().meta({ description: 'Names of fields of the body or query' }),
  problems: z.array(fieldProblemShape).optional().meta({ description: 'What is wrong with them' }),
};

const errorWith = <Shape extends z.ZodRawShape>(details: Shape) =>
  z.object({
    error: z.object({
      code: z.string(),
      message: z.string(),
      request_id: z.string(),
      retryable: z.boolean(),
      details: z.looseObject(details).optional(),
    }),
  });

export const consoleError = errorWith(fieldDetails).meta({ id: 'ConsoleError' });

export const operatorError = errorWith({
  ...fieldDetails,
  refusals: z.array(refusalShape).optional().meta({ description: 'Why the change is refused' }),
}).meta({ id: 'OperatorError' });

/** Default codes of the console's API, for routes that declare none. */
export const consoleCodes: ClassCodes = {
  query: 'invalid_request',
  body: 'invalid_request',
  refusedKey: ['api_key_revoked_leaked', 'insufficient_permission'],
};

/** The refusals of changes occur in the operator API only. */
export const consoleErrorBody: Envelope = (error, context): z.infer<typeof operatorError> => {
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

const refusalView = ({ subject, ...message }: Refusal) => ({ subject, ...messageView(message) });

type Details = NonNullable<z.infer<typeof operatorError>['error']['details']>;

/** `fields` has the names of fields of the body, without duplicates, `problems` what is wrong with each. */
function consoleDetails(error: ApiError): Details {
  const { fields, refusals, ...others } = error.detail;
  const details = { ...others, ...(refusals ? { refusals: refusals.map(refusalView) } : {}) };
  if (fields === undefined) return details;
  const problems = fields.map(({ path, code, params, text }) => {
    return { field: topOf(path), path, code, params: { ...params }, text };
  });
  // A body that is no object has no field to name.
  const names = new Set(problems.map(({ field }) => field).filter((name) => name !== ''));
  return { ...details, fields: [...names], problems };
}
