import { text } from '../../platform/domain/fields.js';
import type { Role } from '../../platform/domain/role.js';
import { purgeOf } from '../../platform/store/purge.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';
import { type Invite, inviteFields } from '../domain/invite.js';

export const invites = table('invites', inviteFields, { tokenHash: text() });

export const insertInvite = invites.insert;

const OPEN = 'closed_at IS NULL AND expires_at > :now';

const withInviter = invites.and({ inviterEmail: ['u.email', text().orNull] });
export type ListedInvite = Selected<typeof withInviter>;

/** Those that can be accepted, newest first. */
export function listOpenInvites(db: Queries, accountId: number, now: number): Promise<ListedInvite[]> {
  return withInviter.all(
    db,
    `LEFT JOIN users u ON u.user_id = invites.invited_by
     WHERE account_id = :accountId AND ${OPEN} ORDER BY invites.created_at DESC, invite_id DESC`,
    { accountId, now },
  );
}

/** Includes closed and expired ones. */
export function findInvite(db: Queries, tokenHash: string): Promise<Invite | null> {
  return invites.get(db, 'WHERE token_hash = :tokenHash', { tokenHash });
}

/** Returns the invitation, or null if it was closed before. */
export function closeInvite(
  tx: Transaction,
  { accountId, inviteId }: { accountId: number; inviteId: string },
  closedAt: number,
): Promise<Invite | null> {
  return invites.change(tx, { accountId, inviteId, closedAt: null }, { closedAt });
}

/** Closes the open invitations to the organization of a person, or those by a member, of any role by default. */
export async function closeInvitesOf(
  tx: Transaction,
  of: { accountId: number; email: string } | { accountId: number; invitedBy: string; role?: Role },
  closedAt: number,
): Promise<void> {
  await invites.update(tx, { ...of, closedAt: null }, { closedAt });
}

interface Recent {
  readonly count: number;
  /** When the oldest of them was created. */
  readonly oldest: number | null;
}

/** Invitations by an organization since `since`, also closed ones: all, or those of an e-mail address. */
export async function recentInvites(
  db: Queries,
  of: { accountId: number; email?: string },
  since: number,
): Promise<Recent> {
  const address = of.email === undefined ? '' : 'AND email = :email';
  const row = await db.get<Recent>(
    `SELECT COUNT(*) AS count, MIN(created_at) AS oldest FROM invites
     WHERE account_id = :accountId ${address} AND created_at > :since`,
    { ...of, since },
  );
  return row ?? { count: 0, oldest: null };
}

export const purgeInvites = purgeOf('invites', {
  key: 'invite_id',
  expired: 'expires_at <= :before',
  by: 'expires_at',
});
