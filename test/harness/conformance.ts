// Checks every response against the generated OpenAPI document, and records which operations responded.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { LightMyRequestResponse } from 'fastify';
import { type ErrorCode, errorCatalog, isErrorCode } from '../../control-plane/platform/domain/error-catalog.js';
import { isObject } from '../../shared/is-object.js';

type Json = Record<string, unknown>;

const child = (value: unknown, ...names: string[]): Json => {
  let at: unknown = value;
  for (const name of names) at = isObject(at) ? at[name] : undefined;
  return isObject(at) ? at : {};
};

/** Returns the value, or the component that it refers to. */
function resolved(document: unknown, value: unknown): Json {
  const { $ref } = isObject(value) ? value : {};
  if (typeof $ref !== 'string') return isObject(value) ? value : {};
  return child(document, ...$ref.replace('#/', '').split('/'));
}

const isCode = (code: unknown): code is ErrorCode => typeof code === 'string' && isErrorCode(code);

/**
 * Returns the schema in strict form: fields of `allOf` are merged in, all fields are required where there is no list,
 * and others are rejected. Clients must accept unknown fields; this service must send only documented ones.
 */
export function closed(document: unknown, node: unknown = document): unknown {
  if (Array.isArray(node)) return node.map((inner) => closed(document, inner));
  if (!isObject(node)) return node;
  const { allOf, ...result }: Json = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, closed(document, value)]),
  );
  if (!isObject(node.properties)) return { ...result, ...(allOf ? { allOf } : {}) };
  const bases = (Array.isArray(allOf) ? allOf : []).map((base) => closed(document, resolved(document, base)));
  return {
    ...result,
    type: result.type ?? 'object',
    additionalProperties: result.additionalProperties ?? false,
    properties: Object.assign({}, ...bases.map((base) => child(base, 'properties')), result.properties),
    required: [
      ...bases.flatMap((base) => (isObject(base) && Array.isArray(base.required) ? base.required : [])),
      ...(Array.isArray(node.required) ? node.required : Object.keys(node.properties)),
    ],
  };
}

/** Returns the documented error codes of an operation: its own, those of its path parameters, and those of its kinds. */
export function codesOf(document: unknown, path: string, method: string): Set<ErrorCode> {
  const item = child(document, 'paths', path);
  const operation = child(item, method);
  const parameters = (of: Json) =>
    (Array.isArray(of.parameters) ? of.parameters : []).map((one) => resolved(document, one));
  const security = operation.security ?? child(document).security;
  const admitted = Array.isArray(security) ? security : [];
  const takesKey = admitted.some((one) => isObject(one) && 'key' in one);
  const isGet = method === 'get';
  const types = Object.keys(child(resolved(document, operation.requestBody), 'content'));
  const kinds: Readonly<Record<string, boolean>> = {
    any: true,
    key: takesKey,
    session: admitted.some((one) => isObject(one) && 'session' in one),
    operator: admitted.some((one) => isObject(one) && 'operator' in one),
    path: path.includes('{'),
    body: !isGet,
    json: !isGet && types.every((type) => type === 'application/json'),
    idempotent: parameters(operation).some(({ name }) => name === 'Idempotency-Key'),
  };
  const shared = {
    ...child(document, 'components', 'responses', 'Error', 'x-codes'),
    ...child(resolved(document, child(operation, 'responses').default), 'x-codes'),
  };
  const listed = [
    operation['x-errors'],
    // A retired operation looks up no resource.
    ...(operation.deprecated ? [] : parameters(item).map((parameter) => parameter['x-errors'])),
    ...Object.entries(shared).map(([kind, codes]) => (kinds[kind] === true ? codes : [])),
  ];
  return new Set(listed.flat().filter(isCode));
}

/** Returns the code of an error in any of the error formats. */
function codeIn(body: unknown): unknown {
  const { error } = isObject(body) ? body : {};
  return isObject(error) ? error.code : error;
}

export interface Conformance {
  /**
   * Returns the problem of the response, or null.
   * @param also additional codes of an address that is not in the document
   */
  check(method: string, url: string, answer: LightMyRequestResponse, also?: readonly ErrorCode[]): string | null;
  /** Returns the problem of a request to a receiver of webhooks, or null. */
  checkWebhook(headers: Readonly<Record<string, unknown>>, text: string): string | null;
  /** Every response so far, as `GET /me 200`. */
  readonly seen: ReadonlySet<string>;
}

