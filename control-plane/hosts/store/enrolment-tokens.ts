// Tokens with which machines enroll as hosts.
import { bool, int, json, text } from '../../platform/domain/fields.js';
import { purgeOf } from '../../platform/store/purge.js';
import type { Queries } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';
import type { Labels } from '../domain/host-labels.js';

export const enrolmentTokens = table(
  'enrolment_tokens',
  {
    enrolmentId: text(),
    /** Of the host; null: the machine's name. */
    name: text().orNull,
    /** Null: the host waits for approval. */
    tier: text().orNull,
    slots: int(),
    labels: json<Labels>(),
    reusable: bool(),
    /** How many hosts it enrolls. */
    uses: int(),
    used: int().initially(0),
    expiresAt: int(),
    revokedAt: int().orNull.initially(null),
    createdAt: int(),
  },
  { tokenHash: text() },
);
export type EnrolmentToken = Selected<typeof enrolmentTokens>;

export async function insertToken(
  q: Queries,
  token: Omit<EnrolmentToken, 'used' | 'revokedAt'> & { tokenHash: string },
): Promise<void> {
  await enrolmentTokens.insert(q, token);
}

/** Returns the token even if it can no longer be used, or null. */
export function findToken(q: Queries, tokenHash: string): Promise<EnrolmentToken | null> {
  return enrolmentTokens.get(q, 'WHERE token_hash = :tokenHash', { tokenHash });
}

/** Counts a use; returns false when the token can no longer be used. */
export async function useToken(q: Queries, tokenHash: string, now: number): Promise<boolean> {
  const { changes } = await q.run(
    `UPDATE enrolment_tokens SET used = used + 1
     WHERE token_hash = :tokenHash AND used < uses AND revoked_at IS NULL AND expires_at > :now`,
    { tokenHash, now },
  );
  return changes === 1;
}

/** Returns the tokens that have not expired, newest first. */
export function listTokens(q: Queries, now: number): Promise<EnrolmentToken[]> {
  return enrolmentTokens.all(q, 'WHERE expires_at > :now ORDER BY created_at DESC, enrolment_id', { now });
}

/** Revokes a token; returns null when there is none. */
export async function revokeToken(q: Queries, enrolmentId: string, now: number): Promise<EnrolmentToken | null> {
  await q.run(
    `UPDATE enrolment_tokens SET revoked_at = :now WHERE enrolment_id = :enrolmentId AND revoked_at IS NULL`,
    { enrolmentId, now },
  );
  return enrolmentTokens.get(q, 'WHERE enrolment_id = :enrolmentId', { enrolmentId });
}

export const purgeTokens = purgeOf('enrolment_tokens', {
  key: 'token_hash',
  expired: 'expires_at <= :before',
  by: 'expires_at',
});
