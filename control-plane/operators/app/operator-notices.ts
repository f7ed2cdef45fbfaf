// Notices to operators: what has changed since the last one, decided and stored in one transaction; then mails and the
// webhook. Each step starts from what the database holds, so that a crash in between loses and repeats nothing.
import { isDeepStrictEqual } from 'node:util';
import type { Language } from '../../../shared/language.js';
import { operatorRecipients } from '../../access/app/users.js';
import { failingMacs } from '../../macs/app/failing-macs.js';
import { openSettlements } from '../../payments/app/manual-settlements.js';
import type { Core } from '../../platform/app/core.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { newId } from '../../platform/domain/ids.js';
import type { Limits } from '../../platform/domain/limits.js';
import { findMails, insertMail, type Mail } from '../../platform/store/mails.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { readCapacity } from '../../renting/app/capacity.js';
import { mailOf, type NewNotice, type Notice, noticesOf, TEST_KIND } from '../domain/notice.js';
import { judgeProblems, keyOf, type Problem } from '../domain/problem.js';
import { offlineNext, sightingOfSettlement, sightingsOfHost, sightingsOfTier } from '../domain/sightings.js';
import { findNotice, insertNotice, listNotices, listUnannounced, markAnnounced } from '../store/notices.js';
import { listProblems, putProblem, removeProblem } from '../store/problems.js';

export interface OperatorNoticesDeps extends Pick<Core, 'store' | 'clock' | 'limits' | 'wake'> {
  readonly siteUrl: string;
  readonly config: {
    readonly operatorNotices: {
      /** Addresses besides those of people who are operators. */
      readonly mail: readonly string[];
      /** Null: no webhook. */
      readonly webhook: { readonly url: string; readonly secret: string } | null;
    };
  };
  /** See `access/app/notices.ts`. */
  readonly mail: boolean | 'pending';
}

export interface SentNotice {
  readonly notice: Notice;
  readonly mails: readonly Mail[];
}

export type OperatorNotices = ReturnType<typeof createOperatorNotices>;

export function createOperatorNotices(deps: OperatorNoticesDeps) {
  const { store, clock, wake, limits, config } = deps;

  const add = async (tx: Transaction, notice: NewNotice): Promise<Notice> => {
    const added = await insertNotice(tx, { ...notice, noticeId: newId('evt'), createdAt: clock.now() });
    tx.onCommit(() => wake.wake('operator-notices'));
    return added;
  };

  const withMails = async (notice: Notice): Promise<SentNotice> => ({
    notice,
    mails: notice.mailIds.length === 0 ? [] : await findMails(store, notice.mailIds),
  });

  return {
    /** Stores what has begun and ended. Returns when something may be due next without any change. */
    async check(): Promise<number | null> {
      const first = await judge(store, clock.now(), limits);
      if (changesOf(first.known, first.kept).length === 0) return first.nextAt;
      return store.transaction(async (tx) => {
        const { known, kept, begun, ended, nextAt } = await judge(tx, clock.now(), limits);
        for (const change of changesOf(known, kept)) {
          if (change.after) await putProblem(tx, change.after);
          else await removeProblem(tx, change.before);
        }
        for (const notice of noticesOf(ended, true)) await add(tx, notice);
        for (const notice of noticesOf(begun, false)) await add(tx, notice);
        return nextAt;
      });
    },

    /** Writes one mail per operator for everything that is not announced yet, and makes the webhook of each due. */
    async announce(): Promise<void> {
      if ((await listUnannounced(store)).length === 0) return;
      await store.transaction(async (tx) => {
        const waiting = await listUnannounced(tx);
        const now = clock.now();
        const mailIds = deps.mail === true ? await writeMails(tx, waiting, now) : [];
        const hasWebhook = config.operatorNotices.webhook !== null;
        for (const notice of waiting) {
          const webhook = hasWebhook ? 'pending' : 'none';
          await markAnnounced(tx, notice, { mailIds, webhook, dueAt: hasWebhook ? now : null });
        }
        tx.onCommit(() => {
          wake.wake('mails');
          wake.wake('operator-notices');
        });
      });
    },

    /** Adds a test notice, which is sent as any other. `done` runs in the transaction. */
    test: (done?: InTransaction<Notice>): Promise<Notice> =>
      store.transaction(async (tx) => {
        const notice = await add(tx, { kind: TEST_KIND, resolved: false, problems: [] });
        await done?.(tx, notice);
        return notice;
      }),

    /** Returns the problems that were announced and are not over. */
    async open(): Promise<Problem[]> {
      return (await listProblems(store)).filter(({ begunAt }) => begunAt !== null);
    },

    /** Newest first. */
    async list(limit: number): Promise<SentNotice[]> {
      return Promise.all((await listNotices(store, limit)).map(withMails));
    },

    async find(noticeId: string): Promise<SentNotice | null> {
      const notice = await findNotice(store, noticeId);
      return notice && withMails(notice);
    },
  };

  async function writeMails(tx: Transaction, waiting: readonly Notice[], now: number): Promise<string[]> {
    const people = (await operatorRecipients(tx)).map(({ email, language }) => [email, language] as const);
    const others = config.operatorNotices.mail.map((address) => [address.toLowerCase(), 'en'] as const);
    const ids: string[] = [];
    for (const [recipient, language] of new Map<string, Language>([...others, ...people])) {
      const mailId = newId('mail');
      await insertMail(tx, { mailId, recipient, ...mailOf(waiting, deps.siteUrl, language), now });
      ids.push(mailId);
    }
    return ids;
  }
}

/** Compares what is stored with what is seen now. */
async function judge(q: Queries, now: number, limits: Limits) {
  const known = await listProblems(q);
  const { hosts, tiers } = await readCapacity(q);
  const failing = await failingMacs(q);
  const sightings = [
    ...hosts.flatMap(({ host }) => sightingsOfHost(host, failing.get(host.hostId) ?? [], now, limits)),
    ...tiers.flatMap(({ tier, slots }) => sightingsOfTier(tier, slots, limits)),
    ...(await openSettlements(q)).map(sightingOfSettlement),
  ];
  const judgment = judgeProblems(known, sightings, now, limits);
  const offlineAt = offlineNext(
    hosts.map(({ host }) => host),
    now,
    limits,
  );
  const times = [judgment.nextAt, offlineAt].filter((at) => at !== null);
  return { ...judgment, known, nextAt: times.length > 0 ? Math.min(...times) : null };
}

type Change = { readonly before: Problem; readonly after: null } | { readonly after: Problem };

function changesOf(known: readonly Problem[], kept: readonly Problem[]): Change[] {
  const before = new Map(known.map((problem) => [keyOf(problem), problem]));
  const after = new Set(kept.map(keyOf));
  return [
    ...kept.filter((one) => !isSame(before.get(keyOf(one)), one)).map((one) => ({ after: one })),
    ...known.filter((one) => !after.has(keyOf(one))).map((one) => ({ before: one, after: null })),
  ];
}

const isSame = (a: Problem | undefined, b: Problem): boolean =>
  a !== undefined && (Object.keys(b) as (keyof Problem)[]).every((field) => isDeepStrictEqual(a[field], b[field]));
