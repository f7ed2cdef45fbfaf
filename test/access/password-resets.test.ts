// A forgotten password: the link by mail or from an operator, and what it changes.
// Runs in: soak
import t, { type Test } from 'tap';
import { resetLinkMail } from '../../control-plane/access/domain/password-reset-mail.js';
import { type Harness, type HarnessOptions, PASSWORD, startHarness } from '../harness/harness.js';
import { until } from '../harness/until.js';
import { subjectOf, textOf } from './mail-text.js';
import { startSmtpServer } from './smtp-server.js';

const MINUTE = 60_000;
const NEW = 'a much better password';
const ada = 'ada@example.com';

async function start(t: Test, options: HarnessOptions = {}) {
  const smtp = await startSmtpServer(t);
  const h = await startHarness(t, { smtpUrl: smtp.url, ...options });
  const cookie = await h.signIn('owner', { email: ada });
  const link = async (n = 1) => {
    await until(() => smtp.mails.length >= n, 'the mail has arrived');
    return /\/reset-password#([\w-]{43})$/m.exec(textOf(smtp.mails[n - 1]?.data))?.[1] ?? '';
  };
  return { h, smtp, cookie, link, ...callsOf(h) };
}

function callsOf(h: Harness) {
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await h.callConsole('POST', path, { key: null, body, headers });
    return { status: answer.statusCode, body: answer.body === '' ? null : answer.json(), headers: answer.headers };
  };
  return {
    post,
    request: (email: string, headers?: Record<string, string>) =>
      post('/v1/password-reset/request', { email }, headers),
    reset: (token: string, password: string) => post('/v1/password-reset', { token, password }),
    signIn: async (password: string) => (await post('/v1/session', { email: ada, password })).status,
    session: async (cookie: string) =>
      (await h.callConsole('GET', '/v1/session', { key: null, headers: { cookie } })).statusCode,
    entries: async () => {
      const all = await h.auditLog.read({ accountId: null, since: 0 }, { after: null, limit: 100 });
      return all.filter(({ action }) => /reset|end_sessions/.test(action));
    },
  };
}

t.test('a link by mail sets a new password once, ends all sessions, and a notice says so', async (t) => {
  const { h, smtp, cookie, link, post, request, reset, signIn, session, entries } = await start(t);
  t.match((await h.callConsole('GET', '/v1/password-reset', { key: null })).json(), {
    sends_mail: true,
    valid_s: 3_600,
  });
  t.match(await request(' ADA@Example.com '), { status: 204, body: null });
  const token = await link();
  t.same(smtp.mails[0]?.to, [ada]);
  t.match(textOf(smtp.mails[0]?.data), /works once and expires after 60 minutes/);
  t.match(resetLinkMail('en', { resetUrl: h.siteUrl, minutes: 1 }).text, /works once and expires after 1 minute\./);
  t.notMatch(JSON.stringify(await h.store.all('SELECT text, subject FROM mails', {})), token, 'not in the database');
  const found = await post('/v1/password-reset/lookup', { token });
  t.match(found, { status: 200, body: { email: ada } });
  t.equal((await reset(token, 'short')).body.error.code, 'invalid_request', 'the link is not used up');
  t.equal(await session(cookie), 200);
  const both = await Promise.all([reset(token, NEW), reset(token, 'another good password')]);
  t.same(both.map(({ status }) => status).sort(), [200, 404], 'two at once: one of them');
  const chosen = both[0]?.status === 200 ? NEW : 'another good password';
  t.equal(
    both.find(({ status }) => status === 200)?.headers['set-cookie'],
    undefined,
    'the link alone does not sign in',
  );
  t.equal(await session(cookie), 401, 'other sessions are ended');
  t.equal(await signIn(PASSWORD), 401);
  t.equal(await signIn(chosen), 200);
  t.equal((await reset(token, NEW)).status, 404);
  await until(() => smtp.mails.length === 2, 'the notice has arrived');
  t.match(subjectOf(smtp.mails[1]?.data), 'Your Cidermill password was changed');
  const { user_id: userId } = (await h.store.get<{ user_id: string }>('SELECT user_id FROM users', {})) ?? {};
  t.match(
    (await entries()).filter(({ result }) => result === 'ok'),
    [
      { action: 'user.request_password_reset', actorKind: 'anonymous', target: userId },
      { action: 'user.reset_password', actorKind: 'person', actorName: ada, target: userId },
    ],
  );
});

t.test('nobody learns who has an account, and the answer does not wait for the mail', async (t) => {
  const { h, smtp, request, entries } = await start(t);
  const known = await request(ada);
  const unknown = await request('nobody@example.com');
  t.same([known.status, known.body], [unknown.status, unknown.body]);
  const names = ({ headers }: typeof known) => Object.keys(headers).sort();
  t.same(names(known), names(unknown));
  await until(() => smtp.mails.length === 1, 'one mail');
  await h.parts.access.resets.close();
  t.equal((await h.store.all('SELECT 1 FROM mails', {})).length, 1);
  t.same(
    (await entries()).map(({ result }) => result),
    ['ok', 'ok'],
  );
  t.match(await request('not an address'), { status: 400, body: { error: { details: { fields: ['email'] } } } });
});

