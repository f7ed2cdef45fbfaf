// Which fields a shape knows, at every depth, and what a value holds beyond them. zod drops unknown fields silently;
// here a misspelt one is found before anything is done.
import { z } from 'zod';
import { nearestName } from '../../../shared/nearest-name.js';

export interface UnknownField {
  /** From the root of the value, e.g. `setup.xcodes` or `files.3.mod`. */
  readonly path: readonly string[];
  /** The field that it was probably meant to be, in the same object; null: no name is near. */
  readonly nearest: string | null;
  /** The fields that this object has. */
  readonly known: readonly string[];
}

/** Lists the unknown fields of a value, in its own order; at most `MOST_NAMED` of them. */
export type FindUnknown = (value: unknown) => UnknownField[];

const MOST_NAMED = 20;

/** Null: a value without fields. */
type Known = ObjectFields | { readonly each: Known } | null;
interface ObjectFields {
  readonly fields: ReadonlyMap<string, Known>;
}

/**
 * Reads the fields of a shape once, for many values.
 *
 * @throws Error for a kind of shape that it cannot read, so that no field goes unchecked
 * @example unknownFieldsOf(z.object({ keep_cache: z.boolean() }))({ keepCache: true })[0]?.nearest // 'keep_cache'
 */
export function unknownFieldsOf(shape: z.ZodType): FindUnknown {
  const known = knownOf(shape);
  return (value) => {
    const found: UnknownField[] = [];
    collect(value, known, [], found);
    return found;
  };
}

function collect(value: unknown, known: Known, path: readonly string[], found: UnknownField[]): void {
  if (known === null || typeof value !== 'object' || value === null || found.length >= MOST_NAMED) return;
  if (Array.isArray(value)) {
    if (!('each' in known)) return;
    for (const [index, item] of value.entries()) collect(item, known.each, [...path, String(index)], found);
    return;
  }
  if (!('fields' in known)) return;
  const names = [...known.fields.keys()];
  for (const [name, inner] of Object.entries(value)) {
    const field = known.fields.get(name);
    if (field !== undefined) collect(inner, field, [...path, name], found);
    else if (found.length < MOST_NAMED) {
      // A name that stands beside it already is not what it was meant to be.
      const free = names.filter((one) => !Object.hasOwn(value, one));
      found.push({ path: [...path, name], nearest: nearestName(name, free), known: names });
    }
  }
}

function knownOf(shape: unknown): Known {
  if (shape instanceof z.ZodObject) {
    if (shape.def.catchall !== undefined && !(shape.def.catchall instanceof z.ZodNever)) {
      throw new Error('a request shape that takes any field hides misspelt ones');
    }
    const fields = Object.entries(shape.def.shape).map(([name, inner]) => [name, knownOf(inner)] as const);
    return { fields: new Map(fields) };
  }
  if (shape instanceof z.ZodArray) return { each: knownOf(shape.def.element) };
  if (
    shape instanceof z.ZodOptional ||
    shape instanceof z.ZodNullable ||
    shape instanceof z.ZodDefault ||
    shape instanceof z.ZodReadonly
  ) {
    return knownOf(shape.def.innerType);
  }
  if (shape instanceof z.ZodPipe) return knownOf(shape.def.in);
  if (leaves.some((leaf) => shape instanceof leaf)) return null;
  throw new Error('a request shape of this kind cannot be checked for unknown fields');
}

const leaves = [
  z.ZodString,
  z.ZodStringFormat,
  z.ZodNumber,
  z.ZodBoolean,
  z.ZodLiteral,
  z.ZodEnum,
  z.ZodUnknown,
];
