// The OpenAPI 3.1 document of an API, generated from the shapes that validate requests and serialize responses.
import type { z } from 'zod';
import { spanOf } from '../../../shared/amounts.js';
import { isObject } from '../../../shared/is-object.js';
import type { ErrorCode } from '../domain/error-catalog.js';
import type { Limits } from '../domain/limits.js';
import { createSchemas, type Form, type Json, type ToSchema } from './json-schema.js';
import { inBrief } from './openapi-brief.js';
import {
  codesOfParameters,
  type Errors,
  errorResponse,
  errorResponseBeside,
  kindsOfAll,
  ownCodes,
  parameterNames,
  retryAfter,
} from './openapi-errors.js';
import { shareRepeated } from './openapi-sharing.js';
import type { AnyRoute, ResponseShape } from './route.js';
import type { ClassCodes } from './validation.js';

export interface DocumentOptions {
  readonly title: string;
  /** Root URL of the API, e.g. `https://cidermill.example/api/v1`. */
  readonly url: string;
  /** Shape of every 4xx and 5xx answer. */
  readonly error: z.ZodType;
  readonly codes: ClassCodes;
  readonly limits: Limits;
  /** Headers that every operation accepts, as OpenAPI parameters by component name. */
  readonly headers?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Operations of another API to include, with that API's root URL and errors. */
  readonly beside?: Pick<DocumentOptions, 'url' | 'error' | 'codes'> & {
    readonly routes: readonly AnyRoute[];
  };
  /** Name of the cookie of a console session, if sessions are accepted. */
  readonly sessionCookie?: string;
  /** Requests that the service sends to accounts of the API. */
  readonly webhooks?: (toSchema: ToSchema) => WebhooksPart;
}

/** The part of a document that describes requests sent by the service. */
export interface WebhooksPart {
  /** The `webhooks` of an OpenAPI 3.1 document. */
  readonly section: Json;
  /** Components that the section refers to. */
  readonly pathItems: Json;
  readonly parameters: Json;
  readonly responses: Json;
}

/**
 * Makes a document that validates as OpenAPI 3.1 in steps: yields before each of them, and returns the document.
 *
 * @param form brief: small, for reading; full: everything spelled out on each operation, for code generators
 */
export function* openApiSteps(
  routes: readonly AnyRoute[],
  options: DocumentOptions,
  form: Form,
): Generator<void, Json, void> {
  const { toSchema, components } = createSchemas(form);
  const { beside, headers = {} } = options;
  const paths: Record<string, Json> = {};
  const add = function* (api: Api, more: Json = {}) {
    const codes = codesOfParameters(api.routes, api);
    for (const route of api.routes) {
      yield;
      const path = route.path.replace(/:([A-Za-z_]+)/g, '{$1}');
      const parameters = [
        ...parameterNames(route).map((name) => pathParameter(name, codes.get(name) ?? [])),
        // In the brief form, the component of the header says that it applies to every operation.
        ...(form === 'full' && api === own ? Object.keys(headers).map(parameterAt) : []),
      ];
      paths[path] ??= { ...more, ...(parameters.length > 0 ? { parameters } : {}) };
      paths[path][route.method.toLowerCase()] = {
        // Only code generators need it.
        ...(form === 'full' ? { operationId: route.operationId } : {}),
        ...operation(route, ownCodes(route, api, codes), toSchema, api.name),
      };
    }
  };
  const own: Api = { ...options, name: 'Error', routes };
  yield* add(own);
  const theirs: Api | null = beside ? { ...beside, name: 'ErrorBeside' } : null;
  if (beside && theirs) yield* add(theirs, { servers: [{ url: beside.url }] });
  yield;
  const error = errorResponse(own, kindsOfAll(routes), toSchema);
  yield;
  const webhooks = options.webhooks?.(toSchema);
  const document: Json = {
    openapi: '3.1.0',
    info: {
      title: options.title,
      version: '1',
      description: [...ABOUT_ALL, ...(form === 'full' ? [] : aboutBrief(namesOf(headers)))].join(' '),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.url }],
    security: [{ key: [] }],
    paths,
    ...(webhooks ? { webhooks: webhooks.section } : {}),
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer' },
        ...(routes.some((route) => route.forOperators)
          ? { operator: { type: 'http', scheme: 'bearer', description: 'The operator token of the service' } }
          : {}),
        ...(options.sessionCookie === undefined
          ? {}
          : { session: { type: 'apiKey', in: 'cookie', name: options.sessionCookie } }),
      },
      parameters: { IdempotencyKey: idempotencyKey(options.limits), ...headers, ...webhooks?.parameters },
      headers: { Replayed: idempotentReplayed, RetryAfter: retryAfter },
      responses: {
        Error: error,
        ...(theirs
          ? {
              ErrorBeside: errorResponseBeside(theirs, kindsOfAll(theirs.routes), error['x-codes'], toSchema),
            }
          : {}),
        ...webhooks?.responses,
      },
      ...(webhooks ? { pathItems: webhooks.pathItems } : {}),
      schemas: components,
    },
  };
  if (form === 'full') return document;
  yield;
  const brief = { ...inBrief(document), info: document.info };
  return yield* shareRepeated(brief);
}

