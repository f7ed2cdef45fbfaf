// Converts zod shapes to JSON schemas of an OpenAPI document. Shapes with an id become components, used by reference.
import { z } from 'zod';
import { isObject } from '../../../shared/is-object.js';

export type Json = { [key: string]: unknown };

export type ToSchema = (shape: z.ZodType, io: 'input' | 'output') => unknown;

/** Of the document: only the full form has the meanings of plain enumerations. */
export type Form = 'brief' | 'full';

interface Way {
  readonly io: 'input' | 'output';
  readonly form: Form;
}

/** @returns a converter, and the components that its schemas have referred to so far */
export function createSchemas(form: Form): { readonly toSchema: ToSchema; readonly components: Json } {
  const components: Json = {};
  return { components, toSchema: (shape, io) => named(shape, { io, form }, components) };
}

function named(shape: z.ZodType, way: Way, components: Json): unknown {
  const { $schema: _, $defs = {}, ...schema } = z.toJSONSchema(shape, { io: way.io, unrepresentable: 'any' });
  const relocated = (node: unknown) => relocate(node, way);
  for (const [name, definition] of Object.entries($defs)) {
    const component = relocated(definition);
    const known = components[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(component)) {
      throw new Error(`two shapes are called ${name}`);
    }
    components[name] = component;
  }
  return relocated(schema);
}

/** Makes references point into the document, and drops keywords without information. */
function relocate(node: unknown, way: Way): unknown {
  const { io, form } = way;
  const relocated = (inner: unknown) => relocate(inner, way);
  if (Array.isArray(node)) return node.map(relocated);
  if (!isObject(node)) return node;
  const result: Json = {};
  for (const [name, value] of Object.entries(node)) {
    if (name === 'id' && typeof value === 'string') continue;
    if (name === 'x-open') continue;
    if (name === 'x-plain') continue;
    if (name === 'x-enum-descriptions' && node['x-plain'] === true && form === 'brief') continue;
    // Fields may be added to responses later, so clients must not reject unknown ones.
    if (name === 'additionalProperties' && value === false && io === 'output') continue;
    // Values may be added to an open enumeration later, so clients must validate it as a string.
    if (name === 'enum' && node['x-open'] === true && io === 'output') {
      result['x-extensible-enum'] = value;
      continue;
    }
    // Property names are always strings, and the type of a constant or an enumeration follows from its values.
    if (name === 'propertyNames' && isObject(value) && value.type === 'string' && size(value) === 1) continue;
    if (name === 'type' && ('const' in node || ('enum' in node && node['x-open'] !== true))) continue;
    // The pattern of an integer in a URL is redundant.
    if (name === 'pattern' && node.type === 'integer') continue;
    // The document states once that numbers in responses are never negative.
    if (name === 'minimum' && value === 0 && io === 'output') continue;
    if (name === 'maximum' && value === Number.MAX_SAFE_INTEGER) continue;
    if (name === 'minimum' && value === Number.MIN_SAFE_INTEGER) continue;
    if (name === '$ref' && typeof value === 'string') {
      result.$ref = value.replace('#/$defs/', '#/components/schemas/');
    } else if (name === 'properties' && isObject(value)) {
      result.properties = Object.fromEntries(Object.entries(value).map(([k, v]) => [k, relocated(v)]));
    } else result[name] = relocated(value);
  }
  if (isObject(node.properties) && node.type === 'object') {
    // The brief form treats all fields as required if `required` is missing, so an empty list must be explicit.
    result.required ??= [];
    // Requests with unknown fields are refused.
    if (io === 'input') result.additionalProperties ??= false;
  }
  return orNull(result);
}

const size = (value: object) => Object.keys(value).length;

/** Merges `anyOf` of a typed schema and null into one nullable schema. */
function orNull(node: Json): Json {
  const { anyOf, description, title, ...rest } = node;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || size(rest) > 0) return node;
  const [{ type, description: inner, title: innerTitle, ...one }, other] = anyOf as [Json, Json];
  if ('$ref' in one || 'const' in one || other?.type !== 'null' || (typeof type !== 'string' && !one.enum)) return node;
  const said = [description, inner].filter((text) => typeof text === 'string').join('\n\n');
  const named = title ?? innerTitle;
  const values = ['enum', 'x-extensible-enum'].find((name) => Array.isArray(one[name]));
  return {
    ...(typeof type === 'string' ? { type: [type, 'null'] } : {}),
    ...one,
    ...(values ? { [values]: [...(one[values] as unknown[]), null] } : {}),
    ...(typeof named === 'string' ? { title: named } : {}),
    ...(said === '' ? {} : { description: said }),
  };
}
