// Which error codes an operation may return. Codes of a kind of operation are listed once, in the shared response;
// an operation lists only its particular codes.
import type { z } from 'zod';
import { isObject } from '../../../shared/is-object.js';
import type { ErrorCode } from '../domain/error-catalog.js';
import type { Json, ToSchema } from './json-schema.js';
import { type AnyRoute, addsRecords } from './route.js';
import type { ClassCodes } from './validation.js';

/** Errors of the operations of one API. */
export interface Errors {
  /** Name of the component. */
  readonly name: string;
  /** Shape of every 4xx and 5xx answer. */
  readonly error: z.ZodType;
  readonly codes: ClassCodes;
}

/** Property of an operation, visible in the document, that determines a group of its error codes. */
type Kind = 'any' | 'key' | 'session' | 'operator' | 'path' | 'body' | 'json' | 'idempotent';

const meanings: Readonly<Record<Kind, string>> = {
  any: 'every operation',
  key: 'takes a key',
  session: 'takes a console session',
  operator: 'is for operators',
  path: 'has a path parameter',
  body: 'is not a GET',
  json: 'is not a GET, and takes no body but JSON',
  idempotent: 'takes Idempotency-Key',
};

const codesOfKind = ({ query, refusedKey }: ClassCodes): Readonly<Record<Kind, readonly ErrorCode[]>> => ({
  any: [query, 'database_unavailable', 'internal_error'],
  key: [
    'api_key_required',
    'invalid_api_key',
    'organization_required',
    'organization_suspended',
    'ip_not_allowed',
    ...refusedKey,
    'rate_limited',
  ],
  session: [
    'session_required',
    'console_only',
    'organization_suspended',
    'insufficient_permission',
    'forbidden',
    'rate_limited',
  ],
  operator: ['session_required', 'operator_token_required', 'not_found', 'forbidden', 'rate_limited'],
  // A path segment that cannot be decoded returns not_found.
  path: ['not_found'],
  body: ['payload_too_large', 'request_incomplete', 'storage_full'],
  json: ['invalid_json'],
  idempotent: ['invalid_idempotency_key', 'idempotency_conflict', 'idempotency_reply_lost', 'secrets_unavailable'],
});

function kindsOf(route: AnyRoute): Kind[] {
  const kinds: Kind[] = ['any'];
  if (route.forOperators) kinds.push('operator');
  else if (route.level !== null && !route.consoleOnly) kinds.push('key');
  if (route.consoleOnly || route.sessionScope) kinds.push('session');
  if (route.path.includes(':')) kinds.push('path');
  if (route.method !== 'GET') kinds.push('body');
  if (route.method !== 'GET' && !route.rawBody) kinds.push('json');
  if (route.idempotent) kinds.push('idempotent');
  return kinds;
}

/** Returns the codes that are not in `x-codes` of the shared response for the operation's kinds. */
function particularCodes(route: AnyRoute, { codes }: Errors): ErrorCode[] {
  const shared = codesOfKind(codes);
  const common = new Set(kindsOf(route).flatMap((kind) => shared[kind]));
  const own = new Set<ErrorCode>([
    ...(route.errors ?? []),
    ...(takesJson(route) ? [route.invalidBody ?? codes.body, ...Object.values(route.invalidBodyField ?? {})] : []),
    ...(route.confirm && (route.consoleOnly || route.forOperators) ? (['confirmation_required'] as const) : []),
    ...(route.rawBody ? (['gzip_required'] as const) : []),
    ...(addsRecords(route) ? (['storage_quota_exceeded'] as const) : []),
    ...Object.values(route.invalidQueryField ?? {}),
    ...(route.params ? [route.invalidParams ?? 'not_found'] : []),
  ]);
  return [...own].filter((code) => !common.has(code));
}

/** Returns by path parameter the `…_not_found` codes that all operations with this parameter have in common. */
export function codesOfParameters(routes: readonly AnyRoute[], errors: Errors): Map<string, ErrorCode[]> {
  const found = new Map<string, ErrorCode[]>();
  for (const route of routes.filter((one) => one.level !== null)) {
    const codes = particularCodes(route, errors).filter((code) => code.endsWith('_not_found'));
    for (const name of parameterNames(route)) {
      found.set(name, found.get(name)?.filter((code) => codes.includes(code)) ?? codes);
    }
  }
  return found;
}

/** Returns the names of the path parameters, e.g. `build_id` for `/builds/:build_id`. */
export const parameterNames = ({ path }: AnyRoute): string[] =>
  [...path.matchAll(/:([A-Za-z_]+)/g)].map(([, name]) => name ?? '');

/** Returns the codes that follow neither from the operation's kinds nor from its path parameters. */
export function ownCodes(route: AnyRoute, errors: Errors, ofParameters: ReadonlyMap<string, ErrorCode[]>): ErrorCode[] {
  const told = new Set(parameterNames(route).flatMap((name) => ofParameters.get(name) ?? []));
  return particularCodes(route, errors).filter((code) => !told.has(code));
}

/** True also for routes that read a body only to refuse it. */
const takesJson = (route: AnyRoute) =>
  route.body !== undefined || (route.method !== 'GET' && !route.rawBody && !route.ignoresUnknown);

export function errorResponse({ codes, error }: Errors, kinds: ReadonlySet<Kind>, toSchema: ToSchema): Json {
  const shared = Object.entries(codesOfKind(codes)).filter(([kind]) => kinds.has(kind as Kind));
  const said = shared.map(([kind]) => `\`${kind}\`: ${meanings[kind as Kind]}`);
  return {
    description: `An error whose code is one of \`x-errors\` of the operation or (unless deprecated) its path parameters, or of the \`x-codes\` of what it is:\n\n${said.map((one) => `- ${one}`).join('\n')}`,
    'x-codes': Object.fromEntries(shared),
    headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
    content: { 'application/json': { schema: toSchema(error, 'output') } },
  };
}

/** Returns the error response of the other API's operations, with only the lists that differ from `usual`. */
export function errorResponseBeside(
  { codes, error }: Errors,
  kinds: ReadonlySet<Kind>,
  usual: unknown,
  toSchema: ToSchema,
): Json {
  const told = isObject(usual) ? usual : {};
  const others = Object.entries(codesOfKind(codes)).filter(
    ([kind, listed]) => kinds.has(kind as Kind) && JSON.stringify(told[kind]) !== JSON.stringify(listed),
  );
  return {
    description: 'As `Error`, in another form; `x-codes` has the lists that differ',
    'x-codes': Object.fromEntries(others),
    headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
    content: { 'application/json': { schema: toSchema(error, 'output') } },
  };
}

export const kindsOfAll = (routes: readonly AnyRoute[]) => new Set(routes.flatMap(kindsOf));

export const retryAfter = {
  description: 'Seconds until the same request may be sent again. Only if known.',
  schema: { type: 'integer', minimum: 0 },
};
