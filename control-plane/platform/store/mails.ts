import { bytes, int, text } from '../domain/fields.js';
import { purgeOf } from './purge.js';
import { readNumber } from './read-number.js';
import type { Queries, Transaction } from './sql.js';
import { type Selected, table } from './table.js';

export const mails = table('mails', {
  mailId: text(),
  recipient: text(),
  subject: text(),
  /** Empty once it is sent or given up. */
  text: text(),
  /** The text of a mail with a secret in it, instead of `text`; see `mailContext`. */
  sealed: bytes().orNull.initially(null),
  attempts: int().initially(0),
  nextAttemptAt: int().orNull,
  lastError: text().orNull.initially(null),
  sentAt: int().orNull.initially(null),
  createdAt: int(),
});
export type Mail = Selected<typeof mails>;

/** Binds a sealed text to its row. */
export const mailContext = (mailId: string) => `mail:${mailId}`;

interface NewMail {
  readonly mailId: string;
  readonly recipient: string;
  readonly subject: string;
  readonly now: number;
}

/** Due at once. */
export async function insertMail(
  tx: Transaction,
  { now, ...mail }: NewMail & ({ readonly text: string } | { readonly sealed: Buffer }),
): Promise<void> {
  await mails.insert(tx, { text: '', ...mail, nextAttemptAt: now, createdAt: now });
}

/** Those whose next attempt is due, longest due first. */
export function dueMails(db: Queries, now: number, limit: number): Promise<Mail[]> {
  return mails.all(db, 'WHERE next_attempt_at <= :now ORDER BY next_attempt_at, mail_id LIMIT :limit', {
    now,
    limit,
  });
}

/** Those with these ids that are still kept. */
export function findMails(db: Queries, ids: readonly string[]): Promise<Mail[]> {
  return mails.all(db, `WHERE mail_id IN (SELECT value FROM json_each(:ids)) ORDER BY recipient`, {
    ids: JSON.stringify(ids),
  });
}

/** When the next attempt of any mail is due; null when none waits. */
export const nextMailAt = (db: Queries): Promise<number | null> =>
  readNumber(db, 'SELECT MIN(next_attempt_at) AS at FROM mails WHERE next_attempt_at IS NOT NULL');

const noText = { text: '', sealed: null };

export async function markMailSent(tx: Transaction, mailId: string, now: number): Promise<void> {
  const sent = { sentAt: now, nextAttemptAt: null, lastError: null, ...noText };
  await mails.change(tx, { mailId }, sent, { attempts: 1 });
}

/** @param nextAt null: no further attempt */
export async function markMailFailed(
  tx: Transaction,
  mailId: string,
  error: string,
  nextAt: number | null,
): Promise<void> {
  const over = nextAt === null ? noText : {};
  await mails.change(tx, { mailId }, { lastError: error, nextAttemptAt: nextAt, ...over }, { attempts: 1 });
}

/** Up to `limit` mails with a sealed text, after the id `after`. */
export function listSealedMails(db: Queries, after: string, limit: number): Promise<Mail[]> {
  return mails.all(db, 'WHERE sealed IS NOT NULL AND mail_id > :after ORDER BY mail_id LIMIT :limit', {
    after,
    limit,
  });
}

/** Does nothing when the mail was sent meanwhile. */
export async function replaceSealedMail(
  tx: Transaction,
  { mailId, sealed, next }: { mailId: string; sealed: Buffer; next: Buffer },
): Promise<void> {
  await mails.change(tx, { mailId, sealed }, { sealed: next });
}

/** Mails that were sent or have failed permanently. */
export const purgeMails = purgeOf('mails', {
  key: 'mail_id',
  expired: 'next_attempt_at IS NULL AND created_at < :before',
  by: 'created_at',
});

/** Moves the waits before the next attempts by `ms`, after a step of the service's clock. */
export async function shiftMailAttempts(tx: Transaction, ms: number): Promise<void> {
  await tx.run('UPDATE mails SET next_attempt_at = next_attempt_at + :ms WHERE next_attempt_at IS NOT NULL', {
    ms,
  });
}
