// Reads accounts for other capabilities.
import type { Queries } from '../../platform/store/sql.js';
import { listOrganizations, type Organization } from '../store/organizations.js';

/** Every account, also suspended and closed ones. */
export const allAccounts = (q: Queries): Promise<Organization[]> => listOrganizations(q);
