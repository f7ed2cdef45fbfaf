// Values on their way to PostgreSQL and from it: as SQLite takes and returns them.
import pg from 'pg';
import type { SqlValue } from '../sql.js';
import { givenText, storedText } from './zero-text.js';

const OID = { bool: 16, bytea: 17, int8: 20, int2: 21, int4: 23, float4: 700, float8: 701, numeric: 1700 } as const;

/** Larger numbers would be rounded in silence. */
function integer(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is larger than a number can hold`);
  return value;
}

const number = (text: string) => (/^-?\d+$/.test(text) ? integer(text) : Number(text));

const parsers: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [OID.bool, (text) => (text === 't' ? 1 : 0)],
  [OID.int8, integer],
  [OID.int2, integer],
  [OID.int4, integer],
  // SUM of integers is numeric.
  [OID.numeric, number],
  [OID.float4, Number],
  [OID.float8, Number],
  [OID.bytea, pg.types.getTypeParser(OID.bytea, 'text') as (text: string) => unknown],
]);

/** For `types` of a connection. */
export const valueTypes = {
  getTypeParser: (oid: number) => parsers.get(oid) ?? givenText,
};

/** Returns the value of a parameter as it is stored. */
export const storedValue = (value: SqlValue | undefined): SqlValue | undefined =>
  typeof value === 'string' ? storedText(value) : value;
