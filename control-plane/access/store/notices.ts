import { bool, int, text } from '../../platform/domain/fields.js';
import { purgeOf } from '../../platform/store/purge.js';
import { readCount } from '../../platform/store/read-number.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { table } from '../../platform/store/table.js';
import { type Notice, noticeFields } from '../domain/notice.js';

/** `mailPending`: its mails have not been written. */
export const notices = table('notices', noticeFields, { accountId: int(), mailPending: bool() });

export async function insertNotice(
  tx: Transaction,
  { accountId, notice, mailPending }: { accountId: number; notice: Notice; mailPending: boolean },
): Promise<void> {
  await notices.insert(tx, { ...notice, accountId, mailPending });
}

export async function hasPendingMails(db: Queries): Promise<boolean> {
  return (await db.get('SELECT 1 FROM notices WHERE mail_pending = 1 LIMIT 1')) !== undefined;
}

const ofAccounts = notices.and({ accountId: ['notices.account_id', int()] });

/** Returns notices without mails and marks them. */
export async function takePendingMails(tx: Transaction): Promise<(Notice & { accountId: number })[]> {
  const pending = await ofAccounts.all(tx, 'WHERE mail_pending = 1 ORDER BY created_at, notice_id');
  await notices.update(tx, { mailPending: true }, { mailPending: false });
  return pending;
}

/** Deletes expired notices whose mails have been written, or that need none. */
export const purgeNotices = purgeOf('notices', {
  key: 'notice_id',
  expired: 'created_at <= :before AND mail_pending = 0',
  by: 'created_at',
});

export interface NoticePage {
  /** Of the last notice of the page before; null: the first page. */
  readonly before: Pick<Notice, 'createdAt' | 'noticeId'> | null;
  readonly limit: number;
}

/** Newest first. */
export function listNotices(db: Queries, accountId: number, { before, limit }: NoticePage): Promise<Notice[]> {
  const older = before ? 'AND (created_at, notice_id) < (:createdAt, :noticeId)' : '';
  return notices.all(
    db,
    `WHERE account_id = :accountId ${older} ORDER BY created_at DESC, notice_id DESC LIMIT :limit`,
    { accountId, limit, ...(before ? { createdAt: before.createdAt, noticeId: before.noticeId } : {}) },
  );
}

export function findNotice(db: Queries, accountId: number, noticeId: string): Promise<Notice | null> {
  return notices.get(db, 'WHERE account_id = :accountId AND notice_id = :noticeId', { accountId, noticeId });
}

/** Up to when each member has read the notices. */
export const noticeReads = table('notice_reads', { accountId: int(), userId: text(), readUntil: int() });

const putRead = noticeReads.inserter({
  onConflict: `ON CONFLICT (account_id, user_id) DO UPDATE SET ${noticeReads.excluded('readUntil')}
     WHERE excluded.read_until > notice_reads.read_until`,
});

export interface Reader {
  readonly accountId: number;
  readonly userId: string;
}

export async function markRead(tx: Transaction, reader: Reader, readUntil: number): Promise<void> {
  await putRead(tx, { ...reader, readUntil });
}

/** Returns 0 if the member has read none. */
export async function readUntil(db: Queries, reader: Reader): Promise<number> {
  const row = await noticeReads.get(db, 'WHERE account_id = :accountId AND user_id = :userId', { ...reader });
  return row?.readUntil ?? 0;
}

/** Counts up to `most`. */
export const countNoticesAfter = (
  db: Queries,
  { accountId, after, most }: { accountId: number; after: number; most: number },
): Promise<number> =>
  readCount(
    db,
    `SELECT COUNT(*) AS count FROM (
       SELECT 1 FROM notices WHERE account_id = :accountId AND created_at > :after LIMIT :most) AS newest`,
    { accountId, after, most },
  );
