// Compiles the zod shape of a response, by way of a JSON schema, to a serializer. Undeclared fields are not written,
// and nullable values need no validator at run time.
import fastJsonStringify from 'fast-json-stringify';
import { z } from 'zod';
import { isObject } from '../../../shared/is-object.js';

type Json = { [key: string]: unknown };

type Serialize = (value: unknown) => string;
const compiled = new WeakMap<z.ZodType, Serialize>();

/** Compiles on the first response, once per shape: compiling all of them would take a third of the startup time. */
export function serializerOf(shape: z.ZodType): Serialize {
  return (value) => {
    let serialize = compiled.get(shape);
    if (!serialize) {
      serialize = fastJsonStringify(serializerSchema(shape));
      compiled.set(shape, serialize);
    }
    return serialize(value);
  };
}

/** @example serializerSchema(z.object({ a: z.string().nullable() })) // { type: 'object', properties: { a: { type: 'string', nullable: true } } … } */
export function serializerSchema(shape: z.ZodType): Json {
  const schema = z.toJSONSchema(shape, { io: 'output', unrepresentable: 'any' });
  const definitions = isObject(schema.$defs) ? schema.$defs : {};
  const simplified = simplify(schema, definitions);
  return isObject(simplified) ? simplified : {};
}

// Keywords that constrain a value but affect neither its serialization nor the choice between alternatives.
const UNUSED = new Set([
  '$schema',
  '$defs',
  'id',
  'title',
  'description',
  'examples',
  'default',
  'x-open',
  'x-plain',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'format',
]);

function simplify(node: unknown, definitions: Json): unknown {
  if (Array.isArray(node)) return node.map((item) => simplify(item, definitions));
  if (!isObject(node)) return node;
  if (typeof node.$ref === 'string') {
    return simplify(definitions[node.$ref.replace('#/$defs/', '')], definitions);
  }
  if (Array.isArray(node.anyOf)) return alternatives(node.anyOf, definitions);
  if (Array.isArray(node.oneOf)) return alternatives(node.oneOf, definitions);
  const result: Json = {};
  for (const [name, value] of Object.entries(node)) {
    if (UNUSED.has(name)) continue;
    result[name] =
      name === 'properties' && isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, simplify(v, definitions)]))
        : simplify(value, definitions);
  }
  return result;
}

/** Turns `X | null` into a nullable X and merges shapes that serialize alike; any other union stays `anyOf`. */
function alternatives(anyOf: unknown[], definitions: Json): Json {
  const shapes = anyOf.map((item) => simplify(item, definitions)).filter(isObject);
  const others = shapes.filter((shape) => shape.type !== 'null');
  const [only] = others;
  const alike = only && new Set(others.map((shape) => JSON.stringify(shape))).size === 1;
  if (!alike) return { anyOf: shapes };
  return others.length < shapes.length ? nullable(only) : only;
}

/** With null among its values, which choosing between alternatives asks for. */
const nullable = (shape: Json): Json => ({
  ...shape,
  ...(Array.isArray(shape.enum) ? { enum: [...shape.enum, null] } : {}),
  nullable: true,
});
