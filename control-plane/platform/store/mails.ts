import type { Queries, Transaction } from './sql.js';

export interface Mail {
  readonly mailId: string;
  readonly recipient: string;
  readonly subject: string;
  readonly text: string;
  readonly attempts: number;
  readonly createdAt: number;
}

interface Row {
  mail_id: string;
  recipient: string;
  subject: string;
  text: string;
  attempts: number;
  created_at: number;
}

/** Due at once. */
export async function insertMail(
  tx: Transaction,
  mail: { mailId: string; recipient: string; subject: string; text: string; now: number },
): Promise<void> {
  await tx.run(
    `INSERT INTO mails (mail_id, recipient, subject, text, next_attempt_at, created_at)
     VALUES (:mailId, :recipient, :subject, :text, :now, :now)`,
    mail,
  );
}

/** Those whose next attempt is due, longest due first. */
export async function dueMails(db: Queries, now: number, limit: number): Promise<Mail[]> {
  const rows = await db.all<Row>(
    `SELECT mail_id, recipient, subject, text, attempts, created_at FROM mails
     WHERE next_attempt_at <= :now ORDER BY next_attempt_at, mail_id LIMIT :limit`,
    { now, limit },
  );
  return rows.map((row) => ({
    mailId: row.mail_id,
    recipient: row.recipient,
    subject: row.subject,
    text: row.text,
    attempts: row.attempts,
    createdAt: row.created_at,
  }));
}

/** When the next attempt of any mail falls due; null when none waits. */
export async function nextMailAt(db: Queries): Promise<number | null> {
  const row = await db.get<{ at: number | null }>(
    'SELECT MIN(next_attempt_at) AS at FROM mails WHERE next_attempt_at IS NOT NULL',
  );
  return row?.at ?? null;
}

export async function markMailSent(tx: Transaction, mailId: string, now: number): Promise<void> {
  await tx.run(
    `UPDATE mails SET sent_at = :now, next_attempt_at = NULL, last_error = NULL, attempts = attempts + 1
     WHERE mail_id = :mailId`,
    { mailId, now },
  );
}

/** @param nextAt null: given up */
export async function markMailFailed(
  tx: Transaction,
  mailId: string,
  error: string,
  nextAt: number | null,
): Promise<void> {
  await tx.run(
    `UPDATE mails SET last_error = :error, next_attempt_at = :nextAt, attempts = attempts + 1
     WHERE mail_id = :mailId`,
    { mailId, error, nextAt },
  );
}

/** Deletes mails that are done with, sent or given up, made before `before`. */
export async function purgeMails(tx: Transaction, before: number): Promise<void> {
  await tx.run('DELETE FROM mails WHERE next_attempt_at IS NULL AND created_at < :before', { before });
}
