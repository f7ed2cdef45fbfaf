// Finds the organization and workspace of an identifier, for links that name neither.
import { accountMembership, workspaceMembership } from '../../access/app/memberships.js';
import { findBuildOfAnyAccount } from '../../builds/app/build-lookup.js';
import { findMacs } from '../../macs/app/macs.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Queries } from '../../platform/store/sql.js';
import { findOrderOfAnyAccount } from '../../renting/app/order-lookup.js';

export type LocatedKind = 'build' | 'rental' | 'order';

export interface Located {
  readonly kind: LocatedKind;
  readonly orgId: string;
  readonly slug: string;
  /** The workspace of a build; null for what belongs to the organization as a whole. */
  readonly workspaceId: string | null;
}

export type Locate = ReturnType<typeof createLocate>;

export function createLocate({ store }: { store: Queries }) {
  /** Queries the membership even if nothing is found, so that a hidden identifier takes as long as a missing one. */
  const find = async (userId: string, id: string) => {
    if (id.startsWith('rb_')) {
      const workspaceId = (await findBuildOfAnyAccount(store, id))?.workspaceId ?? '';
      const membership = await workspaceMembership(store, userId, workspaceId);
      return { kind: 'build', workspaceId, membership } as const;
    }
    const isRental = id.startsWith('rt_');
    const accountId = isRental
      ? (await findMacs(store, [id]))[0]?.accountId
      : (await findOrderOfAnyAccount(store, id))?.accountId;
    const membership = await accountMembership(store, userId, accountId ?? -1);
    return { kind: isRental ? 'rental' : 'order', workspaceId: null, membership } as const;
  };

  /**
   * Returns where a build, rental or order belongs.
   *
   * @throws ApiError not_found, also if the person may not see it; organization_suspended
   */
  return async function locate(userId: string, id: string): Promise<Located> {
    const { kind, workspaceId, membership } = await find(userId, id);
    if (!membership || membership.account.status === 'closed') throw new ApiError('not_found');
    const { orgId, slug, status } = membership.account;
    if (status === 'suspended') throw new ApiError('organization_suspended');
    return { kind, orgId, slug, workspaceId };
  };
}
