// Tokens with which machines enroll as hosts.
import { int, text } from '../../platform/domain/fields.js';
import { purgeOf } from '../../platform/store/purge.js';
import type { Queries } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';

export const enrolments = table('host_enrolments', {
  tokenHash: text(),
  name: text().orNull,
  tier: text().orNull,
  slots: int(),
  expiresAt: int(),
  /** The host that used it. */
  hostId: text().orNull.initially(null),
  createdAt: int(),
});

const wanted = enrolments.pick('name', 'tier', 'slots');
export type Enrolment = Selected<typeof wanted>;

export async function insertEnrolment(
  q: Queries,
  { now, ...enrolment }: Enrolment & { tokenHash: string; expiresAt: number; now: number },
): Promise<void> {
  await enrolments.insert(q, { ...enrolment, createdAt: now });
}

/** Returns an enrollment that can be used now, or null. */
export function findEnrolment(q: Queries, tokenHash: string, now: number): Promise<Enrolment | null> {
  return wanted.get(q, 'WHERE token_hash = :tokenHash AND host_id IS NULL AND expires_at > :now', {
    ...{ tokenHash, now },
  });
}

/** Marks an enrolment as used by `hostId`; returns false when it is already used or expired. */
export async function useEnrolment(
  q: Queries,
  tokenHash: string,
  hostId: string,
  now: number,
): Promise<boolean> {
  const { changes } = await q.run(
    `UPDATE host_enrolments SET host_id = :hostId
     WHERE token_hash = :tokenHash AND host_id IS NULL AND expires_at > :now`,
    { tokenHash, hostId, now },
  );
  return changes === 1;
}

/** Returns the number of slots of a host's enrolment. */
export async function enrolledSlots(q: Queries, hostId: string): Promise<number> {
  return (await wanted.get(q, 'WHERE host_id = :hostId', { hostId }))?.slots ?? 0;
}

/** Deletes expired tokens that no host uses, or whose host has been approved. */
export const purgeEnrolments = purgeOf('host_enrolments', {
  key: 'token_hash',
  expired: `expires_at <= :before AND NOT EXISTS (
    SELECT 1 FROM hosts h WHERE h.host_id = host_enrolments.host_id AND h.status = 'pending')`,
  by: 'expires_at',
});
