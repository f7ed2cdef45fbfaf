// The operations of the OpenAPI documents, as far as a client needs to know them.
import { isObject } from '../../shared/is-object.js';
import type { Documents } from './documents.js';
import { at, type Json } from './schema.js';

export interface ReferenceOperation {
  readonly api: keyof Documents;
  /** Unique in its API. */
  readonly id: string;
  readonly method: string;
  /** `/builds/{build_id}` */
  readonly path: string;
  /** `GET /builds/{build_id}` */
  readonly title: string;
  readonly summary: string;
  /** Names of its path parameters. */
  readonly pathNames: readonly string[];
  /** Query parameters. */
  readonly parameters: readonly Json[];
  /** Name of the type of its query; null if it takes none. */
  readonly query: string | null;
  readonly body: readonly Json[];
  /** Schema of a JSON body. */
  readonly json: unknown;
  /** Schemas of its JSON responses, by status. */
  readonly answers: readonly (readonly [status: string, schema: unknown])[];
  /** Content types of its successful responses. */
  readonly types: readonly string[];
}

/** Returns the operations of all documents; a path with its own `servers` is an operation of another API. */
export function operationsOf(documents: Documents): ReferenceOperation[] {
  return Object.entries(documents).flatMap(([api, document]: [string, Json]) =>
    Object.entries(at(document, 'paths'))
      .filter(([, methods]) => at({ methods }, 'methods').servers === undefined)
      .flatMap(([path, methods]) =>
        Object.entries(isObject(methods) ? methods : {})
          // A path item has its parameters next to its methods.
          .filter(([method]) => method !== 'parameters')
          .map(([method, operation]) =>
            described(document, api as keyof Documents, path, method, at({ operation }, 'operation')),
          ),
      ),
  );
}

function described(
  document: Json,
  api: keyof Documents,
  path: string,
  verb: string,
  operation: Json,
): ReferenceOperation {
  const resolved = (value: unknown): unknown => {
    const { $ref } = isObject(value) ? value : {};
    return typeof $ref === 'string' ? at(document, ...$ref.replace('#/', '').split('/')) : value;
  };
  const method = verb.toUpperCase();
  const id = String(operation.operationId);
  const parameters = listOf(operation.parameters)
    .map(resolved)
    .filter(isObject)
    .filter((parameter) => parameter.in === 'query');
  const content = at(resolved(operation.requestBody), 'content');
  const responses = Object.entries(at(operation, 'responses')).map(
    ([status, response]) => [status, at(resolved(response), 'content')] as const,
  );
  return {
    api,
    id,
    method,
    path,
    title: `${method} ${path}`,
    summary: String(operation.summary),
    pathNames: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
    parameters,
    query: parameters.length === 0 ? null : queryName(api, id),
    body: Object.values(content).filter(isObject),
    json: at(content, 'application/json').schema ?? null,
    answers: responses.map(([status, types]) => [status, at(types, 'application/json', 'schema')] as const),
    types: responses.filter(([status]) => status < '4').flatMap(([, types]) => Object.keys(types)),
  };
}

/** `listBuilds` takes a `BuildFilter`, `waitForBuild` a `WaitForBuildQuery`. */
function queryName(api: keyof Documents, id: string): string {
  const [, many] = /^list(\w+)$/.exec(id) ?? [];
  const name = many === undefined ? `${capital(id)}Query` : `${singular(many)}Filter`;
  return api === 'operator' ? `Operator${name}` : name;
}

const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
const singular = (many: string) => many.replace(/ies$/, 'y').replace(/s$/, '');

export const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
