import { int, text } from '../domain/fields.js';
import { purgeOf } from './purge.js';
import type { Queries, Transaction } from './sql.js';
import { type Selected, table } from './table.js';

export const mails = table('mails', {
  mailId: text(),
  recipient: text(),
  subject: text(),
  text: text(),
  attempts: int().initially(0),
  nextAttemptAt: int().orNull,
  lastError: text().orNull.initially(null),
  sentAt: int().orNull.initially(null),
  createdAt: int(),
});
export type Mail = Selected<typeof mails>;

/** Due at once. */
export async function insertMail(
  tx: Transaction,
  { now, ...mail }: { mailId: string; recipient: string; subject: string; text: string; now: number },
): Promise<void> {
  await mails.insert(tx, { ...mail, nextAttemptAt: now, createdAt: now });
}

/** Those whose next attempt is due, longest due first. */
export function dueMails(db: Queries, now: number, limit: number): Promise<Mail[]> {
  return mails.all(db, 'WHERE next_attempt_at <= :now ORDER BY next_attempt_at, mail_id LIMIT :limit', {
    ...{ now, limit },
  });
}

/** Those with these ids that are still kept. */
export function findMails(db: Queries, ids: readonly string[]): Promise<Mail[]> {
  return mails.all(db, `WHERE mail_id IN (SELECT value FROM json_each(:ids)) ORDER BY recipient`, {
    ids: JSON.stringify(ids),
  });
}

/** When the next attempt of any mail is due; null when none waits. */
export async function nextMailAt(db: Queries): Promise<number | null> {
  const row = await db.get<{ at: number | null }>(
    'SELECT MIN(next_attempt_at) AS at FROM mails WHERE next_attempt_at IS NOT NULL',
  );
  return row?.at ?? null;
}

export async function markMailSent(tx: Transaction, mailId: string, now: number): Promise<void> {
  // The text of an invitation has its token, which is stored as a hash everywhere else.
  const sent = { sentAt: now, nextAttemptAt: null, lastError: null, text: '' };
  await mails.change(tx, { mailId }, sent, { attempts: 1 });
}

/** @param nextAt null: no further attempt */
export async function markMailFailed(
  tx: Transaction,
  mailId: string,
  error: string,
  nextAt: number | null,
): Promise<void> {
  const over = nextAt === null ? { text: '' } : {};
  await mails.change(tx, { mailId }, { lastError: error, nextAttemptAt: nextAt, ...over }, { attempts: 1 });
}

/** Mails that were sent or have failed permanently. */
export const purgeMails = purgeOf('mails', {
  key: 'mail_id',
  expired: 'next_attempt_at IS NULL AND created_at < :before',
  by: 'created_at',
});
