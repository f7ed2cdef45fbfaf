// An organization as operators name and see it.
import { z } from 'zod';
import type { OperationContext } from '../../platform/http/operation.js';
import type { Organization, Organizations } from '../app/organizations.js';

export const orgField = z.string().meta({ description: 'Organization: org_…, slug or number' });

/** Returns the organization that an operator names, which becomes the subject of the audit entry. */
export async function organizationOf(
  { organizations }: { readonly organizations: Pick<Organizations, 'find'> },
  org: string,
  { concerns }: OperationContext,
): Promise<Organization> {
  const found = await organizations.find(org);
  concerns({ target: found.orgId, accountId: found.id });
  return found;
}

export const organizationShape = z
  .object({
    id: z.int().meta({ description: 'Number of the organization' }),
    org_id: z.string(),
    name: z.string(),
    slug: z.string(),
    status: z.enum(['active', 'suspended', 'closed']),
    payments_blocked: z.boolean(),
    created_at: z.string(),
  })
  .meta({ id: 'ChangedOrganization' });

export function organizationView(organization: Organization): z.infer<typeof organizationShape> {
  return {
    id: organization.id,
    org_id: organization.orgId,
    name: organization.name,
    slug: organization.slug,
    status: organization.status,
    payments_blocked: organization.paymentsBlocked,
    created_at: new Date(organization.createdAt).toISOString(),
  };
}
