// What an account's people are told: in the console, and by mail over a real socket.
// Runs in: soak
import t from 'tap';
import { mailGapMs } from '../../control-plane/access/app/mail-delivery.js';
import { notify } from '../../control-plane/access/app/notices.js';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';
import type { Params } from '../../shared/messages/message.js';
import { noticeIn } from '../../shared/messages/notice.js';
import { type Harness, START, startHarness } from '../harness/harness.js';
import { hostileParams, noticeCodes } from '../harness/hostile-notices.js';
import { someNotice, someSubject } from '../harness/some-notice.js';
import { oldNotices } from '../platform/old-notices-conformance.js';
import { subjectOf, textOf } from './mail-text.js';
import { startSmtpServer } from './smtp-server.js';

const MINUTE = 60_000;

const tell = (h: Harness, who?: string, mail: boolean | 'pending' = true) =>
  h.store.transaction((tx) =>
    notify(tx, { clock: h.clock, wake: h.wake, mail }, { accountId: h.org.id, ...someNotice(who) }),
  );

const noticesOf = async (h: Harness, cookie: string, query = '') =>
  h.inject({
    url: `/api/runner/v1/organizations/${h.org.orgId}/notices${query}`,
    headers: { cookie },
  });

t.test('only owners and admins are notified of a leaked key', async (t) => {
  const smtp = await startSmtpServer(t);
  const h = await startHarness(t, { smtpUrl: smtp.url });
  const cookies = {
    owner: await h.signIn('owner', { email: 'ada@example.com' }),
    admin: await h.signIn('admin', { email: 'bob@example.com' }),
    developer: await h.signIn('developer', { email: 'eve@example.com' }),
    other: await h.signIn('owner', { org: h.other, email: 'stranger@example.com' }),
  };
  const leaked = await h.createKey(['read', 'build']);
  const report = () => h.callConsole('POST', '/v1/leaked-keys', { key: null, body: { token: leaked } });
  t.same((await report()).json(), { revoked: true });
  t.same((await report()).json(), { revoked: false });
  await h.workers.idle();

  t.same(smtp.mails.flatMap(({ to }) => to).sort(), ['ada@example.com', 'bob@example.com']);
  const [mail] = smtp.mails;
  t.equal(mail?.from, 'macs@cidermill.test');
  t.match(mail?.data, /^From: Cidermill <macs@cidermill\.test>$/m);
  t.match(mail?.data, /^Auto-Submitted: auto-generated$/m);
  t.match(mail?.data, /^Message-ID: <mail_[0-9a-z]{16}@cidermill\.test>$/m);
  t.match(
    subjectOf(mail?.data),
    /^The API key "read\+build" \(cm_\w{4}\.\.\.\) was found in public and has been revoked$/,
  );
  t.notMatch(mail?.data, leaked, 'the key itself is not spread further');

  for (const who of ['owner', 'admin', 'developer'] as const) {
    const { data } = (await noticesOf(h, cookies[who])).json();
    t.match(data, [{ kind: 'key_leaked', created_at: new Date(START).toISOString() }]);
    t.equal(data.length, 1, 'a report of a key that is revoked already tells nothing new');
    t.match(data[0].subject, /has been revoked$/);
  }
  t.equal((await noticesOf(h, cookies.other)).statusCode, 404);
});

t.test('a process that knows no mail server leaves the mails to the service, which sends them once', async (t) => {
  const smtp = await startSmtpServer(t);
  const h = await startHarness(t, { smtpUrl: smtp.url });
  await h.signIn('owner', { email: 'ada@example.com' });
  await tell(h, 'eve@example.com', 'pending');
  h.wake.wakeAll();
  await h.workers.idle();
  h.wake.wakeAll();
  await h.workers.idle();
  t.same(
    smtp.mails.map(({ to, data }) => [to, subjectOf(data)]),
    [[['ada@example.com'], someSubject('eve@example.com')]],
  );
});

t.test('without a mail server notices are in the console only', async (t) => {
  const h = await startHarness(t);
  const cookie = await h.signIn('owner');
  for (let n = 1; n <= 3; n++) {
    await tell(h, `n${n}`, false);
    await h.clock.advance(1);
  }
  const subjects = async (query: string) =>
    (await noticesOf(h, cookie, query)).json().data.map(({ subject }: { subject: string }) => subject);
  t.same(await subjects(''), ['n3', 'n2', 'n1'].map(someSubject));
  t.same(await subjects('?limit=2'), ['n3', 'n2'].map(someSubject));
  t.equal((await noticesOf(h, cookie, '?limit=0')).json().error.code, 'invalid_request');
  t.same(await h.store.all('SELECT * FROM mails'), []);
});

