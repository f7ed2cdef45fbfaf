// GET /v1/unreadable-secrets of the operator API.
import { z } from 'zod';
import type { Organizations } from '../../access/app/organizations.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { count } from '../../platform/http/values.js';
import type { Unreadable } from '../app/unreadable-secrets.js';

/** More than these at once have one cause. */
const SHOWN = 1_000;

export function createUnreadableSecretRoutes(deps: {
  readonly organizations: Pick<Organizations, 'list'>;
  unreadableSecrets(): Promise<Unreadable[]>;
}): AnyRoute[] {
  const { organizations, unreadableSecrets } = deps;
  return [
    route({
      method: 'GET',
      path: '/v1/unreadable-secrets',
      operationId: 'listUnreadableSecrets',
      level: 'read',
      errors: ['secrets_unavailable'],
      summary: 'Encrypted values that cannot be decrypted: build secrets, signing secrets; at most 1,000',
      responses: {
        200: z
          .object({
            total: count,
            unreadable: z.array(
              z.object({
                org_id: z.string().nullable(),
                org_slug: z.string().nullable(),
                kind: z.string().meta({ description: 'secret, webhook or notify_url' }),
                name: z.string().meta({ description: 'Name of the secret, or id of the webhook or build' }),
                reason: z.string(),
              }),
            ),
          })
          .meta({ id: 'UnreadableSecrets' }),
      },
      async handle() {
        const found = await unreadableSecrets();
        const orgs = new Map((await organizations.list()).map((org) => [org.id, org]));
        const unreadable = found.map(({ accountId, ...one }) => {
          const org = orgs.get(accountId);
          return { org_id: org?.orgId ?? null, org_slug: org?.slug ?? null, ...one };
        });
        return { status: 200, body: { total: unreadable.length, unreadable: unreadable.slice(0, SHOWN) } };
      },
    }),
  ];
}
