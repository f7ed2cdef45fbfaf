// Lists in SQL: `IN (…)` with as many parameters as there are values, a limited number at a time.
import type { SqlParams } from './sql.js';

/** Few sizes, so that few statements are prepared; a chunk is padded by repeating its last value. */
const SIZES = [1, 10, 100, 500] as const;
const LARGEST = 500;

const lists = new Map<number, string>(
  SIZES.map((size) => [size, Array.from({ length: size }, (_, i) => `:v${i}`).join(', ')]),
);

/**
 * Splits values into chunks, each with the text of its list and its parameters.
 *
 * @example
 * for (const { list, params } of inChunks(hashes)) {
 *   rows.push(...(await db.all(`SELECT * FROM blobs WHERE sha256 IN (${list})`, params)));
 * }
 */
export function* inChunks(values: Iterable<string | number>): Generator<{ list: string; params: SqlParams }> {
  let chunk: (string | number)[] = [];
  for (const value of values) {
    if (chunk.push(value) < LARGEST) continue;
    yield filled(chunk);
    chunk = [];
  }
  if (chunk.length > 0) yield filled(chunk);
}

function filled(chunk: readonly (string | number)[]): { list: string; params: SqlParams } {
  const size = SIZES.find((candidate) => candidate >= chunk.length) ?? LARGEST;
  const last = chunk[chunk.length - 1] ?? '';
  const params: Record<string, string | number> = {};
  for (let i = 0; i < size; i++) params[`v${i}`] = chunk[i] ?? last;
  return { list: lists.get(size) ?? '', params };
}
