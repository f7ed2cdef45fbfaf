// Accounts: creation with a default workspace, suspension, limits, and blocking of payments.

import type { Clock } from '../../../shared/clock.js';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { type AccountLimitChanges, type AccountLimits, limitsOf } from '../../platform/domain/account-limits.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { fieldError } from '../../platform/domain/field-error.js';
import { newId } from '../../platform/domain/ids.js';
import type { Limits } from '../../platform/domain/limits.js';
import { ConstraintError, type Queries, type Store, type Transaction } from '../../platform/store/sql.js';
import {
  findOrganization,
  getOrganization,
  insertOrganization,
  listOrganizations,
  type Organization,
  setAccountLimits,
  setOrganizationStatus,
  setPaymentsBlocked,
} from '../store/organizations.js';
import { insertWorkspace } from '../store/workspaces.js';

export { getOrganization as findAccount, listOrganizations as allAccounts } from '../store/organizations.js';
export type { Organization };

export interface NewOrganization {
  readonly id: number;
  readonly orgId: string;
  readonly workspaceId: string;
}

export interface NewNames {
  readonly name: string;
  /** Default: derived from the name. */
  readonly slug?: string;
}

/** Callbacks such as `created` run in the transaction of the change. */
export type Organizations = ReturnType<typeof createOrganizations>;

const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

export function createOrganizations({ store, clock }: { store: Store; clock: Clock }) {
  const createIn = async (tx: Transaction, { name, slug = slugOf(name) }: NewNames): Promise<NewOrganization> => {
    if (!SLUG.test(slug)) throw fieldError('invalid_request', 'slug', fieldProblem('invalid_slug'));
    const orgId = newId('org');
    const workspaceId = newId('ws');
    const now = clock.now();
    try {
      const { id } = await insertOrganization(tx, { orgId, name, slug, createdAt: now });
      await insertWorkspace(tx, { workspaceId, accountId: id, name: 'default', createdAt: now });
      return { id, orgId, workspaceId };
    } catch (error) {
      if (!(error instanceof ConstraintError)) throw error;
      throw fieldError('invalid_request', 'slug', fieldProblem('taken', { value: slug }), { cause: error });
    }
  };
  return {
    /** Throws invalid_request when the slug is taken or invalid. */
    create: (input: NewNames, created?: InTransaction<NewOrganization>): Promise<NewOrganization> =>
      store.transaction(async (tx) => {
        const made = await createIn(tx, input);
        await created?.(tx, made);
        return made;
      }),
    /** Same as `create`, in `tx`. */
    createIn,
    list: (): Promise<Organization[]> => listOrganizations(store),
    /** By `org_…`, slug or number; throws not_found. */
    async find(text: string): Promise<Organization> {
      const found = await findOrganization(store, text);
      if (!found) throw new ApiError('not_found', { message: `There is no organization ${text}.` });
      return found;
    },
    setStatus: ({ id }: Organization, status: 'active' | 'suspended', done?: InTransaction): Promise<void> =>
      store.transaction(async (tx) => {
        await setOrganizationStatus(tx, id, status);
        await done?.(tx);
      }),
    setPaymentsBlocked: ({ id }: Organization, blocked: boolean, done?: InTransaction): Promise<void> =>
      store.transaction(async (tx) => {
        await setPaymentsBlocked(tx, id, blocked);
        await done?.(tx);
      }),
    /**
     * Sets limits of the account, effective from the next request. Returns all limits that are set.
     *
     * @param reset whether to reset all other limits to their defaults
     */
    setLimits: ({ id }: Organization, changes: AccountLimitChanges, reset: boolean, done?: InTransaction) =>
      store.transaction(async (tx) => {
        const before = reset ? {} : (await getOrganization(tx, id))?.limits;
        const limits = { ...before, ...changes };
        await setAccountLimits(tx, id, limits);
        await done?.(tx);
        return limits;
      }),
  };
}

/** `Apple Press, Inc.` becomes `apple-press-inc`; a name without ASCII letters or digits gets a random slug. */
function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64)
    .replace(/-+$/, '');
  return slug === '' ? newId('org').replace('_', '-') : slug;
}

/** Blocks further payments of the account, in the transaction that records the reason. */
export async function blockPaymentsOf(tx: Transaction, accountId: number): Promise<void> {
  await setPaymentsBlocked(tx, accountId, true);
}

/** Returns the limits of an account by its number. */
export async function readLimitsOf(db: Queries, accountId: number, limits: Limits): Promise<AccountLimits> {
  return limitsOf((await getOrganization(db, accountId)) ?? { limits: {} }, limits);
}
