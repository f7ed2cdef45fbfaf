import { int, text } from '../../platform/domain/fields.js';
import type { SignedIn } from '../../platform/domain/person.js';
import { purgeOf } from '../../platform/store/purge.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';
import type { SessionLife } from '../domain/session.js';
import { users } from './users.js';

export const sessions = table('sessions', {
  tokenHash: text(),
  userId: text(),
  ip: text(),
  userAgent: text().orNull,
  createdAt: int(),
  seenAt: int(),
  expiresAt: int(),
  /** When the person last confirmed who they are, ms: when they signed in, and when they were asked again. */
  confirmedAt: int().orNull,
});

export const insertSession = sessions.insert;

const signedIn = users.and({
  tokenHash: ['s.token_hash', text()],
  seenAt: ['s.seen_at', int()],
  expiresAt: ['s.expires_at', int()],
  confirmedAt: ['s.confirmed_at', int().orNull],
});

/** Includes expired ones; the caller checks the expiry. */
export function findSession(db: Queries, tokenHash: string): Promise<(SignedIn & SessionLife) | null> {
  return signedIn.get(db, 'JOIN sessions s ON s.user_id = users.user_id WHERE s.token_hash = :tokenHash', {
    tokenHash,
  });
}

/** Last used first, including idle and expired ones. */
export function listSessions(db: Queries, userId: string): Promise<Selected<typeof sessions>[]> {
  return sessions.all(db, 'WHERE user_id = :userId ORDER BY seen_at DESC, token_hash', { userId });
}

export async function touchSession(tx: Transaction, tokenHash: string, now: number): Promise<void> {
  await tx.run('UPDATE sessions SET seen_at = :now WHERE token_hash = :tokenHash AND seen_at < :now', {
    tokenHash,
    now,
  });
}

export async function confirmSession(tx: Transaction, tokenHash: string, now: number): Promise<void> {
  await sessions.update(tx, { tokenHash }, { confirmedAt: now });
}

export async function deleteSession(tx: Transaction, tokenHash: string): Promise<void> {
  await tx.run('DELETE FROM sessions WHERE token_hash = :tokenHash', { tokenHash });
}

/**
 * Returns how many were deleted.
 *
 * @param but hash of the token of a session that stays; null: none
 */
export async function deleteSessionsOf(tx: Transaction, userId: string, but: string | null = null): Promise<number> {
  const { changes } = await tx.run(
    'DELETE FROM sessions WHERE user_id = :userId AND (:but IS NULL OR token_hash <> :but)',
    { userId, but },
  );
  return changes;
}

/** Deletes all but the `most` newest of a person. */
export async function trimSessions(tx: Transaction, userId: string, most: number): Promise<void> {
  await tx.run(
    `DELETE FROM sessions WHERE user_id = :userId AND token_hash NOT IN (
       SELECT token_hash FROM sessions WHERE user_id = :userId
       ORDER BY created_at DESC, token_hash LIMIT :most)`,
    { userId, most },
  );
}

/** Addresses from which the person has signed in, of sessions that are still stored. */
export async function sessionAddresses(db: Queries, email: string): Promise<string[]> {
  const rows = await db.all<{ ip: string }>(
    `SELECT DISTINCT s.ip FROM sessions s JOIN users u ON u.user_id = s.user_id WHERE u.email = :email`,
    { email },
  );
  return rows.map(({ ip }) => ip);
}

/** Deletes sessions past their absolute expiry. */
export const purgeSessions = purgeOf('sessions', {
  key: 'token_hash',
  expired: 'expires_at <= :before',
  by: 'expires_at',
});
