// From zod shapes to the JSON schemas of an OpenAPI document. Shapes with an id become components, and are referred to.
import { z } from 'zod';

export type Json = { [key: string]: unknown };

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export type ToSchema = (shape: z.ZodType, io: 'input' | 'output') => unknown;

/** @returns what makes schemas, and the components that they refer to so far */
export function createSchemas(): { readonly toSchema: ToSchema; readonly components: Json } {
  const components: Json = {};
  return { components, toSchema: (shape, io) => named(shape, io, components) };
}

function named(shape: z.ZodType, io: 'input' | 'output', components: Json): unknown {
  const { $schema: _, $defs = {}, ...schema } = z.toJSONSchema(shape, { io, unrepresentable: 'any' });
  const relocated = (node: unknown) => relocate(node, io);
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

/** References point into the document, and what says nothing is left out. */
function relocate(node: unknown, io: 'input' | 'output'): unknown {
  const relocated = (inner: unknown) => relocate(inner, io);
  if (Array.isArray(node)) return node.map(relocated);
  if (!isObject(node)) return node;
  const result: Json = {};
  for (const [name, value] of Object.entries(node)) {
    if (name === 'id' && typeof value === 'string') continue;
    if (name === 'x-open') continue;
    // An answer may get further fields, so readers are not told to refuse them.
    if (name === 'additionalProperties' && value === false && io === 'output') continue;
    // To whoever checks answers an enumeration that may grow is text, and its values what is known today.
    if (name === 'enum' && node['x-open'] === true && io === 'output') {
      result['x-extensible-enum'] = value;
      continue;
    }
    // Names of fields are text in any case, and the type of a constant or a choice is that of its values.
    if (name === 'propertyNames' && isObject(value) && value.type === 'string' && size(value) === 1) continue;
    if (name === 'type' && ('const' in node || ('enum' in node && node['x-open'] !== true))) continue;
    // Of text in an address it says nothing beside the type.
    if (name === 'pattern' && node.type === 'integer') continue;
    // The document says once that no number of an answer is negative.
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
    // In brief a schema without `required` has all its fields.
    result.required ??= [];
    // A request with any other field is refused.
    if (io === 'input') result.additionalProperties ??= false;
  }
  return orNull(result);
}

const size = (value: object) => Object.keys(value).length;

/** `anyOf` a typed schema and null, as one schema. */
function orNull(node: Json): Json {
  const { anyOf, description, ...rest } = node;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || size(rest) > 0) return node;
  const [{ type, description: inner, ...one }, other] = anyOf as [Json, Json];
  if ('$ref' in one || 'const' in one || other?.type !== 'null' || (typeof type !== 'string' && !one.enum))
    return node;
  const said = [description, inner].filter((text) => typeof text === 'string').join('\n\n');
  const values = ['enum', 'x-extensible-enum'].find((name) => Array.isArray(one[name]));
  return {
    ...(typeof type === 'string' ? { type: [type, 'null'] } : {}),
    ...one,
    ...(values ? { [values]: [...(one[values] as unknown[]), null] } : {}),
    ...(said === '' ? {} : { description: said }),
  };
}
