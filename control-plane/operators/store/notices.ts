import { purgeOf } from '../../platform/store/purge.js';
import { readNumber } from '../../platform/store/read-number.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { table } from '../../platform/store/table.js';
import { type NewNotice, type Notice, noticeFields } from '../domain/notice.js';

export const notices = table('operator_notices', noticeFields);

export const insertNotice = (tx: Transaction, notice: NewNotice & Pick<Notice, 'noticeId' | 'createdAt'>) =>
  notices.insert(tx, notice);

/** Newest first. */
export function listNotices(q: Queries, limit: number): Promise<Notice[]> {
  return notices.all(q, 'ORDER BY seq DESC LIMIT :limit', { limit });
}

export function findNotice(q: Queries, noticeId: string): Promise<Notice | null> {
  return notices.get(q, 'WHERE notice_id = :noticeId', { noticeId });
}

/** Without mails and webhook as yet; oldest first. */
export function listUnannounced(q: Queries): Promise<Notice[]> {
  return notices.all(q, 'WHERE announced = 0 ORDER BY seq');
}

export async function markAnnounced(
  tx: Transaction,
  { seq }: Notice,
  how: Pick<Notice, 'mailIds' | 'webhook' | 'dueAt'>,
): Promise<void> {
  await notices.update(tx, { seq, announced: false }, { announced: true, ...how });
}

/** Oldest first, so that a problem is sent before its end. */
export function dueWebhooks(q: Queries, now: number, limit: number): Promise<Notice[]> {
  return notices.all(q, `WHERE webhook = 'pending' AND due_at <= :now ORDER BY seq LIMIT :limit`, {
    now,
    limit,
  });
}

export const nextWebhookAt = (q: Queries): Promise<number | null> =>
  readNumber(q, `SELECT MIN(due_at) AS at FROM operator_notices WHERE webhook = 'pending'`);

/** Records an attempt; nothing when another one was recorded since. */
export async function recordAttempt(
  tx: Transaction,
  { seq, attempts }: Notice,
  result: Pick<Notice, 'webhook' | 'dueAt' | 'httpStatus' | 'error' | 'errorMessage'>,
): Promise<void> {
  await notices.change(tx, { seq, attempts, webhook: 'pending' }, result, { attempts: 1 });
}

/** Deletes old notices whose webhook is not pending. */
export const purgeOperatorNotices = purgeOf('operator_notices', {
  key: 'seq',
  expired: `created_at <= :before AND webhook <> 'pending'`,
  by: 'created_at',
});
