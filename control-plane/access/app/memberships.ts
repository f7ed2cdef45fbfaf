// The organizations and workspaces of a person.
import type { Membership } from '../../platform/domain/person.js';
import type { Queries } from '../../platform/store/sql.js';
import { findMembership, listMemberships } from '../store/members.js';
import { findWorkspace, listWorkspaces, type Workspace } from '../store/workspaces.js';

export interface PersonOrganization extends Membership {
  readonly workspaces: readonly Workspace[];
}

export interface Memberships {
  /** The person's organizations by name, without closed ones. */
  organizations(userId: string): Promise<PersonOrganization[]>;
  /** Null: no such organization, or the person is not a member. */
  membership(userId: string, orgId: string): Promise<Membership | null>;
  /** Returns the person's membership in the organization of the workspace, or null. */
  workspaceMembership(userId: string, workspaceId: string): Promise<Membership | null>;
  /** The workspace that was created with the account. */
  defaultWorkspace(accountId: number): Promise<string>;
}

export function createMemberships(q: Queries): Memberships {
  return {
    async organizations(userId) {
      const all = await listMemberships(q, userId);
      const memberships = all.filter(({ account }) => account.status !== 'closed');
      return Promise.all(
        memberships.map(async (membership) => ({
          ...membership,
          workspaces: await listWorkspaces(q, membership.account.id),
        })),
      );
    },

    membership: (userId, orgId) => findMembership(q, userId, orgId),

    workspaceMembership: (userId, workspaceId) => workspaceMembership(q, userId, workspaceId),

    async defaultWorkspace(accountId) {
      const [first] = await listWorkspaces(q, accountId);
      if (!first) throw new Error(`the account ${accountId} has no workspace`);
      return first.workspaceId;
    },
  };
}

/** Returns the person's membership in the organization of the workspace, or null. */
export async function workspaceMembership(
  q: Queries,
  userId: string,
  workspaceId: string,
): Promise<Membership | null> {
  const workspace = await findWorkspace(q, workspaceId);
  return workspace && findMembership(q, userId, workspace.orgId);
}
