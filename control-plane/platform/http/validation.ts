// Validates a request against the shapes of its route. Body fields are not coerced, and unknown fields are refused:
// otherwise a misspelled field would silently get its default.
import { z } from 'zod';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { Message } from '../../../shared/messages/message.js';
import { ApiError, type Corrected, type ErrorCode } from '../domain/error-catalog.js';
import { type InvalidField, invalidField } from '../domain/invalid-field.js';
import { correctedInput } from './corrected-input.js';
import { fieldText, parameterText, problemOf } from './issue-problem.js';
import { type UnknownField, unknownFieldsOf } from './known-fields.js';
import type { AnyRoute } from './route.js';

/** Default codes of an API, for routes that declare none. */
export interface ClassCodes {
  /** Codes for keys without the required permission. */
  readonly refusedKey: readonly ErrorCode[];
  readonly query: ErrorCode;
  readonly body: ErrorCode;
}

/** Each function returns the parsed value, or throws an ApiError. */
export type InputChecks = ReturnType<typeof createInputChecks>;

const nothing = z.object({});

const inFields = { error: fieldText, reportInput: true };
const inParameters = { error: parameterText, reportInput: true };

/** @throws Error if a shape of the route cannot be checked for unknown fields */
export function createInputChecks(route: AnyRoute, codes: ClassCodes) {
  const { ignoresUnknown = false } = route;
  const queryShape = route.query ?? nothing;
  const bodyShape = route.body ?? nothing;
  const unknownParameters = unknownFieldsOf(queryShape);
  const unknownFields = unknownFieldsOf(bodyShape);
  const queryCode = codes.query;
  const bodyCode = route.invalidBody ?? codes.body;

  return {
    params(value: unknown): unknown {
      if (!route.params) return value;
      const result = route.params.safeParse(value, inFields);
      if (result.success) return result.data;
      throw invalid(route.invalidParams ?? 'not_found', result.error, {});
    },
    query(value: unknown): unknown {
      const unknown = ignoresUnknown ? [] : unknownParameters(value);
      const result = queryShape.safeParse(value, inParameters);
      if (unknown.length > 0) {
        const corrected = correctedInput(queryShape, value, unknown);
        throw unknownNames('query parameter', queryCode, unknown, result.error, corrected && { query: corrected });
      }
      if (result.success) return route.query ? result.data : value;
      throw invalid(queryCode, result.error, route.invalidQueryField ?? {});
    },
    /** Validates a missing body as an empty object, so that the error names the missing field. */
    body(value: unknown): unknown {
      if (route.bodyBytes) return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
      if (!route.body && (ignoresUnknown || route.rawBody)) return undefined;
      const given = value === undefined ? {} : value;
      const unknown = unknownFields(given);
      const result = bodyShape.safeParse(given, inFields);
      if (unknown.length > 0) {
        const corrected = route.confidential ? null : correctedInput(bodyShape, given, unknown);
        throw unknownNames('field', bodyCode, unknown, result.error, corrected && { body: corrected });
      }
      if (result.success) return route.body ? result.data : undefined;
      throw invalid(bodyCode, result.error, route.invalidBodyField ?? {});
    },
  };
}

/**
 * Validates a body that a handler reads itself, and returns the parsed value.
 *
 * @throws ApiError `code`
 */
export function checkWhole<T>(shape: z.ZodType<T>, value: unknown, code: ErrorCode): T {
  const unknown = unknownFieldsOf(shape)(value);
  const result = shape.safeParse(value, inFields);
  if (unknown.length > 0) throw unknownNames('field', code, unknown, result.error, null);
  if (result.success) return result.data;
  throw invalid(code, result.error, {});
}

/** Returns an error with the code of the first invalid field, or the class code if that field has none. */
function invalid(classCode: ErrorCode, error: z.ZodError, codes: Readonly<Record<string, ErrorCode>>): ApiError {
  const fields = fieldsOf(error);
  const first = error.issues[0]?.path[0];
  const own = typeof first === 'string' && Object.hasOwn(codes, first) ? codes[first] : undefined;
  const message = fields[0] ? `${fields[0].path || 'The request'}: ${fields[0].message}` : undefined;
  const field = typeof first === 'string' ? { field: first } : {};
  return new ApiError(own ?? classCode, { ...(message ? { message } : {}), detail: { ...field, fields } });
}

/** Returns an error that lists unknown fields first, then other problems: a missing field is often a misspelled one. */
function unknownNames(
  what: 'field' | 'query parameter',
  code: ErrorCode,
  unknown: readonly UnknownField[],
  error: z.ZodError | undefined,
  corrected: Corrected | null,
): ApiError {
  const fields = unknown.map((one) => invalidField(shown(one.path), unknownProblem(one)));
  const [first] = fields;
  const message = first && `Unknown ${what} ${first.path}; ${first.text.replace('unknown; ', '')}`;
  return new ApiError(code, {
    ...(message ? { message } : {}),
    detail: { field: first?.path, fields: [...fields, ...(error ? fieldsOf(error) : [])] },
    ...(corrected ? { corrected } : {}),
  });
}

function unknownProblem({ path, nearest, known }: UnknownField): Message {
  if (nearest !== null) return fieldProblem('unknown_field', { nearest: shown([...path.slice(0, -1), nearest]) });
  return known.length === 0
    ? fieldProblem('unknown_field_here')
    : fieldProblem('unknown_field_of', { known: known.join(', ') });
}

const LONGEST_NAME = 100;

/** Makes a name from the client printable, and shortens it. */
function shown(path: readonly string[]): string {
  const text = path.join('.').replace(/[\p{C}\p{Z}]/gu, '?');
  return text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME)}…` : text;
}

function fieldsOf(error: z.ZodError): InvalidField[] {
  return error.issues.map((issue) => invalidField(issue.path.map(String).join('.'), problemOf(issue)));
}
