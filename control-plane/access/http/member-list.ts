// What the lists of members have in common: for members themselves and for operators.
import { z } from 'zod';
import type { Limits } from '../../platform/domain/limits.js';
import { nextCursor, pageOf, type pageParams } from '../../platform/http/page.js';
import type { RouteReply } from '../../platform/http/route.js';
import { count } from '../../platform/http/values.js';
import type { Members } from '../app/members.js';
import { memberShape, memberView } from './member-view.js';

export const memberListShape = z
  .object({
    data: z.array(memberShape),
    owners: count.meta({ description: 'On all pages' }),
    next_cursor: nextCursor,
  })
  .meta({ id: 'MemberList' });

type Query = z.infer<z.ZodObject<ReturnType<typeof pageParams>>>;

export interface MemberListDeps {
  readonly members: Pick<Members, 'page'>;
  readonly limits: Limits;
}

/**
 * Returns a page of members.
 *
 * @param visible workspaces that are named in the answer; null: all
 */
export async function answerMembers(
  { members, limits }: MemberListDeps,
  accountId: number,
  { limit = limits.list_limit_default, cursor }: Query,
  visible: readonly string[] | null,
): Promise<RouteReply> {
  const found = await members.page(accountId, { after: cursor ?? null, limit: limit + 1 });
  const { page, next } = pageOf(found.members, limit, ({ joinedAt, userId }) => ({
    at: joinedAt,
    id: userId,
  }));
  const data = page.map((member) =>
    memberView({
      ...member,
      workspaceIds: member.workspaceIds.filter((id) => visible?.includes(id) ?? true),
    }),
  );
  return { status: 200, body: { data, owners: found.owners, next_cursor: next } };
}
