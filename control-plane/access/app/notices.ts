// Notices to the people of an account: stored for the console, and mailed to its owners and admins when mail is
// configured.
import type { NoticeMessage } from '../../../shared/messages/notice.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { newId } from '../../platform/domain/ids.js';
import { insertMail } from '../../platform/store/mails.js';
import type { Queries, Store, Transaction } from '../../platform/store/sql.js';
import type { Wake } from '../../platform/wake.js';
import { type Notice, textIn } from '../domain/notice.js';
import { listAdmins } from '../store/members.js';
import {
  countNoticesAfter,
  findNotice,
  hasPendingMails,
  insertNotice,
  listNotices,
  markRead,
  type Reader,
  readUntil,
  takePendingMails,
} from '../store/notices.js';

export interface NotifyDeps {
  readonly clock: { now(): number };
  readonly wake: Pick<Wake, 'wake'>;
  /**
   * Whether a mail server is configured; without one notices appear in the console only. pending: unknown in this
   * process, so the service sends the mails.
   */
  readonly mail: boolean | 'pending';
}

export interface NewNotice {
  readonly accountId: number;
  /** Machine-readable, e.g. `waitlist`. */
  readonly kind: string;
  readonly says: NoticeMessage;
}

/**
 * Inserts a notice in `tx`, and a mail for each owner and admin of the account.
 *
 * @example await notify(tx, deps, { accountId, kind: 'waitlist', says: macsAvailable(tier, 2) });
 */
export async function notify(tx: Transaction, deps: NotifyDeps, notice: NewNotice): Promise<void> {
  const now = deps.clock.now();
  const { accountId, kind, says } = notice;
  const added = { noticeId: newId('notice'), kind, ...inLines(says), createdAt: now };
  await insertNotice(tx, {
    accountId,
    notice: added,
    mailPending: deps.mail === 'pending',
  });
  tx.onCommit(() => deps.wake.wake('notices', String(accountId)));
  if (deps.mail !== true) return;
  await writeMails(tx, accountId, added, now);
  tx.onCommit(() => deps.wake.wake('mails'));
}

/** Subjects become headers of mails. */
export const oneLine = (subject: string): string => subject.replace(/[\s\p{Cc}]+/gu, ' ').trim();

/** Values are part of subjects. */
const inLines = ({ code, params }: NoticeMessage): NoticeMessage => ({
  code,
  params: Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? oneLine(value) : value]),
  ),
});

async function writeMails(tx: Transaction, accountId: number, notice: Notice, now: number): Promise<void> {
  for (const { email: recipient, language } of await listAdmins(tx, accountId)) {
    await insertMail(tx, { mailId: newId('mail'), recipient, ...textIn(language, notice), now });
  }
}

/**
 * Creates the mails of notices from processes that do not know the mail configuration; none for notices older than
 * `oldest`.
 */
export async function writePendingMails(store: Store, now: number, oldest: number): Promise<void> {
  if (!(await hasPendingMails(store))) return;
  await store.transaction(async (tx) => {
    for (const notice of await takePendingMails(tx)) {
      if (notice.createdAt >= oldest) await writeMails(tx, notice.accountId, notice, now);
    }
  });
}

export interface NoticeList {
  /** Newest first. */
  readonly notices: readonly (Notice & { readonly read: boolean })[];
  /** Id of the last notice of the page; null on the last page. */
  readonly nextBefore: string | null;
  /** At most 100 are counted. */
  readonly unread: number;
}

export type Notices = ReturnType<typeof createNotices>;

const MOST_UNREAD = 100;

export function createNotices({ store, wake }: { store: Store; wake: Pick<Wake, 'wake'> }) {
  const find = async (q: Queries, accountId: number, noticeId: string): Promise<Notice> => {
    const notice = await findNotice(q, accountId, noticeId);
    if (!notice) throw new ApiError('not_found');
    return notice;
  };
  const unreadAfter = (accountId: number, after: number) =>
    countNoticesAfter(store, { accountId, after, most: MOST_UNREAD });
  return {
    /** Returns the number of the reader's unread notices, counted up to 100. */
    unread: async (reader: Reader): Promise<number> => unreadAfter(reader.accountId, await readUntil(store, reader)),

    /** Throws not_found when `before` is not a notice of the account. */
    async list(reader: Reader, { before, limit }: { before: string | null; limit: number }): Promise<NoticeList> {
      const { accountId } = reader;
      const last = before === null ? null : await find(store, accountId, before);
      const found = await listNotices(store, accountId, { before: last, limit: limit + 1 });
      const until = await readUntil(store, reader);
      const page = found.slice(0, limit);
      return {
        notices: page.map((notice) => ({ ...notice, read: notice.createdAt <= until })),
        nextBefore: found.length > limit ? (page.at(-1)?.noticeId ?? null) : null,
        unread: await unreadAfter(accountId, until),
      };
    },

    /** Marks the notice and all older ones as read by this member. Throws not_found. */
    async read(reader: Reader, noticeId: string): Promise<void> {
      await store.transaction(async (tx) => {
        const { createdAt } = await find(tx, reader.accountId, noticeId);
        await markRead(tx, reader, createdAt);
        // The person's other pages.
        tx.onCommit(() => wake.wake('notices', String(reader.accountId)));
      });
    },
  };
}
