// Lists that are read page by page with `limit` and a cursor: `cursor` and `next_cursor`, or `before` and `next_before`.

import { z } from 'zod';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { Limits } from '../domain/limits.js';
import { issueBecause } from './issue-problem.js';
import { integerParam } from './query.js';
import type { AnyRoute } from './route.js';

/** `next_cursor` of the previous page: the position of its last entry in the order of the list. */
export const positionParam = z
  .string()
  .transform((text, context) => {
    const [, at, id] = /^(\d{1,15})-([A-Za-z0-9_-]{1,64})$/.exec(text) ?? [];
    if (at === undefined) context.addIssue(issueBecause(fieldProblem('not_a_cursor')));
    return { at: Number(at), id: id ?? '' };
  })
  .meta({ title: '`next_cursor` of the previous page' });

export type Position = z.infer<typeof positionParam>;

export const nextCursor = z.string().nullable().meta({ title: '`cursor` of the next page; null on the last one' });

/** @example query: z.object({ ...pageParams(limits), status: orderStatus.optional() }) */
export const pageParams = (limits: Pick<Limits, 'list_limit_max'>) => ({
  limit: integerParam(1, limits.list_limit_max).optional(),
  cursor: positionParam.optional(),
});

/**
 * Cuts the page off `found`, of which one more than `limit` was read.
 *
 * @param positionOf what follows the last entry of the page
 */
export function pageOf<T>(
  found: readonly T[],
  limit: number,
  positionOf: (last: T) => Position,
): { readonly page: readonly T[]; readonly next: string | null } {
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  if (last === undefined) return { page, next: null };
  const { at, id } = positionOf(last);
  return { page, next: `${at}-${id}` };
}

/** Whether a route is a list with a `limit` of entries. */
export const hasLimit = ({ method, query }: Pick<AnyRoute, 'method' | 'query'>): boolean =>
  method === 'GET' && query instanceof z.ZodObject && 'limit' in query.shape;

/**
 * Returns the `limit` with which an answer takes at most `bytes` of JSON: of a page, as many entries as fit; of an answer
 * with several lists, which all have `limit` entries, about as many. At least one. Returns null if the whole answer fits.
 */
export function entriesThatFit(body: unknown, bytes: number): number | null {
  if (typeof body !== 'object' || body === null) return null;
  if (!('next_cursor' in body || 'next_before' in body)) return entriesOfEach(body, bytes);
  const [entries, rest] = entriesOf(body);
  let size = Buffer.byteLength(JSON.stringify(rest)) + 2;
  // Its other lists are cut, too.
  if (size > bytes / 2) return entriesOfEach(body, bytes);
  if (entries.length < 2) return null;
  for (const [index, entry] of entries.entries()) {
    size += Buffer.byteLength(JSON.stringify(entry)) + 1;
    if (size > bytes) return Math.max(1, index);
  }
  return null;
}

/** Entries differ in size. */
const SAFETY = 0.9;

function entriesOfEach(body: object, bytes: number): number | null {
  const longest = longestIn(body);
  if (longest < 2) return null;
  const size = Buffer.byteLength(JSON.stringify(body));
  if (size <= bytes) return null;
  return Math.max(1, Math.min(longest - 1, Math.floor(((longest * bytes) / size) * SAFETY)));
}

/** The length of the longest list of an answer or of one of its objects. */
function longestIn(body: object): number {
  const lists = Object.values(body).flatMap((value) => (isObject(value) ? [value, ...Object.values(value)] : [value]));
  return lists.reduce<number>((most, one) => (Array.isArray(one) ? Math.max(most, one.length) : most), 0);
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the entries of a page, which are its longest array, and the rest of it. */
function entriesOf(page: object): [entries: readonly unknown[], rest: object] {
  const fields = Object.entries(page);
  const arrays = fields.filter(([, value]) => Array.isArray(value)) as [string, readonly unknown[]][];
  const [name, entries] = arrays.reduce((a, b) => (b[1].length > a[1].length ? b : a), ['', []]);
  return [entries, Object.fromEntries(fields.map(([key, value]) => [key, key === name ? [] : value]))];
}
