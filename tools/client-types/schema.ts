// Helpers to read JSON schemas.
import { isObject } from '../../shared/is-object.js';
export type Json = { [key: string]: unknown };

/** Returns the object at a path of names, or an empty object. */
export function at(value: unknown, ...names: string[]): Json {
  const found = names.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value);
  return isObject(found) ? found : {};
}

const SCHEMAS = '#/components/schemas/';

/** Returns the name of the component that this schema refers to, or null. */
export function nameOf(schema: unknown): string | null {
  const { $ref } = isObject(schema) ? schema : {};
  return typeof $ref === 'string' && $ref.startsWith(SCHEMAS) ? $ref.slice(SCHEMAS.length) : null;
}

/** Returns the names of all components referenced in a schema, in order of appearance. */
export function namesIn(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(namesIn);
  if (!isObject(schema)) return [];
  const own = nameOf(schema);
  return [...(own === null ? [] : [own]), ...Object.values(schema).flatMap(namesIn)];
}
