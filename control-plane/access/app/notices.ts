// What an account's people should know: kept for the console, and sent to its owners and admins when mail is set up.
import { newId } from '../../platform/domain/ids.js';
import { insertMail } from '../../platform/store/mails.js';
import type { Queries, Store, Transaction } from '../../platform/store/sql.js';
import type { Wake } from '../../platform/wake.js';
import type { Notice } from '../domain/notice.js';
import { listAdminEmails } from '../store/members.js';
import { hasPendingMails, insertNotice, listNotices, takePendingMails } from '../store/notices.js';

export interface NotifyDeps {
  readonly clock: { now(): number };
  readonly wake: Pick<Wake, 'wake'>;
  /**
   * Whether there is a mail server; without one notices stand in the console only. pending: this process does not
   * know, and leaves the mails to the service.
   */
  readonly mail: boolean | 'pending';
}

export interface NewNotice {
  readonly accountId: number;
  /** A word for programs, e.g. `waitlist`. */
  readonly kind: string;
  /** One line. */
  readonly subject: string;
  readonly text: string;
}

/**
 * Writes a notice as part of `tx`, and a mail for each owner and admin of the account.
 *
 * @example
 * await notify(tx, deps, { accountId, kind: 'waitlist', subject: '2 Macs are free', text: 'You asked …' });
 */
export async function notify(tx: Transaction, deps: NotifyDeps, notice: NewNotice): Promise<void> {
  const now = deps.clock.now();
  const { accountId, kind, text } = notice;
  const subject = notice.subject.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  await insertNotice(tx, {
    accountId,
    notice: { noticeId: newId('notice'), kind, subject, text, createdAt: now },
    mailPending: deps.mail === 'pending',
  });
  if (deps.mail !== true) return;
  await writeMails(tx, { accountId, subject, text }, now);
  tx.onCommit(() => deps.wake.wake('mails'));
}

async function writeMails(
  tx: Transaction,
  { accountId, subject, text }: Pick<NewNotice, 'accountId' | 'subject' | 'text'>,
  now: number,
): Promise<void> {
  for (const recipient of await listAdminEmails(tx, accountId)) {
    await insertMail(tx, { mailId: newId('mail'), recipient, subject, text, now });
  }
}

/** Writes the mails of notices that came from processes without a mail server; those older than `oldest` get none. */
export async function writePendingMails(store: Store, now: number, oldest: number): Promise<void> {
  if (!(await hasPendingMails(store))) return;
  await store.transaction(async (tx) => {
    for (const notice of await takePendingMails(tx)) {
      if (notice.createdAt >= oldest) await writeMails(tx, notice, now);
    }
  });
}

export interface Notices {
  /** Newest first. */
  list(accountId: number, limit: number): Promise<Notice[]>;
}

export function createNotices({ store }: { store: Queries }): Notices {
  return { list: (accountId, limit) => listNotices(store, accountId, limit) };
}
