// Renames misspelled fields of a request. If the result is valid, it is suggested to the client in the error.
import type { z } from 'zod';
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
  const text = JSON.stringify(value);
  if (text.length > MOST_CHARS) return null;
  const copy: unknown = JSON.parse(text);
  if (!unknown.every(({ path, nearest }) => rename(copy, path, nearest ?? ''))) return null;
  return shape.safeParse(copy).success && isRecord(copy) ? copy : null;
}

/** Returns false if the field exists already, because it is unknown which of the two values is meant. */
function rename(root: unknown, path: readonly string[], to: string): boolean {
  let at: unknown = root;
  for (const step of path.slice(0, -1)) at = isRecord(at) || Array.isArray(at) ? Reflect.get(at, step) : null;
  const from = path.at(-1) ?? '';
  if (!isRecord(at) || Object.hasOwn(at, to)) return false;
  at[to] = at[from];
  delete at[from];
  return true;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
