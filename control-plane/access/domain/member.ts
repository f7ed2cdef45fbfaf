// Members of an organization, and who may change them.
import type { Role } from '../../platform/domain/role.js';

export interface Member {
  readonly accountId: number;
  readonly userId: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  /** Live workspaces that the member sees. */
  readonly workspaceIds: readonly string[];
  readonly joinedAt: number;
}

/** Who changes members: a member of the organization, or an operator of the service. */
export type Administrator = Role | 'operator';

/**
 * Returns whether `by` may change a member from one role to another. Admins administer everybody except owners, so that
 * they cannot take over the organization.
 *
 * @param from null: not a member yet
 * @param to null: no longer a member
 */
export function mayChangeRole(by: Administrator, from: Role | null, to: Role | null): boolean {
  if (by === 'admin') return from !== 'owner' && to !== 'owner';
  return by !== 'developer';
}