t.test('links end after an hour, and the newest counts', async (t) => {
  const { h, link, request, reset, smtp } = await start(t);
  await request(ada);
  const first = await link();
  await request(ada);
  await h.parts.access.resets.close();
  t.equal((await h.store.all('SELECT 1 FROM mails', {})).length, 1, 'at most one mail in two minutes');
  await h.clock.advance(2 * MINUTE);
  await request(ada);
  const second = await link(2);
  t.not(first, second);
  t.equal((await reset(first, NEW)).status, 404, 'replaced');
  await h.clock.advance(60 * MINUTE - 1);
  t.equal((await reset('x'.repeat(43), NEW)).status, 404);
  await h.clock.advance(1);
  t.equal((await reset(second, NEW)).status, 404, 'expired');
  t.equal(smtp.mails.length, 2);
  await h.clock.advance(60 * MINUTE);
  await h.workers.named('password-reset-purge').run(new Set());
  t.same(await h.store.all('SELECT 1 FROM password_resets', {}), [], 'deleted');
});

t.test('a link is mailed again after two minutes, also if the clock was set back meanwhile', async (t) => {
  const { h, request } = await start(t);
  const mails = async () => {
    await request(ada);
    await h.parts.access.resets.close();
    return (await h.store.all('SELECT 1 FROM mails', {})).length;
  };
  t.equal(await mails(), 1);
  h.clock.step(-60 * MINUTE);
  await h.parts.clockSteps.look();
  t.equal(await mails(), 1);
  await h.clock.advance(2 * MINUTE);
  t.equal(await mails(), 2);
});

t.test('requests are limited for each address of mail and of clients', async (t) => {
  const { request } = await start(t, { trustedProxies: ['127.0.0.1'] });
  const from = (ip: string) => ({ 'x-forwarded-for': ip });
  for (let n = 0; n < 5; n++) t.equal((await request('nobody@example.com', from(`198.51.100.${n}`))).status, 204);
  t.equal(
    (await request('nobody@example.com', from('198.51.100.9'))).status,
    429,
    'one address of mail from many clients',
  );
  for (let n = 0; n < 5; n++) t.equal((await request(`n${n}@example.com`, from('203.0.113.1'))).status, 204);
  t.equal((await request('n9@example.com', from('203.0.113.1'))).status, 429, 'many addresses from one client');
});

t.test('without a mail server an operator makes the link', async (t) => {
  const h = await startHarness(t, { operatorToken: 'o'.repeat(32) });
  const cookie = await h.signIn('owner', { email: ada });
  const { request, reset, signIn, session, entries } = callsOf(h);
  t.equal((await h.callConsole('GET', '/v1/password-reset', { key: null })).json().sends_mail, false);
  t.match(await request(ada), { status: 400, body: { error: { message: /reset-password/ } } });
  const operate = async (name: string, email: string) => {
    const answer = await h.inject({
      method: 'POST',
      url: `/api/operator/v1/user/${name}`,
      headers: { authorization: `Bearer ${'o'.repeat(32)}` },
      payload: { email },
    });
    return { status: answer.statusCode, body: answer.json() };
  };
  t.equal((await operate('reset-password', 'nobody@example.com')).status, 404);
  const made = await operate('reset-password', ada);
  const [site, token = ''] = made.body.reset_url.split('#');
  t.equal(site, `${h.siteUrl}/reset-password`);
  t.equal(made.body.expires_at, new Date(h.clock.now() + 60 * MINUTE).toISOString());
  t.equal(await session(cookie), 200, 'nothing has changed yet');
  t.equal((await reset(token, NEW)).status, 200);
  t.equal(await signIn(NEW), 200);
  t.match(await operate('end-sessions', ada), { status: 200, body: { email: ada, ended: 1 } });
  t.match(await operate('end-sessions', ada), { status: 200, body: { ended: 0 } });
  t.match(
    (await entries()).filter(({ result }) => result === 'ok').map(({ action }) => action),
    ['user.create_password_reset', 'user.reset_password', 'user.end_sessions', 'user.end_sessions'],
  );
  t.notMatch(JSON.stringify(await h.store.all('SELECT * FROM password_resets', {})), token);
});

t.test('a person ends all other sessions, and stays signed in', async (t) => {
  const h = await startHarness(t);
  const cookie = await h.signIn('owner', { email: ada });
  const other = await h.signIn('admin', { email: 'grace@example.com' });
  const { post, session } = callsOf(h);
  const second = String((await post('/v1/session', { email: ada, password: PASSWORD })).headers['set-cookie']);
  const ended = await h.callConsole('DELETE', '/v1/sessions', { key: null, headers: { cookie } });
  t.equal(ended.statusCode, 204);
  t.same([await session(cookie), await session(second.split(';', 1)[0] ?? ''), await session(other)], [200, 401, 200]);
});