/** Rules that apply to all operations and fields. */
const ABOUT_ALL = [
  'Fields and query parameters that are not named here are refused.',
  'A field of an answer is null while there is nothing to say, or where it does not apply.',
  'Names that end in `_s` are seconds, `_min` minutes; in `_won` whole won, VAT included; in `_at` times in UTC.',
  'No number of an answer is negative, but for codes of others and where it says so.',
  'Newest first: a page is followed by `before` (or `cursor`) with its `next_before` (`next_cursor`), null on the last; it may end before `limit`.',
  '`x-level` is the level that a key needs; `x-extensible-enum` an enumeration to which values may be added;',
  '`x-enum-descriptions` what each value means, in their order.',
];

const aboutBrief = (headers: readonly string[]) => [
  ...headers.map((name) => `Every operation takes the header ${name}.`),
  'A schema with `properties` is of an object; that of an answer without `required` has all of them.',
  '`?form=full` repeats it everywhere, with whole texts.',
];

const namesOf = (headers: NonNullable<DocumentOptions['headers']>) =>
  Object.values(headers).map(({ name }) => String(name));

const parameterAt = (name: string): Json => ({ $ref: `#/components/parameters/${name}` });

interface Api extends Errors {
  readonly routes: readonly AnyRoute[];
}

function operation(route: AnyRoute, errors: readonly ErrorCode[], toSchema: ToSchema, errorName: string): Json {
  const parameters = [
    ...queryParameters(route, toSchema),
    ...(route.idempotent ? [parameterAt('IdempotencyKey')] : []),
  ];
  const responses: Json = {};
  for (const [status, shapes] of Object.entries(route.responses)) {
    responses[status] = response(route, [shapes].flat(), toSchema);
  }
  responses.default = { $ref: `#/components/responses/${errorName}` };
  return {
    summary: route.summary,
    ...(Object.keys(route.responses).length === 0 ? { deprecated: true } : {}),
    ...admission(route),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...requestBody(route, toSchema),
    responses,
    ...(errors.length > 0 ? { 'x-errors': errors } : {}),
  };
}

/** The authentication of a route that accepts more, or other, than a key of some level. */
function admission(route: AnyRoute): Json {
  if (route.level === null) return { security: [] };
  if (route.forOperators) return { security: [{ operator: [] }, { session: [] }] };
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
    description: 'OK',
    ...(route.idempotent ? { headers: { 'Idempotent-Replayed': { $ref: '#/components/headers/Replayed' } } } : {}),
    ...(Object.keys(content).length > 0 ? { content } : {}),
  };
}

const idempotencyKey = ({ idempotency_ms, idempotency_key_chars }: Limits) => ({
  name: 'Idempotency-Key',
  in: 'header',
  description: `The same key with the same request within ${spanOf(idempotency_ms)} gives the first answer again.`,
  schema: { type: 'string', minLength: 1, maxLength: idempotency_key_chars, pattern: '^[\\x21-\\x7e]+$' },
});

const idempotentReplayed = {
  description: 'true: the answer to an earlier request with the same Idempotency-Key',
  schema: { const: 'true' },
};

const pathParameter = (name: string, errors: readonly ErrorCode[]): Json => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string' },
  ...(errors.length > 0 ? { 'x-errors': errors } : {}),
});

function queryParameters(route: AnyRoute, toSchema: ToSchema): Json[] {
  if (!route.query) return [];
  const schema = toSchema(route.query, 'input');
  if (!isObject(schema) || !isObject(schema.properties)) return [];
  const isRequired = (name: string) => !Array.isArray(schema.required) || schema.required.includes(name);
  return Object.entries(schema.properties).map(([name, property]) => {
    const { description, ...rest } = isObject(property) ? property : {};
    return {
      name,
      in: 'query',
      ...(isRequired(name) ? { required: true } : {}),
      ...(typeof description === 'string' ? { description } : {}),
      schema: rest,
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
