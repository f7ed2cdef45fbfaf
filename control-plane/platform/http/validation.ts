// Checks what a request carries against the shapes of its route. Nothing is coerced in a body, and nothing that the
// route does not know is ignored: a misspelt field would silently get its default.
import { z } from 'zod';
import { ApiError, type Corrected, type ErrorCode } from '../domain/error-catalog.js';
import { correctedInput } from './corrected-input.js';
import { fieldProblem, parameterProblem } from './field-problem.js';
import { type UnknownField, unknownFieldsOf } from './known-fields.js';
import type { AnyRoute } from './route.js';

export interface InvalidField {
  readonly path: string;
  readonly message: string;
}

/** What a family answers where a route names no code of its own. */
export interface ClassCodes {
  /** Of keys that may not do what they are used for. */
  readonly refusedKey: readonly ErrorCode[];
  readonly query: ErrorCode;
  readonly body: ErrorCode;
}

/** Each returns what the shape makes of the value, or throws an ApiError. */
export interface InputChecks {
  params(value: unknown): unknown;
  query(value: unknown): unknown;
  /** A missing body is checked as an empty object, so that the answer names the field that is missing. */
  body(value: unknown): unknown;
}

const nothing = z.object({});

/** @throws Error when a shape of the route cannot be checked for unknown fields */
export function createInputChecks(route: AnyRoute, codes: ClassCodes): InputChecks {
  const { ignoresUnknown = false } = route;
  const queryShape = route.query ?? nothing;
  const bodyShape = route.body ?? nothing;
  const unknownParameters = unknownFieldsOf(queryShape);
  const unknownFields = unknownFieldsOf(bodyShape);
  const queryCode = codes.query;
  const bodyCode = route.invalidBody ?? codes.body;

  return {
    params(value) {
      if (!route.params) return value;
      const result = route.params.safeParse(value, { error: fieldProblem });
      if (result.success) return result.data;
      throw invalid(route.invalidParams ?? 'not_found', result.error, {});
    },
    query(value) {
      const unknown = ignoresUnknown ? [] : unknownParameters(value);
      const result = queryShape.safeParse(value, { error: parameterProblem });
      if (unknown.length > 0) {
        const corrected = correctedInput(queryShape, value, unknown);
        throw unknownNames(
          'query parameter',
          queryCode,
          unknown,
          result.error,
          corrected && { query: corrected },
        );
      }
      if (result.success) return route.query ? result.data : value;
      throw invalid(queryCode, result.error, route.invalidQueryField ?? {});
    },
    body(value) {
      if (route.bodyBytes) return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
      if (!route.body && (ignoresUnknown || route.rawBody)) return undefined;
      const given = value === undefined ? {} : value;
      const unknown = unknownFields(given);
      const result = bodyShape.safeParse(given, { error: fieldProblem });
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
 * For a body that a handler reads itself.
 *
 * @throws ApiError `code`
 */
export function checkWhole<T>(shape: z.ZodType<T>, value: unknown, code: ErrorCode): T {
  const unknown = unknownFieldsOf(shape)(value);
  const result = shape.safeParse(value, { error: fieldProblem });
  if (unknown.length > 0) throw unknownNames('field', code, unknown, result.error, null);
  if (result.success) return result.data;
  throw invalid(code, result.error, {});
}

/** The code is that of the first field which fails and has one of its own, else the class code. */
function invalid(
  classCode: ErrorCode,
  error: z.ZodError,
  codes: Readonly<Record<string, ErrorCode>>,
): ApiError {
  const fields = fieldsOf(error);
  const first = error.issues[0]?.path[0];
  const own = typeof first === 'string' && Object.hasOwn(codes, first) ? codes[first] : undefined;
  const message = fields[0] ? `${fields[0].path || 'The request'}: ${fields[0].message}` : undefined;
  const field = typeof first === 'string' ? { field: first } : {};
  return new ApiError(own ?? classCode, { ...(message ? { message } : {}), detail: { ...field, fields } });
}

/** Names every unknown field, then what else is wrong: the field that seems to be missing is often the misspelt one. */
function unknownNames(
  what: 'field' | 'query parameter',
  code: ErrorCode,
  unknown: readonly UnknownField[],
  error: z.ZodError | undefined,
  corrected: Corrected | null,
): ApiError {
  const fields = unknown.map((one) => ({ path: shown(one.path), message: `unknown; ${hint(one)}` }));
  const [first] = unknown;
  const message = first ? `Unknown ${what} ${shown(first.path)}; ${hint(first)}` : undefined;
  return new ApiError(code, {
    ...(message ? { message } : {}),
    detail: { field: fields[0]?.path, fields: [...fields, ...(error ? fieldsOf(error) : [])] },
    ...(corrected ? { corrected } : {}),
  });
}

function hint({ path, nearest, known }: UnknownField): string {
  if (nearest !== null) return `did you mean ${shown([...path.slice(0, -1), nearest])}?`;
  return known.length === 0 ? 'this request takes none.' : `known: ${known.join(', ')}.`;
}

const LONGEST_NAME = 100;

/** A name that somebody made up may be of any length and hold any character. */
function shown(path: readonly string[]): string {
  const text = path.join('.').replace(/[\p{C}\p{Z}]/gu, '?');
  return text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME)}…` : text;
}

function fieldsOf(error: z.ZodError): InvalidField[] {
  return error.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
}
