import type { Notice } from '../domain/notice.js';
import type { Queries, Transaction } from './sql.js';

interface Row {
  notice_id: string;
  kind: string;
  subject: string;
  text: string;
  created_at: number;
}

export async function insertNotice(
  tx: Transaction,
  { accountId, notice }: { accountId: number; notice: Notice },
): Promise<void> {
  const { noticeId, kind, subject, text, createdAt } = notice;
  await tx.run(
    `INSERT INTO notices (notice_id, account_id, kind, subject, text, created_at)
     VALUES (:noticeId, :accountId, :kind, :subject, :text, :createdAt)`,
    { noticeId, accountId, kind, subject, text, createdAt },
  );
}

/** Newest first. */
export async function listNotices(db: Queries, accountId: number, limit: number): Promise<Notice[]> {
  const rows = await db.all<Row>(
    `SELECT * FROM notices WHERE account_id = :accountId
     ORDER BY created_at DESC, notice_id DESC LIMIT :limit`,
    { accountId, limit },
  );
  return rows.map((row) => ({
    noticeId: row.notice_id,
    kind: row.kind,
    subject: row.subject,
    text: row.text,
    createdAt: row.created_at,
  }));
}