t.test('no text of a notice becomes a header or another recipient', async (t) => {
  const smtp = await startSmtpServer(t);
  const h = await startHarness(t, { smtpUrl: smtp.url });
  for (const email of [
    'a@example.com,b@example.com',
    'a@example.com\r\nBcc: b@example.com',
    'a@example.com>\r\nRCPT TO:<b@example.com',
    'Ada <a@example.com>',
    '"a@example.com"',
    'a;b@example.com',
    'group:a@example.com',
  ]) {
    const made = h.users.create({
      email,
      password: 'long enough',
      membership: { accountId: h.org.id, role: 'owner' },
    });
    await t.rejects(made, { code: 'invalid_request' }, email);
  }
  await h.signIn('owner', { email: 'ada@example.com' });
  await tell(h, 'One\r\nBcc: eve@example.com\r\n\r\n.\r\nMAIL FROM:<eve@example.com>\r\n..\nend 안녕');
  await h.workers.idle();
  t.same(smtp.asked, ['ada@example.com']);
  t.equal(smtp.mails.length, 1);
  const line = 'One Bcc: eve@example.com . MAIL FROM:<eve@example.com> .. end 안녕';
  const [head = ''] = (smtp.mails[0]?.data ?? '').split('\n\n');
  t.notMatch(head, /^bcc:/im);
  t.match(head, /^Subject: .*=\?UTF-8\?/im);
  t.equal(subjectOf(smtp.mails[0]?.data), someSubject(line));
  t.equal(textOf(smtp.mails[0]?.data).trim(), `${someSubject(line)}.`);
});

/** Equal texts would be one notice. */
const ended = (params: Params, end: string): Params =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === 'string' && value.startsWith('<') ? `${value}${end}` : value,
    ]),
  );

t.test('every notice is in English for programs, and in the language of the person in a mail', async (t) => {
  const smtp = await startSmtpServer(t);
  const h = await startHarness(t, { smtpUrl: smtp.url });
  const cookie = await h.signIn('owner', { email: 'ada@example.com' });
  await h.signIn('admin', { email: 'bob@example.com' });
  await h.store.run(`UPDATE users SET language = 'ko' WHERE email = 'bob@example.com'`);
  for (const code of noticeCodes) {
    const params = ended(hostileParams(code), '\r\nBcc: x\r\n\r\n ');
    await h.store.transaction((tx) =>
      notify(tx, { ...h, mail: true }, { accountId: h.org.id, kind: 'any', says: { code, params } }),
    );
    await h.workers.idle();
    const [notice] = (await noticesOf(h, cookie, '?limit=1')).json().data;
    const lines = { code, params: ended(hostileParams(code), ' Bcc: x') };
    t.match(notice, { kind: 'any', ...lines, ...noticeIn('en', lines) }, code);
    const mails = smtp.mails.slice(-2);
    for (const [to, language] of [
      ['ada@example.com', 'en'],
      ['bob@example.com', 'ko'],
    ] as const) {
      const { data } = mails.find((mail) => mail.to.includes(to)) ?? {};
      t.notMatch(data?.split('\n\n')[0], /^bcc:/im, code);
      const said = { subject: subjectOf(data), text: textOf(data).trim() };
      t.same(said, noticeIn(language, lines), `${code} ${language}`);
    }
    await h.clock.advance(1);
  }
});

t.test('notices of older and newer versions are shown and mailed', async (t) => {
  const smtp = await startSmtpServer(t);
  const h = await startHarness(t, { smtpUrl: smtp.url });
  const cookie = await h.signIn('owner', { email: 'ada@example.com' });
  await h.signIn('admin', { email: 'bob@example.com' });
  await h.store.run(`UPDATE users SET language = 'ko' WHERE email = 'bob@example.com'`);
  const en = { subject: 'Hello', text: 'World\n\nand all' };
  const ko = { subject: '안녕', text: '세상' };
  for (const [code, params] of [
    ['stored', { en }],
    ['stored', { en, ko }],
    ['of_a_newer_version', { name: 'x', count: 2 }],
  ] as const) {
    await tell(h, 'any', 'pending');
    await h.store.run('UPDATE notices SET code = :code, params = :params WHERE code = :any', {
      code,
      params: JSON.stringify(params),
      any: 'member_left',
    });
    await h.clock.advance(1);
  }
  h.wake.wakeAll();
  await h.workers.idle();
  const { data } = (await noticesOf(h, cookie)).json();
  const older = { code: 'stored', params: { subject_en: 'Hello', text_en: en.text }, ...en };
  const inBoth = { ...older, params: { ...older.params, subject_ko: '안녕', text_ko: '세상' } };
  const newer = { subject: 'of_a_newer_version', text: 'name: x\ncount: 2' };
  t.match(data, [{ code: newer.subject, params: { name: 'x', count: 2 }, ...newer }, inBoth, older]);
  const mailed = (to: string) =>
    smtp.mails
      .filter((mail) => mail.to.includes(to))
      .map((mail) => `${subjectOf(mail.data)}: ${textOf(mail.data).trim()}`)
      .sort();
  const wanted = (...texts: (typeof en)[]) => texts.map(({ subject, text }) => `${subject}: ${text}`).sort();
  t.same(mailed('ada@example.com'), wanted(en, en, newer));
  t.same(mailed('bob@example.com'), wanted(en, ko, newer));
});