/** ISO 8601 in UTC, the format of all times that the service sends. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

interface Described {
  readonly document: unknown;
  readonly templates: readonly { path: string; pattern: RegExp }[];
  validator(name: string, schema: unknown): ValidateFunction;
  errorsText(errors: ValidateFunction['errors']): string;
}

function describe(described: unknown): Described {
  // Clients must accept unknown values; this service must send only documented ones.
  const given: unknown = JSON.parse(JSON.stringify(described).replaceAll('"x-extensible-enum"', '"enum"'));
  const document = closed(given);
  // Most of these functions run only a few times, so optimizing their code costs more than it saves.
  const compiling = { inlineRefs: false, code: { optimize: false } };
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { 'date-time': TIME }, ...compiling });
  ajv.addSchema({ $id: 'api', components: child(document, 'components') });
  const validators = new Map<string, ValidateFunction>();
  return {
    document,
    templates: Object.keys(child(document, 'paths'))
      .map((path) => ({
        path,
        pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`),
      }))
      .sort((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{'))),
    validator(name, schema) {
      const known = validators.get(name);
      if (known) return known;
      const text = JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/');
      const compiled = ajv.compile(JSON.parse(text));
      validators.set(name, compiled);
      return compiled;
    },
    errorsText: (errors) => ajv.errorsText(errors),
  };
}

/** Done once per process and key: creating a document and compiling its schemas takes longer than most tests. */
const shared = new Map<string, Described>();

/**
 * @param makeDocument called for the first response that is checked
 * @param prefix root of the API, e.g. `/api/v1`
 * @param key identifies the document in the cache; null: not shared
 */
export function createConformance(makeDocument: () => unknown, prefix: string, key: string | null): Conformance {
  let own: Described | undefined;
  const described = (): Described => {
    own ??= key === null ? undefined : shared.get(key);
    if (own) return own;
    own = describe(makeDocument());
    if (key !== null) shared.set(key, own);
    return own;
  };
  const seen = new Set<string>();

  return {
    seen,
    checkWebhook(headers, text) {
      const { document, validator, errorsText } = described();
      const kind = String(headers['x-svc-event']);
      const operation = child(resolved(document, child(document, 'webhooks')[kind]), 'post');
      const parameters: unknown = operation.parameters;
      if (!Array.isArray(parameters)) return `${kind} is not in the document`;
      for (const parameter of parameters) {
        const { schema, ...rest } = resolved(document, parameter);
        const [name, required] = [String(rest.name), rest.required === true];
        const value = headers[name];
        if (value === undefined && required) return `${kind}: ${name} is missing`;
        const validate = validator(`${kind} ${name}`, schema);
        if (value !== undefined && !validate(value)) {
          return `${kind} ${name}: ${errorsText(validate.errors)}`;
        }
      }
      const { schema } = child(operation, 'requestBody', 'content', 'application/json');
      const validate = validator(kind, schema);
      const event: unknown = JSON.parse(text);
      if (!validate(event)) return `${kind}: ${errorsText(validate.errors)}\n${text}`;
      return child(event).event_type === kind ? null : `${kind}: event_type is another\n${text}`;
    },
    check(method, url, given, also = []) {
      // A 206 has the schema of the 200.
      const answer = given.statusCode === 206 ? { ...given, statusCode: 200, headers: given.headers } : given;
      const { document, templates, validator, errorsText } = described();
      const path = (url.split('?', 1)[0] ?? '').slice(prefix.length);
      // Like the router: prefers a path without parameters, unless it does not support the method.
      const operationOf = (of: string) => child(document, 'paths', of, method.toLowerCase());
      const template = templates.find(
        (one) => one.pattern.test(path) && Object.keys(operationOf(one.path)).length > 0,
      )?.path;
      const operation = template === undefined ? {} : operationOf(template);
      if (template === undefined) {
        return answer.statusCode === 404 || answer.statusCode === 405 || method === 'OPTIONS' || method === 'HEAD'
          ? null
          : `${method} ${path} answered ${answer.statusCode} but is not in the document`;
      }
      const name = `${method} ${template} ${answer.statusCode}`;
      seen.add(name);
      const responses = child(operation, 'responses');
      const declared = Object.hasOwn(responses, String(answer.statusCode));
      const response = resolved(document, responses[declared ? answer.statusCode : 'default']);
      const isEmpty = answer.statusCode === 204 || (declared && !Object.hasOwn(response, 'content'));
      if (isEmpty) return answer.body === '' ? null : `${name} has a body`;
      const type = String(answer.headers['content-type']).split(';', 1)[0] ?? '';
      const media = child(response, 'content', type);
      if (!('schema' in media)) return `${name} answered ${type}, which is not declared`;
      if (type !== 'application/json') return null;
      const body: unknown = answer.json();
      if (!declared) {
        const code = codeIn(body);
        const codes = codesOf(document, template, method.toLowerCase());
        if (!isCode(code) || !(codes.has(code) || also.includes(code))) {
          return `${name} answers ${code}, which is not declared`;
        }
        if (errorCatalog[code].status !== answer.statusCode) return `${name} is not the status of ${code}`;
      }
      const validate = validator(name, media.schema);
      return validate(body) ? null : `${name}: ${errorsText(validate.errors)}\n${answer.body}`;
    },
  };
}
