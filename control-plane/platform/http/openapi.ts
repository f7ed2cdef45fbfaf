// The OpenAPI 3.1 document of a family, made from the same shapes that check its requests and write its answers.
import type { z } from 'zod';
import { webhooksSection } from '../../events/http/openapi-webhooks.js';
import type { ErrorCode } from '../domain/error-catalog.js';
import { createSchemas, isObject, type Json, type ToSchema } from './json-schema.js';
import type { AnyRoute, ResponseShape } from './route.js';
import type { ClassCodes } from './validation.js';

/** Codes that any route which is for people only may answer. */
const sessionCodes: readonly ErrorCode[] = [
  'session_required',
  'console_only',
  'organization_suspended',
  'insufficient_permission',
  'forbidden',
  'rate_limited',
];

/** Codes that any other route with a level may answer. */
const authenticationCodes: readonly ErrorCode[] = [
  'api_key_required',
  'invalid_api_key',
  'organization_required',
  'organization_suspended',
  'ip_not_allowed',
  'api_key_read_only',
  'api_key_write_only',
  'insufficient_scope',
  'rate_limited',
];

export interface DocumentOptions {
  readonly title: string;
  /** Address of the family's root, e.g. `https://cidermill.example/api/v1`. */
  readonly url: string;
  /** Shape of every 4xx and 5xx answer. */
  readonly error: z.ZodType;
  readonly codes: ClassCodes;
  /** Headers that every operation takes, as OpenAPI parameters by name of the component. */
  readonly headers?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Operations of another family that belong here too, at its own address and with its own errors. */
  readonly beside?: Pick<DocumentOptions, 'url' | 'error' | 'codes'> & {
    readonly routes: readonly AnyRoute[];
  };
  /** Name of the cookie of a console session, where one may be used. */
  readonly sessionCookie?: string;
  /** The family's accounts can have webhooks. */
  readonly webhooks?: boolean;
}

/**
 * What nearly every operation may answer. It stands in the shared response, and an operation lists only what is
 * particular to it: a code is worth its place once.
 */
const everywhere: readonly ErrorCode[] = [
  ...authenticationCodes,
  ...(['not_found', 'payload_too_large', 'request_incomplete', 'invalid_json', 'internal_error'] as const),
];

/** @returns a document that validates as OpenAPI 3.1 */
export function openApiDocument(routes: readonly AnyRoute[], options: DocumentOptions): Json {
  const { toSchema, components } = createSchemas();
  const { beside, headers = {} } = options;
  const paths: Record<string, Json> = {};
  const add = (route: AnyRoute, of: Errors, more: Json = {}) => {
    const path = route.path.replace(/:([A-Za-z_]+)/g, '{$1}');
    paths[path] ??= { ...more };
    paths[path][route.method.toLowerCase()] = operation(route, path, of, toSchema);
  };
  const own: Errors = { ...options, name: 'Error', headers: Object.keys(headers) };
  for (const route of routes) add(route, own);
  const theirs: Errors | null = beside ? { ...beside, name: 'ErrorBeside', headers: [] } : null;
  if (beside && theirs) {
    for (const route of beside.routes) add(route, theirs, { servers: [{ url: beside.url }] });
  }
  const webhooks = options.webhooks ? webhooksSection(toSchema) : null;
  return {
    openapi: '3.1.0',
    info: {
      title: options.title,
      version: '1',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.url }],
    security: [{ key: [] }],
    paths,
    ...(webhooks ? { webhooks: webhooks.section } : {}),
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer' },
        ...(options.sessionCookie === undefined
          ? {}
          : { session: { type: 'apiKey', in: 'cookie', name: options.sessionCookie } }),
      },
      parameters: { IdempotencyKey: idempotencyKey, ...headers, ...webhooks?.parameters },
      headers: { IdempotentReplayed: idempotentReplayed },
      responses: {
        Error: errorResponse(own, toSchema),
        ...(theirs ? { ErrorBeside: errorResponse(theirs, toSchema) } : {}),
        ...webhooks?.responses,
      },
      schemas: components,
    },
  };
}

/** How the operations of one family fail, and what headers they all take. */
interface Errors extends Pick<DocumentOptions, 'error' | 'codes'> {
  /** Of the component. */
  readonly name: string;
  readonly headers: readonly string[];
}

const codesEverywhere = ({ codes }: Errors) => new Set<ErrorCode>([...everywhere, codes.query]);

function errorResponse(of: Errors, toSchema: ToSchema): Json {
  return {
    description: 'An error: one of `x-errors` of the operation, or one of `x-codes` that any may answer',
    'x-codes': [...codesEverywhere(of)],
    headers: { 'Retry-After': retryAfter },
    content: { 'application/json': { schema: toSchema(of.error, 'output') } },
  };
}

