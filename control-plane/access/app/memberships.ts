// The organizations and workspaces of a person.
import type { Membership } from '../../platform/domain/person.js';
import type { Queries } from '../../platform/store/sql.js';
import { findMembership, findWorkspaceMembership, listMemberships } from '../store/members.js';
import { findWorkspace, listWorkspaces, type Workspace } from '../store/workspaces.js';

export {
  findAccountMembership as accountMembership,
  findWorkspaceMembership as workspaceMembership,
} from '../store/members.js';

export interface PersonOrganization extends Membership {
  /** Workspaces that the person can see. */
  readonly workspaces: readonly Workspace[];
}

export type Memberships = ReturnType<typeof createMemberships>;

export function createMemberships(q: Queries) {
  const seen = async ({ account, workspaceIds }: Membership) => {
    const all = await listWorkspaces(q, account.id);
    return all.filter(({ workspaceId }) => workspaceIds?.includes(workspaceId) ?? true);
  };
  return {
    /** The person's organizations by name, without closed ones. */
    async organizations(userId: string): Promise<PersonOrganization[]> {
      const all = await listMemberships(q, userId);
      const memberships = all.filter(({ account }) => account.status !== 'closed');
      return Promise.all(
        memberships.map(async (membership) => ({ ...membership, workspaces: await seen(membership) })),
      );
    },

    /** Null: no such organization, or the person is not a member. */
    membership: (userId: string, orgId: string): Promise<Membership | null> => findMembership(q, userId, orgId),

    /** Returns the person's membership in the organization of the workspace, or null if the person cannot see it. */
    workspaceMembership: (userId: string, workspaceId: string): Promise<Membership | null> =>
      findWorkspaceMembership(q, userId, workspaceId),

    /** Returns the oldest workspace that the member can see, or null. */
    defaultWorkspace: async (membership: Membership): Promise<string | null> =>
      (await seen(membership))[0]?.workspaceId ?? null,

    /** Returns whether builds and uploads can be created in the workspace. */
    isLiveWorkspace: async (workspaceId: string): Promise<boolean> =>
      (await findWorkspace(q, workspaceId))?.removedAt === null,
  };
}
