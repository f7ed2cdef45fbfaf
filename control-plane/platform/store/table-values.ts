// Values on their way between records and columns, and the names of both.
import type { AnyField } from '../domain/fields.js';
import type { SqlValue } from './sql.js';

/** `createdAt` is kept in `created_at`. */
export const columnOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Quotes a column's name, which may be an SQL keyword. */
export const quoted = (name: string) => `"${columnOf(name)}"`;

/** Null if the driver's value needs no conversion. */
export function decoderOf({ kind, check }: AnyField): ((value: unknown) => unknown) | null {
  if (kind === 'bool') return (value) => (value === null ? null : value === 1);
  if (kind !== 'json') return null;
  return (value) => {
    if (typeof value !== 'string') return null;
    const read: unknown = JSON.parse(value);
    return check ? check(read) : read;
  };
}

export function encode({ kind }: AnyField, value: unknown): SqlValue {
  if (value === null || value === undefined) return null;
  if (kind === 'bool') return value === true ? 1 : 0;
  if (kind === 'json') return JSON.stringify(value);
  return value as SqlValue;
}
