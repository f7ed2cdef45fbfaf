// Reads accounts for other capabilities.
import type { Queries } from '../../platform/store/sql.js';
import { getOrganization, listOrganizations, type Organization } from '../store/organizations.js';

/** Every account, also suspended and closed ones. */
export const allAccounts = (q: Queries): Promise<Organization[]> => listOrganizations(q);

/** Returns the account in any status, or null. */
export const findAccount = (q: Queries, accountId: number): Promise<Organization | null> =>
  getOrganization(q, accountId);
