// Finds fields of a value that its shape does not declare, at every depth. zod drops unknown fields silently, which
// would hide misspelled ones.
import { z } from 'zod';
import { nearestName } from '../../../shared/nearest-name.js';

export interface UnknownField {
  /** Segments from the root of the value, e.g. of `setup.xcodes` or `files.3.mod`. */
  readonly path: readonly string[];
  /** The most similar declared field of the same object; null if none is similar. */
  readonly nearest: string | null;
  /** The declared fields of this object. */
  readonly known: readonly string[];
}

/** Returns the unknown fields of a value in the value's order, at most `MOST_NAMED` of them. */
export type FindUnknown = (value: unknown) => UnknownField[];

const MOST_NAMED = 20;

/** Null for a value without fields. */
type Known = ObjectFields | { readonly each: Known } | null;
interface ObjectFields {
  readonly fields: ReadonlyMap<string, Known>;
}

/**
 * Returns a function that finds unknown fields. Inspects the shape once, for any number of values.
 *
 * @throws Error for an unsupported kind of shape, so that no field goes unchecked
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
      // A field that the object already has cannot be the intended one.
      const free = names.filter((one) => !Object.hasOwn(value, one));
      found.push({ path: [...path, name], nearest: nearestName(name, free), known: names });
    }
  }
}

function knownOf(shape: unknown): Known {
  if (shape instanceof z.ZodObject) {
    if (shape.def.catchall !== undefined && !(shape.def.catchall instanceof z.ZodNever)) {
      throw new Error('a request shape that takes any field hides misspelled ones');
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
  if (shape instanceof z.ZodUnion) {
    const inner = shape.def.options.map(knownOf).filter((one) => one !== null);
    if (inner.length <= 1) return inner[0] ?? null;
  }
  // Any name is a valid key, such as that of a label.
  if (shape instanceof z.ZodRecord && knownOf(shape.def.valueType) === null) return null;
  if (shape instanceof z.ZodPipe) return knownOf(shape.def.in);
  if (leaves.some((leaf) => shape instanceof leaf)) return null;
  throw new Error('a request shape of this kind cannot be checked for unknown fields');
}

const leaves = [z.ZodString, z.ZodStringFormat, z.ZodNumber, z.ZodBoolean, z.ZodLiteral, z.ZodEnum, z.ZodUnknown];
