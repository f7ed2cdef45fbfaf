import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Notice } from '../domain/notice.js';

interface Row {
  notice_id: string;
  kind: string;
  subject: string;
  text: string;
  created_at: number;
}

const toNotice = (row: Row): Notice => ({
  noticeId: row.notice_id,
  kind: row.kind,
  subject: row.subject,
  text: row.text,
  createdAt: row.created_at,
});

export async function insertNotice(
  tx: Transaction,
  { accountId, notice, mailPending }: { accountId: number; notice: Notice; mailPending: boolean },
): Promise<void> {
  const { noticeId, kind, subject, text, createdAt } = notice;
  await tx.run(
    `INSERT INTO notices (notice_id, account_id, kind, subject, text, created_at, mail_pending)
     VALUES (:noticeId, :accountId, :kind, :subject, :text, :createdAt, :mailPending)`,
    { noticeId, accountId, kind, subject, text, createdAt, mailPending: mailPending ? 1 : 0 },
  );
}

export async function hasPendingMails(db: Queries): Promise<boolean> {
  return (await db.get('SELECT 1 FROM notices WHERE mail_pending = 1 LIMIT 1')) !== undefined;
}

/** Notices whose mails have not been written; afterwards none is left. */
export async function takePendingMails(tx: Transaction): Promise<(Notice & { accountId: number })[]> {
  const rows = await tx.all<Row & { account_id: number }>(
    'SELECT * FROM notices WHERE mail_pending = 1 ORDER BY created_at, notice_id',
  );
  await tx.run('UPDATE notices SET mail_pending = 0 WHERE mail_pending = 1');
  return rows.map((row) => ({ ...toNotice(row), accountId: row.account_id }));
}

/** Newest first. */
export async function listNotices(db: Queries, accountId: number, limit: number): Promise<Notice[]> {
  const rows = await db.all<Row>(
    `SELECT * FROM notices WHERE account_id = :accountId
     ORDER BY created_at DESC, notice_id DESC LIMIT :limit`,
    { accountId, limit },
  );
  return rows.map(toNotice);
}
