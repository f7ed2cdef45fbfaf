// An organization in the results of `cidermill admin org`.
import type { Organization } from '../../access/store/organizations.js';

export function organizationView(organization: Organization) {
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
