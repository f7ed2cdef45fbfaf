// An invitation to become a member of an organization.
import { int, type RecordOf, strings, text } from '../../platform/domain/fields.js';
import type { Role } from '../../platform/domain/role.js';

export const inviteFields = {
  inviteId: text(),
  accountId: int(),
  email: text(),
  role: text<Role>(),
  /** Workspaces that a developer will see; empty for owners and admins, who see all. */
  workspaceIds: strings(),
  /** Null: an operator. */
  invitedBy: text().orNull,
  /** When it was accepted, revoked or replaced. */
  closedAt: int().orNull.initially(null),
  expiresAt: int(),
  createdAt: int(),
};
export type Invite = RecordOf<typeof inviteFields>;

/** Returns whether the invitation can be accepted. */
export const isOpen = ({ closedAt, expiresAt }: Pick<Invite, 'closedAt' | 'expiresAt'>, now: number) =>
  closedAt === null && now < expiresAt;
