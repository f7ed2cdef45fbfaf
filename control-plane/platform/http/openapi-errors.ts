// Which codes an operation may answer. Those of a kind of operation are listed once, in the shared response;
// an operation itself lists only what is particular to it.
import type { z } from 'zod';
import type { ErrorCode } from '../domain/error-catalog.js';
import { isObject, type Json, type ToSchema } from './json-schema.js';
import type { LeveledRoute } from './route.js';
import type { ClassCodes } from './validation.js';

/** How the operations of one family fail. */
export interface Errors {
  /** Of the component. */
  readonly name: string;
  /** Shape of every 4xx and 5xx answer. */
  readonly error: z.ZodType;
  readonly codes: ClassCodes;
}

/** What can be seen of an operation in the document, and decides what it may answer. */
type Kind = 'any' | 'key' | 'session' | 'path' | 'body' | 'json' | 'idempotent';

const meanings: Readonly<Record<Kind, string>> = {
  any: 'every operation',
  key: 'takes a key',
  session: 'takes a console session',
  path: 'has a path parameter',
  body: 'is not a GET',
  json: 'is not a GET, and takes no body but JSON',
  idempotent: 'takes Idempotency-Key',
};

const codesOfKind = ({ query, refusedKey }: ClassCodes): Readonly<Record<Kind, readonly ErrorCode[]>> => ({
  any: [query, 'internal_error'],
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
  // A segment that cannot be decoded names nothing.
  path: ['not_found'],
  body: ['payload_too_large', 'request_incomplete', 'storage_full'],
  json: ['invalid_json'],
  idempotent: [
    'invalid_idempotency_key',
    'idempotency_conflict',
    'idempotency_reply_lost',
    'secrets_unavailable',
  ],
});

function kindsOf(route: LeveledRoute): Kind[] {
  const kinds: Kind[] = ['any'];
  if (route.level !== null && !route.consoleOnly) kinds.push('key');
  if (route.consoleOnly || route.sessionScope) kinds.push('session');
  if (route.path.includes(':')) kinds.push('path');
  if (route.method !== 'GET') kinds.push('body');
  if (route.method !== 'GET' && !route.rawBody) kinds.push('json');
  if (route.idempotent) kinds.push('idempotent');
  return kinds;
}

/** @returns the codes that `x-codes` of the shared response does not give for the operation's kinds */
function particularCodes(route: LeveledRoute, { codes }: Errors): ErrorCode[] {
  const shared = codesOfKind(codes);
  const common = new Set(kindsOf(route).flatMap((kind) => shared[kind]));
  const own = new Set<ErrorCode>([
    ...(route.errors ?? []),
    ...(takesJson(route)
      ? [route.invalidBody ?? codes.body, ...Object.values(route.invalidBodyField ?? {})]
      : []),
    ...(route.rawBody ? (['gzip_required'] as const) : []),
    ...Object.values(route.invalidQueryField ?? {}),
    ...(route.params ? [route.invalidParams ?? 'not_found'] : []),
  ]);
  return [...own].filter((code) => !common.has(code));
}

/** What nothing is found by: the codes that every operation with a path parameter of this name may answer. */
export function codesOfParameters(routes: readonly LeveledRoute[], errors: Errors): Map<string, ErrorCode[]> {
  const found = new Map<string, ErrorCode[]>();
  for (const route of routes.filter((one) => one.level !== null)) {
    const codes = particularCodes(route, errors).filter((code) => code.endsWith('_not_found'));
    for (const name of parameterNames(route)) {
      found.set(name, found.get(name)?.filter((code) => codes.includes(code)) ?? codes);
    }
  }
  return found;
}

/** `/builds/:build_id` has one. */
export const parameterNames = ({ path }: LeveledRoute): string[] =>
  [...path.matchAll(/:([A-Za-z_]+)/g)].map(([, name]) => name ?? '');

/** @returns what neither the operation's kinds nor its path parameters give */
export function ownCodes(
  route: LeveledRoute,
  errors: Errors,
  ofParameters: ReadonlyMap<string, ErrorCode[]>,
): ErrorCode[] {
  const told = new Set(parameterNames(route).flatMap((name) => ofParameters.get(name) ?? []));
  return particularCodes(route, errors).filter((code) => !told.has(code));
}

/** Also where a body is only looked at to refuse it. */
const takesJson = (route: LeveledRoute) =>
  route.body !== undefined || (route.method !== 'GET' && !route.rawBody && !route.ignoresUnknown);

export function errorResponse({ codes, error }: Errors, kinds: ReadonlySet<Kind>, toSchema: ToSchema): Json {
  const shared = Object.entries(codesOfKind(codes)).filter(([kind]) => kinds.has(kind as Kind));
  const said = shared.map(([kind]) => `\`${kind}\`: ${meanings[kind as Kind]}`);
  return {
    description: `An error. Its code is one of \`x-errors\` of the operation or (unless deprecated) its path parameters, or of the \`x-codes\` of what it is:\n\n${said.map((one) => `- ${one}`).join('\n')}`,
    'x-codes': Object.fromEntries(shared),
    headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
    content: { 'application/json': { schema: toSchema(error, 'output') } },
  };
}

/** Of operations beside: names only the lists that are others than those of the response for the rest. */
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

export const kindsOfAll = (routes: readonly LeveledRoute[]) => new Set(routes.flatMap(kindsOf));

export const retryAfter = {
  description: 'Seconds after which the same request may be sent again, if known',
  schema: { type: 'integer', minimum: 0 },
};
