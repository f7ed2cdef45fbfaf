// GET /v1/users of the operator API.
import { z } from 'zod';
import type { Limits } from '../../platform/domain/limits.js';
import { nextCursor, pageOf, pageParams } from '../../platform/http/page.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { time } from '../../platform/http/values.js';
import type { Users } from '../app/users.js';

export function createOperatorUserRoutes({ users, limits }: { users: Users; limits: Limits }): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/users',
      operationId: 'listUsers',
      level: 'read',
      summary: 'Users, the oldest first',
      query: z.object(pageParams(limits)),
      responses: {
        200: z
          .object({
            data: z.array(
              z
                .object({
                  user_id: z.string(),
                  email: z.string(),
                  name: z.string().nullable(),
                  operator: z.boolean(),
                  created_at: time,
                })
                .meta({ id: 'ListedUser' }),
            ),
            next_cursor: nextCursor,
          })
          .meta({ id: 'UserPage' }),
      },
      async handle({ query: { limit = limits.list_limit_default, cursor = null } }) {
        const found = await users.page({ after: cursor, limit: limit + 1 });
        const { page, next } = pageOf(found, limit, ({ createdAt, userId }) => ({ at: createdAt, id: userId }));
        const data = page.map(({ userId, email, name, operator, createdAt }) => ({
          user_id: userId,
          email,
          name,
          operator,
          created_at: new Date(createdAt).toISOString(),
        }));
        return { status: 200, body: { data, next_cursor: next } };
      },
    }),
  ];
}
