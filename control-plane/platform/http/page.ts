// Lists that are read page by page with `limit` and `cursor`.
import { z } from 'zod';
import type { Limits } from '../domain/limits.js';
import { integerParam } from './query.js';

/** `next_cursor` of the previous page: the position of its last entry in the order of the list. */
export const positionParam = z
  .string()
  .transform((text, context) => {
    const [, at, id] = /^(\d{1,15})-([A-Za-z0-9_-]{1,64})$/.exec(text) ?? [];
    if (at === undefined) context.addIssue('not a next_cursor of an earlier page');
    return { at: Number(at), id: id ?? '' };
  })
  .meta({ description: '`next_cursor` of the previous page' });

export type Position = z.infer<typeof positionParam>;

export const nextCursor = z
  .string()
  .nullable()
  .meta({ description: '`cursor` of the next page; null on the last one' });

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