function operation(route: AnyRoute, path: string, of: Errors, toSchema: ToSchema): Json {
  const parameters = [
    ...pathParameters(path),
    ...queryParameters(route, toSchema),
    ...[...(route.idempotent ? ['IdempotencyKey'] : []), ...of.headers].map((name) => ({
      $ref: `#/components/parameters/${name}`,
    })),
  ];
  const responses: Json = {};
  for (const [status, shapes] of Object.entries(route.responses)) {
    responses[status] = response(route, [shapes].flat(), toSchema);
  }
  responses.default = { $ref: `#/components/responses/${of.name}` };
  const common = codesEverywhere(of);
  const errors = [...codesOf(route, of.codes)].filter((code) => !common.has(code));
  return {
    operationId: operationId(route),
    summary: route.summary,
    ...(Object.keys(route.responses).length === 0 ? { deprecated: true } : {}),
    ...admission(route),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...requestBody(route, toSchema),
    responses,
    ...(errors.length > 0 ? { 'x-errors': errors } : {}),
  };
}

/** Who may come, where it is not simply a key of some level. */
function admission(route: AnyRoute): Json {
  if (route.level === null) return { security: [] };
  const level = { 'x-level': route.level };
  if (route.consoleOnly) {
    return { ...(route.roles ? { 'x-roles': [...route.roles] } : {}), security: [{ session: [] }] };
  }
  return route.sessionScope ? { ...level, security: [{ key: [] }, { session: [] }] } : level;
}

function response(route: AnyRoute, shapes: readonly (ResponseShape | null)[], toSchema: ToSchema): Json {
  const content: Json = {};
  for (const shape of shapes) {
    if (shape === null) continue;
    if (typeof shape === 'string') content[shape.split(';', 1)[0] ?? shape] = { schema: { type: 'string' } };
    else content['application/json'] = { schema: toSchema(shape, 'output') };
  }
  return {
    description: 'Done',
    ...(route.idempotent
      ? { headers: { 'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' } } }
      : {}),
    ...(Object.keys(content).length > 0 ? { content } : {}),
  };
}

function codesOf(route: AnyRoute, classCodes: ClassCodes): Set<ErrorCode> {
  const codes = new Set<ErrorCode>(route.errors ?? []);
  if (route.level !== null) {
    for (const code of route.consoleOnly ? sessionCodes : authenticationCodes) codes.add(code);
  }
  if (route.idempotent) {
    codes
      .add('invalid_idempotency_key')
      .add('idempotency_conflict')
      .add('idempotency_reply_lost')
      .add('secrets_unavailable');
  }
  if (route.body || (route.method !== 'GET' && !route.rawBody && !route.ignoresUnknown)) {
    codes
      .add('invalid_json')
      .add('payload_too_large')
      .add(route.invalidBody ?? classCodes.body);
    for (const code of Object.values(route.invalidBodyField ?? {})) codes.add(code);
  }
  if (route.rawBody) codes.add('gzip_required');
  if (!route.ignoresUnknown) codes.add(classCodes.query);
  for (const code of Object.values(route.invalidQueryField ?? {})) codes.add(code);
  if (route.params) codes.add(route.invalidParams ?? 'not_found');
  // A segment that cannot be decoded names nothing.
  if (route.path.includes(':')) codes.add('not_found');
  if (route.method !== 'GET') codes.add('payload_too_large').add('request_incomplete');
  return codes.add('internal_error');
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same key with the same request within 24 hours gives the first answer again.',
  schema: { type: 'string', minLength: 1, maxLength: 200, pattern: '^[\\x21-\\x7e]+$' },
};

const idempotentReplayed = {
  description: 'true: the answer to an earlier request with the same Idempotency-Key',
  schema: { const: 'true' },
};

const retryAfter = {
  description: 'Seconds after which the same request may be sent again, when that is known',
  schema: { type: 'integer', minimum: 0 },
};

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{([A-Za-z_]+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(route: AnyRoute, toSchema: ToSchema): Json[] {
  if (!route.query) return [];
  const schema = toSchema(route.query, 'input');
  if (!isObject(schema) || !isObject(schema.properties)) return [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schema.properties).map(([name, property]) => {
    const { description, ...rest } = isObject(property) ? property : {};
    return {
      name,
      in: 'query',
      required: required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: isObject(property) ? rest : property,
    };
  });
}

function requestBody(route: AnyRoute, toSchema: ToSchema): Json {
  if (route.rawBody) {
    const held = route.rawJson && {
      contentMediaType: 'application/json',
      contentSchema: toSchema(route.rawJson, 'input'),
    };
    const content = Object.fromEntries(route.rawBody.map((type) => [type, { schema: held ?? {} }]));
    return { requestBody: { required: true, content } };
  }
  if (route.bodyBytes) {
    return { requestBody: { required: true, content: { 'application/json': { schema: {} } } } };
  }
  if (!route.body) return {};
  const schema = toSchema(route.body, 'input');
  return { requestBody: { required: true, content: { 'application/json': { schema } } } };
}

/** `GET /builds/:build_id/log` is `get_builds_build_id_log`. */
function operationId(route: AnyRoute): string {
  const words = route.path.split(/[/:.-]+/).filter((word) => word !== '');
  return [route.method.toLowerCase(), ...words].join('_');
}
