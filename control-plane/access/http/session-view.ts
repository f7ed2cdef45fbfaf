import { z } from 'zod';
import { languages } from '../../../shared/language.js';
import type { SignedIn } from '../../platform/domain/person.js';
import { roles } from '../../platform/domain/role.js';
import type { PersonOrganization } from '../app/memberships.js';

export const sessionShape = z
  .object({
    user: z.object({
      id: z.string(),
      email: z.string(),
      name: z.string().nullable(),
      language: z.enum(languages).nullable().meta({ description: 'Null: not known yet' }),
      operator: z.boolean(),
    }),
    organizations: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        slug: z.string(),
        role: z.enum(roles),
        status: z.string(),
        payments_blocked: z.boolean(),
        workspaces: z.array(z.object({ id: z.string(), name: z.string() })),
      }),
    ),
    expires_at: z.string(),
    /** The server's time. */
    now: z.string(),
  })
  .meta({ id: 'Session' });

export function sessionView(
  person: SignedIn,
  organizations: readonly PersonOrganization[],
  now: number,
): z.infer<typeof sessionShape> {
  return {
    user: {
      ...{ id: person.userId, email: person.email, name: person.name },
      ...{ language: person.language, operator: person.operator },
    },
    organizations: organizations.map(({ account, role, workspaces }) => ({
      id: account.orgId,
      name: account.name,
      slug: account.slug,
      role,
      status: account.status,
      payments_blocked: account.paymentsBlocked,
      workspaces: workspaces.map(({ workspaceId, name }) => ({ id: workspaceId, name })),
    })),
    expires_at: new Date(person.expiresAt).toISOString(),
    now: new Date(now).toISOString(),
  };
}
