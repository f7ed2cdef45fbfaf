// Renames misspelled fields of a request. If the result is valid, it is suggested to the client in the error.
import type { z } from 'zod';
import { isObject } from '../../../shared/is-object.js';
import type { UnknownField } from './known-fields.js';

/** Longer input is not repeated in an error. */
const MOST_CHARS = 4_096;

/** Returns the corrected input, or null if a field has no similar name or the result is still invalid. */
export function correctedInput(
  shape: z.ZodType,
  value: unknown,
  unknown: readonly UnknownField[],
): Record<string, unknown> | null {
  if (unknown.some(({ nearest }) => nearest === null)) return null;
  if (charsOf(value, MOST_CHARS) > MOST_CHARS) return null;
  const copy = structuredClone(value);
  if (!unknown.every(({ path, nearest }) => rename(copy, path, nearest ?? ''))) return null;
  return shape.safeParse(copy).success && isObject(copy) ? copy : null;
}

/** Returns about how long the value is as JSON; stops counting beyond `most`. */
function charsOf(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return String(value).length;
  let chars = 2;
  for (const [name, inner] of Object.entries(value)) {
    chars += (Array.isArray(value) ? 1 : name.length + 4) + charsOf(inner, most - chars);
    if (chars > most) break;
  }
  return chars;
}

/** Returns false if the field exists already, because it is unknown which of the two values is meant. */
function rename(root: unknown, path: readonly string[], to: string): boolean {
  let at: unknown = root;
  for (const step of path.slice(0, -1)) at = isObject(at) || Array.isArray(at) ? Reflect.get(at, step) : null;
  const from = path.at(-1) ?? '';
  if (!isObject(at) || Object.hasOwn(at, to)) return false;
  at[to] = at[from];
  delete at[from];
  return true;
}
