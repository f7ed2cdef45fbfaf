// The name and the language of a person, and mails in that language.
// Runs in: soak
import t from 'tap';
import { notify } from '../../control-plane/access/app/notices.js';
import { asPerson } from '../harness/answer.js';
import { type Harness, PASSWORD, startHarness } from '../harness/harness.js';
import { someNotice } from '../harness/some-notice.js';
import { subjectOf, textOf } from './mail-text.js';
import { type SmtpServer, startSmtpServer } from './smtp-server.js';

const EMAIL = 'ada@example.com';

const signIn = (h: Harness, headers: Record<string, string>) =>
  h.inject({
    method: 'POST',
    url: '/api/runner/v1/session',
    headers,
    payload: { email: EMAIL, password: PASSWORD },
  });

const subjects = (smtp: SmtpServer) =>
  Object.fromEntries(smtp.mails.map(({ to, data }) => [to.join(), subjectOf(data)]));

t.test('a person changes their name and language', async (t) => {
  const h = await startHarness(t);
  const cookie = await h.signIn('owner', { email: EMAIL });
  const send = asPerson(h, cookie);
  const user = async () => (await send('GET', '/v1/session')).json().user;
  t.match(await user(), { name: null, language: null });

  const changed = await send('PATCH', '/v1/session/user', { name: '  Ada Kim ' });
  t.equal(changed.statusCode, 200);
  t.match(changed.json().user, { email: EMAIL, name: 'Ada Kim', language: null });
  await send('PATCH', '/v1/session/user', { language: 'ko' });
  t.match(await user(), { name: 'Ada Kim', language: 'ko' }, 'what is not given stays');
  const { data } = (await send('GET', `/v1/organizations/${h.org.orgId}/members`)).json();
  t.equal(data[0].name, 'Ada Kim', 'the organization sees the name');

  const wrong = [{ name: '' }, { name: ' \u200b ' }, { name: 'a\u202eb' }, { name: 'x'.repeat(300) }];
  for (const body of [...wrong, { name: null }, { language: 'fr' }, { language: null }, { email: 'x@y.z' }]) {
    const answer = await send('PATCH', '/v1/session/user', body);
    t.equal(answer.json().error?.code, 'invalid_request', JSON.stringify(body));
  }
  t.equal((await send('PATCH', '/v1/session/user', {})).statusCode, 200, 'nothing to change');
  t.match(await user(), { name: 'Ada Kim', language: 'ko' });
  const other = await h.callConsole('PATCH', '/v1/session/user', {
    key: h.keys.manage,
    body: { name: 'Eve' },
  });
  t.equal(other.statusCode, 403, 'a key is no person');
});

t.test('the first sign-in tells the language, later ones do not change it', async (t) => {
  const h = await startHarness(t);
  await h.signIn('owner', { email: EMAIL });
  for (const [headers, expected] of [
    [{ 'accept-language': 'fr-FR' }, null],
    [{ 'accept-language': 'en;q=0.9', cookie: 'cidermill_language=ko' }, 'ko'],
    [{ 'accept-language': 'en-GB' }, 'ko'],
  ] as const) {
    const { user } = (await signIn(h, headers)).json();
    t.equal(user.language, expected, JSON.stringify(headers));
  }
});

t.test('each person gets mails in their language', async (t) => {
  const smtp = await startSmtpServer(t);
  const h = await startHarness(t, { smtpUrl: smtp.url });
  const ada = asPerson(h, await h.signIn('owner', { email: EMAIL }));
  await h.signIn('admin', { email: 'bob@example.com' });
  await ada('PATCH', '/v1/session/user', { language: 'ko' });
  const notice = { accountId: h.org.id, ...someNotice('eve@example.com\r\nBcc: x') };
  await h.store.transaction((tx) => notify(tx, { ...h, mail: true }, notice));
  await h.workers.idle();
  const ko = 'eve@example.com Bcc: x 님이 조직을 나갔습니다';
  const en = 'eve@example.com Bcc: x has left the organization';
  t.same(subjects(smtp), { [EMAIL]: ko, 'bob@example.com': en });
  t.equal(textOf(smtp.mails.find(({ to }) => to.includes(EMAIL))?.data).trim(), `${ko}.`);
  const { data } = (await ada('GET', `/v1/organizations/${h.org.orgId}/notices`)).json();
  const params = { email: 'eve@example.com Bcc: x' };
  t.match(data, [{ code: 'member_left', params, subject: en, text: `${en}.` }], 'programs read English');
});

t.test('an invitation is in the language of the invited person, else of the inviting one', async (t) => {
  const smtp = await startSmtpServer(t);
  const h = await startHarness(t, { smtpUrl: smtp.url });
  const ada = asPerson(h, await h.signIn('owner', { email: EMAIL }));
  const eve = asPerson(h, await h.signIn('owner', { org: h.other, email: 'eve@example.com' }));
  await ada('PATCH', '/v1/session/user', { language: 'ko' });
  await eve('PATCH', '/v1/session/user', { language: 'en' });
  for (const email of ['eve@example.com', 'new@example.com']) {
    const made = await ada('POST', `/v1/organizations/${h.org.orgId}/invites`, { email, role: 'developer' });
    t.equal(made.statusCode, 201);
  }
  await h.workers.idle();
  const name = 'Apple Press';
  t.same(subjects(smtp), {
    'eve@example.com': `Invitation to ${name}`,
    'new@example.com': `${name} 조직 초대`,
  });
  const text = textOf(smtp.mails.find(({ to }) => to.includes('new@example.com'))?.data);
  t.match(text, `Cidermill의 ${name} 조직에 개발자로 초대되었습니다.`);
  t.match(text, /^https?:\/\/\S+\/invite#\S+$/m);
  t.match(text, /이 초대는 \d{4}년 \d{1,2}월 \d{1,2}일 \d{2}:\d{2} \(UTC\)까지/);
});
