// Checks what a request carries against the shapes of its route. Nothing is coerced in a body.
import type { z } from 'zod';
import { ApiError, type ErrorCode } from '../domain/error-catalog.js';
import { fieldProblem, parameterProblem } from './field-problem.js';
import type { AnyRoute } from './route.js';

export interface InvalidField {
  readonly path: string;
  readonly message: string;
}

export function checkParams(route: AnyRoute, params: unknown): unknown {
  if (!route.params) return params;
  const result = route.params.safeParse(params, { error: fieldProblem });
  if (result.success) return result.data;
  throw invalid(route.invalidParams ?? 'not_found', result.error, {});
}

export function checkQuery(route: AnyRoute, query: unknown): unknown {
  if (!route.query) return query;
  const result = route.query.safeParse(query, { error: parameterProblem });
  if (result.success) return result.data;
  throw invalid('invalid_query', result.error, route.invalidQueryField ?? {});
}

/** A missing body is checked as an empty object, so that the answer names the field that is missing. */
export function checkBody(route: AnyRoute, body: unknown): unknown {
  if (route.bodyBytes) return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  if (!route.body) return undefined;
  const result = route.body.safeParse(body === undefined ? {} : body, { error: fieldProblem });
  if (result.success) return result.data;
  throw invalid(route.invalidBody ?? 'invalid_request', result.error, route.invalidBodyField ?? {});
}

/** The code is that of the first field which fails and has one of its own, else the class code. */
function invalid(
  classCode: ErrorCode,
  error: z.ZodError,
  codes: Readonly<Record<string, ErrorCode>>,
): ApiError {
  const fields: InvalidField[] = error.issues.map((issue) => ({
    path: issue.path.map(String).join('.'),
    message: issue.message,
  }));
  const first = error.issues[0]?.path[0];
  const own = typeof first === 'string' && Object.hasOwn(codes, first) ? codes[first] : undefined;
  const message = fields[0] ? `${fields[0].path || 'The request'}: ${fields[0].message}` : undefined;
  const field = typeof first === 'string' ? { field: first } : {};
  return new ApiError(own ?? classCode, { ...(message ? { message } : {}), detail: { ...field, fields } });
}