t.test('a notice of a version that kept whole sentences says them after the migration', (t) =>
  oldNotices(t, async () => openSqlite(':memory:')),
);

t.test('a mail that is not accepted is tried again, later each time, and at last given up', async (t) => {
  const smtp = await startSmtpServer(t);
  const h = await startHarness(t, { smtpUrl: smtp.url, limits: { mail_attempts: 4 } });
  await h.signIn('owner', { email: 'ada@example.com' });
  smtp.mood('busy');
  await tell(h);
  await h.workers.idle();
  const row = () =>
    h.store.get<{ attempts: number; last_error: string | null; next_attempt_at: number | null }>(
      'SELECT attempts, last_error, next_attempt_at FROM mails',
    );
  t.match(await row(), { attempts: 1, last_error: /451/, next_attempt_at: START + MINUTE });
  smtp.mood('hang up');
  await h.pass(MINUTE);
  t.match(await row(), { attempts: 2, next_attempt_at: START + 3 * MINUTE });
  smtp.mood('take');
  await h.pass(2 * MINUTE);
  t.match(await row(), { attempts: 3, last_error: null, next_attempt_at: null });
  t.equal(smtp.mails.length, 1);

  smtp.mood('busy');
  await tell(h, 'another@example.com');
  await h.workers.idle();
  for (let n = 0; n < 3; n++) {
    await h.pass(mailGapMs(n, defaultLimits));
  }
  const waiting = await h.store.all('SELECT * FROM mails WHERE next_attempt_at IS NOT NULL');
  t.same(waiting, [], 'given up after its fourth attempt');
  t.equal(smtp.mails.length, 1);

  smtp.mood('unknown recipient');
  await tell(h, 'nobody@example.com');
  await h.workers.idle();
  const refused = await h.store.get<{ attempts: number; next_attempt_at: number | null }>(
    'SELECT attempts, next_attempt_at FROM mails WHERE subject = :subject',
    { subject: someSubject('nobody@example.com') },
  );
  t.same(refused, { attempts: 1, next_attempt_at: null }, 'what can never be delivered is not tried again');

  await h.clock.skip(h.limits.mail_kept_ms + 3_600_000);
  await h.workers.idle();
  t.same(await h.store.all('SELECT * FROM mails'), [], 'and all of them are forgotten in time');
});

t.test('a notice is read by each person on their own; a list is read page by page', async (t) => {
  const h = await startHarness(t);
  const ada = await h.signIn('owner', { email: 'ada@example.com' });
  const eve = await h.signIn('developer', { email: 'eve@example.com' });
  for (const subject of ['one', 'two', 'three']) {
    await tell(h, subject);
    await h.clock.advance(MINUTE);
  }
  const stateOf = async (cookie: string) => {
    const { data, unread } = (await noticesOf(h, cookie)).json();
    const session = await h.inject({ url: '/api/runner/v1/session', headers: { cookie } });
    t.equal(session.json().organizations[0].unread_notices, unread, 'the session says the same');
    return { unread, read: data.filter(({ read }: { read: boolean }) => read).length };
  };
  t.same(await stateOf(ada), { unread: 3, read: 0 });
  const first = (await noticesOf(h, ada, '?limit=2')).json();
  t.same(
    first.data.map(({ subject }: { subject: string }) => subject),
    ['three', 'two'].map(someSubject),
  );
  const rest = (await noticesOf(h, ada, `?limit=2&before=${first.next_before}`)).json();
  t.match(rest, { data: [{ subject: someSubject('one'), read: false }], next_before: null });

  const read = (id: string, cookie: string, org = h.org) =>
    h.callConsole('POST', `/v1/organizations/${org.orgId}/notices/${id}/read`, {
      key: null,
      headers: { cookie },
    });
  t.equal((await read(first.data[1].id, ada)).statusCode, 204);
  t.same(await stateOf(ada), { unread: 1, read: 2 }, 'the notice and older ones');
  t.same(await stateOf(eve), { unread: 3, read: 0 }, 'of this person alone');
  t.equal((await read(rest.data[0].id, ada)).statusCode, 204);
  t.same(await stateOf(ada), { unread: 1, read: 2 }, 'an older one makes nothing unread');
  const stranger = await h.signIn('owner', { org: h.other });
  t.equal((await read(first.data[0].id, stranger, h.other)).statusCode, 404, 'of another organization');
  t.equal((await noticesOf(h, ada, '?before=none')).statusCode, 404);
});

t.test('the gaps double from a minute to six hours', async (t) => {
  t.same(
    [0, 1, 2, 8].map((n) => mailGapMs(n, defaultLimits)),
    [MINUTE, 2 * MINUTE, 4 * MINUTE, 256 * MINUTE],
  );
  for (const attempts of [9, 30, 1_000]) t.equal(mailGapMs(attempts, defaultLimits), 360 * MINUTE);
});
