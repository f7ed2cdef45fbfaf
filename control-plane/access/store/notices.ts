import { bool, int } from '../../platform/domain/fields.js';
import { purgeOf } from '../../platform/store/purge.js';
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

/** Newest first. */
export function listNotices(db: Queries, accountId: number, limit: number): Promise<Notice[]> {
  return notices.all(
    db,
    'WHERE account_id = :accountId ORDER BY created_at DESC, notice_id DESC LIMIT :limit',
    { accountId, limit },
  );
}
