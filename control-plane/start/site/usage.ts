// /usage: what the signed-in person's organizations use of their limits.
import type { FastifyInstance } from 'fastify';
import type { ReadUsageNow } from '../../access/app/account-usage.js';
import type { Memberships } from '../../access/app/memberships.js';
import { limitsOf } from '../../platform/domain/account-limits.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { OpenRequests } from '../../platform/http/open-requests.js';
import { createPageAnswers, type PageAnswersDeps } from './page-answers.js';
import { usagePage } from './usage-page.js';

export interface UsagePageDeps extends PageAnswersDeps {
  readonly memberships: Pick<Memberships, 'organizations'>;
  readonly usageNow: ReadUsageNow;
  readonly openRequests: Pick<OpenRequests, 'of'>;
  readonly limits: Limits;
}

export function mountUsagePage(server: FastifyInstance, deps: UsagePageDeps): void {
  const { memberships, usageNow, openRequests, limits } = deps;
  const answer = createPageAnswers(deps, (error) => {
    throw error;
  });
  server.get('/usage', (request, reply) =>
    answer(request, reply, async ({ userId, email }) => {
      const organizations = await memberships.organizations(userId);
      const used = await Promise.all(
        organizations.map(async ({ account }) => ({
          name: account.name ?? account.slug ?? account.orgId,
          usage: { ...(await usageNow(account.id)), ...openRequests.of(account.id) },
          limits: limitsOf(account, limits),
        })),
      );
      return { status: 200, html: usagePage(used, email) };
    }),
  );
}
