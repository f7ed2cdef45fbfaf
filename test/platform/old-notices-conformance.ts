// Notices of a version that kept whole sentences, on either database.
import type { Test } from 'tap';
import { textIn } from '../../control-plane/access/domain/notice.js';
import { listNotices, takePendingMails } from '../../control-plane/access/store/notices.js';
import { migrate } from '../../control-plane/platform/store/migrate.js';
import { messagesOfNotices } from '../../control-plane/platform/store/migrations/0073-messages-of-notices.js';
import { migrations } from '../../control-plane/platform/store/migrations/all.js';
import type { Store } from '../../control-plane/platform/store/sql.js';

const HOSTILE =
  '"},"ko":{"subject":"x"}} \\ \' :name $1 {by} $& \t\u0001\u202e\u2028 🍎 한국어 \\u0000\n\nsecond line\r\n.';

const said = [
  { noticeId: 'n1', en: { subject: 'Hello', text: 'World' }, translations: {} },
  {
    noticeId: 'n2',
    en: { subject: 'One', text: 'Two' },
    translations: { ko: { subject: '하나', text: '둘\n\n셋' } },
  },
  {
    noticeId: 'n3',
    en: { subject: HOSTILE, text: HOSTILE },
    // A lone surrogate is valid JSON, which PostgreSQL would refuse to read.
    translations: { ko: { subject: `ko ${HOSTILE}`, text: `\ud800${HOSTILE}` } },
  },
  { noticeId: 'n4', en: { subject: '', text: '' }, translations: { ko: { subject: '', text: '' } } },
];

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

const insertOld = [
  `INSERT INTO organizations (id, org_id, name, slug, status, created_at) VALUES (7, 'org_7', 'Mill', 'mill', 'active', 0)`,
  ...said.map(({ noticeId, en, translations }, at) => {
    const texts = [noticeId, en.subject, en.text, JSON.stringify(translations)].map(quoted).join(', ');
    return `INSERT INTO notices (notice_id, subject, text, translations, account_id, kind, created_at, mail_pending)
      VALUES (${texts}, 7, 'waitlist', ${at}, 1)`;
  }),
];

/** @param open opens an empty database */
export async function oldNotices(t: Test, open: () => Promise<Store>): Promise<void> {
  const store = await open();
  t.teardown(() => store.close());
  // In one go: the triggers that count records are those of this version, and need its columns.
  const withRows = migrations.map((one) =>
    one === messagesOfNotices ? { ...one, statements: [...insertOld, ...messagesOfNotices.statements] } : one,
  );
  t.ok((await migrate(store, withRows, 1)).includes('messages-of-notices'));

  const notices = (await listNotices(store, 7, { before: null, limit: 10 })).reverse();
  for (const [at, { noticeId, en, translations }] of said.entries()) {
    const notice = notices[at];
    if (!notice) throw new Error(`${noticeId} is gone`);
    t.match(notice, { noticeId, kind: 'waitlist', code: 'stored', createdAt: at });
    t.same(textIn('en', notice), en, noticeId);
    t.same(textIn('ko', notice), translations.ko ?? en, noticeId);
  }
  t.same(
    (await store.transaction(takePendingMails)).map((notice) => textIn('en', notice)),
    said.map(({ en }) => en),
    'their mails are still to be written',
  );
  await t.rejects(store.all('SELECT translations FROM notices'), 'the columns are gone');
}
