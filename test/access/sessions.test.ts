// Signing in to the console: the cookie, its life, who may come with it, and who is kept out.
// Runs in: soak
import { hash as argon2 } from '@node-rs/argon2';
import t from 'tap';
import { PASSWORD_COST } from '../../control-plane/access/app/passwords.js';
import { hashToken, isTokenForm } from '../../control-plane/access/domain/session.js';
import type { AnyRoute } from '../../control-plane/platform/http/route.js';
import { cookieOf, outcome } from '../harness/answer.js';
import { type Harness, type HarnessOptions, PASSWORD, START, startHarness } from '../harness/harness.js';
import { testRoute } from '../harness/test-route.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const EMAIL = 'ada@example.com';

const probe = (method: 'GET' | 'POST', path: string, more: Pick<AnyRoute, 'roles'> = {}): AnyRoute => ({
  ...testRoute({
    method,
    path,
    level: 'read',
    summary: 'For tests',
    responses: { 200: 'text/plain' },
    handle: async ({ caller }) => ({
      status: 200,
      type: 'text/plain',
      body: `${caller.account.orgId} ${caller.person?.role}`,
    }),
  }),
  consoleOnly: true,
  ...more,
});
const probes = [
  probe('GET', '/v1/organizations/:org_id/probe'),
  probe('POST', '/v1/organizations/:org_id/probe'),
  probe('POST', '/v1/organizations/:org_id/money', { roles: ['owner', 'admin'] }),
];

const start = (t: Parameters<typeof startHarness>[0], options: HarnessOptions = {}) =>
  startHarness(t, { ...options, extraConsoleRoutes: () => probes });

type Service = Harness;

const post = (h: Service, path: string, body: unknown, headers: Record<string, string> = {}, ip = '192.0.2.1') =>
  h.inject({
    method: 'POST',
    url: `/api/runner${path}`,
    headers,
    payload: body as object,
    remoteAddress: ip,
  });

const signIn = (h: Service, password = PASSWORD, options: { email?: string; ip?: string } = {}) =>
  post(h, '/v1/session', { email: options.email ?? EMAIL, password }, {}, options.ip);

const withCookie = (h: Service, cookie: string, method: string, path: string, more: Record<string, string> = {}) =>
  h.inject({ method: method as 'GET', url: `/api/runner${path}`, headers: { cookie, ...more } });

const addAda = (h: Service) =>
  h.users.create({
    email: EMAIL,
    password: PASSWORD,
    name: 'Ada',
    membership: { accountId: h.org.id, role: 'owner' },
  });

t.test('a person signs in, is known by the cookie, and signs out', async (t) => {
  const h = await start(t, { limits: { invite_ms: 3 * DAY, session_confirm_ms: 900_000 } });
  const { userId } = await addAda(h);
  const answer = await signIn(h, PASSWORD, { email: ' ADA@Example.com ' });
  t.equal(answer.statusCode, 200);
  const body = {
    user: { id: userId, email: EMAIL, name: 'Ada', language: null, operator: false, confirm_ways: ['password'] },
    organizations: [
      {
        id: h.org.orgId,
        name: 'Apple Press',
        slug: 'apple-press',
        role: 'owner',
        status: 'active',
        payments_blocked: false,
        unread_notices: 0,
        workspaces: [{ id: h.org.workspaceId, name: 'default' }],
      },
    ],
    limits: {
      invite_s: 3 * 24 * 3_600,
      build_link_s: 3_600,
      topup_s: 3_600,
      topup_withdraw_s: 7 * 24 * 3_600,
      order_hold_s: 1_800,
      extension_deadline_s: 600,
      mac_states_kept_s: 90 * 24 * 3_600,
      session_confirm_s: 900,
      enrolment_s: 900,
      password_chars_min: 12,
      secret_bytes: 65_536,
      webhook_redeliveries: 1_000,
    },
    sends_mail: false,
    code_host: 'https://github.com',
    expires_at: new Date(START + 30 * DAY).toISOString(),
    now: new Date(START).toISOString(),
  };
  t.same(answer.json(), body);
  t.match(
    answer.headers['set-cookie'],
    /^cidermill_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  const cookie = cookieOf(answer);
  t.same((await withCookie(h, cookie, 'GET', '/v1/session')).json(), body);
  t.same((await withCookie(h, `theme=dark; ${cookie}; x=y`, 'GET', '/v1/session')).json(), body);

  const token = cookie.split('=')[1] ?? '';
  t.ok(isTokenForm(token));
  const rows = await h.store.all<{ token_hash: string }>('SELECT * FROM sessions');
  t.equal(rows[0]?.token_hash, hashToken(token));
  t.notMatch(JSON.stringify(rows), token, 'the token itself is kept nowhere');

  const out = await withCookie(h, cookie, 'DELETE', '/v1/session');
  t.equal(out.statusCode, 204);
  t.match(out.headers['set-cookie'], /^cidermill_session=; Max-Age=0; /);
  t.equal(outcome(await withCookie(h, cookie, 'GET', '/v1/session')), '401 session_required');
});

t.test('on https the cookie is bound to the host and to https', async (t) => {
  const h = await start(t, { siteUrl: 'https://macs.example' });
  await addAda(h);
  const answer = await signIn(h);
  t.match(
    answer.headers['set-cookie'],
    /^__Host-cidermill=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  );
  const cookie = cookieOf(answer);
  t.equal((await withCookie(h, cookie, 'GET', '/v1/session')).statusCode, 200);
  const plain = cookie.replace('__Host-cidermill', 'cidermill_session');
  t.equal(outcome(await withCookie(h, plain, 'GET', '/v1/session')), '401 session_required');
});

t.test('a wrong password, an unknown address and a person without a password look alike', async (t) => {
  const h = await start(t);
  await addAda(h);
  await h.store.run(`INSERT INTO users (user_id, email, created_at) VALUES ('user_none', 'none@example.com', 0)`);
  const seen = new Set<string>();
  for (const [email, password] of [
    [EMAIL, 'wrong password'],
    [EMAIL, `${PASSWORD} `],
    [EMAIL, ''],
    [EMAIL, 'x'.repeat(2_000)],
    ['nobody@example.com', PASSWORD],
    ['none@example.com', ''],
    ['none@example.com', 'the password of nobody'],
    ['not an address', PASSWORD],
  ] as const) {
    const answer = await signIn(h, password, { email });
    const { request_id: _, ...error } = answer.json().error;
    seen.add(JSON.stringify([answer.statusCode, error, answer.headers['set-cookie'] ?? null]));
  }
  t.equal(seen.size, 1, [...seen].join('\n'));
  t.match([...seen][0], /^\[401,\{"code":"invalid_credentials"/);
  for (const [body, fields] of [
    [{}, ['email', 'password']],
    [{ email: EMAIL, password: 7 }, ['password']],
    [[], []],
  ] as const) {
    const { error } = (await post(h, '/v1/session', body)).json();
    t.equal(error.code, 'invalid_request');
    t.same(error.details.fields, fields);
  }
});

t.test('a session ends when it is idle, and at its absolute end even if it is used', async (t) => {
  const h = await start(t, { limits: { session_idle_ms: 12 * HOUR, session_absolute_ms: 2 * DAY } });
  await addAda(h);
  const idle = cookieOf(await signIn(h));
  const busy = cookieOf(await signIn(h));
  const known = async (cookie: string) => {
    const { statusCode } = await withCookie(h, cookie, 'GET', '/v1/session');
    await h.sessions.close();
    return statusCode === 200;
  };
  for (let hours = 0; hours < 48; hours += 6) {
    t.ok(await known(busy), `${hours} h`);
    if (hours === 6) t.ok(await known(idle), 'the idle one was used here');
    await h.clock.advance(6 * HOUR - (hours === 42 ? 1 : 0));
  }
  t.notOk(await known(idle));
  t.ok(await known(busy), 'a millisecond before its end');
  await h.clock.advance(1);
  t.notOk(await known(busy), 'at its end');
});

t.test('a correction of the clock neither ends nor prolongs a session that is idle', async (t) => {
  for (const step of [13 * HOUR, -13 * HOUR]) {
    const h = await start(t, { limits: { session_idle_ms: 12 * HOUR, session_absolute_ms: 10 * DAY } });
    await addAda(h);
    const cookies = [cookieOf(await signIn(h)), cookieOf(await signIn(h))];
    const statusOf = async (n: number) => (await withCookie(h, cookies[n] ?? '', 'GET', '/v1/session')).statusCode;
    await h.clock.advance(HOUR);
    h.clock.step(step);
    await h.parts.clockSteps.look();
    t.equal(await statusOf(0), 200, `${step}`);
    await h.clock.advance(11 * HOUR);
    t.equal(await statusOf(1), 401, `${step}: idle for 12 hours`);
  }
});

t.test('sessions that have ended are forgotten', async (t) => {
  const h = await start(t);
  await addAda(h);
  await signIn(h);
  await h.clock.skip(20 * DAY);
  await signIn(h);
  await h.clock.skip(10 * DAY);
  await h.workers.named('session-purge').run(new Set());
  const kept = await h.store.all<{ created_at: number }>('SELECT created_at FROM sessions');
  t.same(kept, [{ created_at: START + 20 * DAY }]);
});

t.test('each sign-in has a token of its own, and ends the one that was there', async (t) => {
  const h = await start(t, { limits: { sessions_per_person: 3 } });
  await addAda(h);
  const first = cookieOf(await signIn(h));
  const second = cookieOf(await post(h, '/v1/session', { email: EMAIL, password: PASSWORD }, { cookie: first }));
  t.not(first, second);
  t.equal(outcome(await withCookie(h, first, 'GET', '/v1/session')), '401 session_required');
  t.equal((await withCookie(h, second, 'GET', '/v1/session')).statusCode, 200);
  const cookies = [second];
  for (let n = 0; n < 3; n++) {
    await h.clock.advance(1);
    cookies.push(cookieOf(await signIn(h)));
  }
  const alive = await Promise.all(cookies.map((cookie) => withCookie(h, cookie, 'GET', '/v1/session')));
  t.same(
    alive.map(({ statusCode }) => statusCode),
    [401, 200, 200, 200],
    'the oldest made room',
  );
});

t.test('a new password ends every session but the one it was changed in', async (t) => {
  const h = await start(t);
  await addAda(h);
  const here = cookieOf(await signIn(h));
  const elsewhere = cookieOf(await signIn(h));
  const change = (current: string, next: string, cookie = here) =>
    post(h, '/v1/session/password', { current, new: next }, { cookie });
  t.equal(outcome(await change('wrong password', 'a new password')), '401 invalid_credentials');
  const short = await change(PASSWORD, 'short');
  t.match(short.json().error, { code: 'invalid_request', details: { fields: ['new'], password_chars_min: 12 } });
  const changed = await change(PASSWORD, 'a new password');
  t.equal(changed.statusCode, 200);
  for (const old of [here, elsewhere]) {
    t.equal(outcome(await withCookie(h, old, 'GET', '/v1/session')), '401 session_required');
  }
  t.equal((await withCookie(h, cookieOf(changed), 'GET', '/v1/session')).statusCode, 200);
  t.equal(outcome(await signIn(h)), '401 invalid_credentials');
  t.equal(outcome(await signIn(h, 'a new password')), '200');
  await h.users.setPassword(EMAIL, 'set by an operator');
  t.equal(outcome(await withCookie(h, cookieOf(changed), 'GET', '/v1/session')), '401 session_required');
});

t.test('a person sees the own sessions, and ends one of them', async (t) => {
  const h = await start(t);
  await addAda(h);
  const here = cookieOf(await signIn(h, PASSWORD, { ip: '192.0.2.1' }));
  await h.clock.advance(HOUR);
  const agent = { 'user-agent': 'Safari' };
  const credentials = { email: EMAIL, password: PASSWORD };
  const there = cookieOf(await post(h, '/v1/session', credentials, agent, '192.0.2.2'));
  const stranger = await h.signIn('owner', { org: h.other });
  const { data } = (await withCookie(h, here, 'GET', '/v1/sessions')).json();
  // Both were last seen in this millisecond.
  data.sort((a: { current: boolean }, b: { current: boolean }) => Number(a.current) - Number(b.current));
  t.match(data, [
    { id: /^ses_[0-9a-f]{16}$/, current: false, ip: '192.0.2.2', user_agent: 'Safari' },
    { current: true, ip: '192.0.2.1', created_at: new Date(START).toISOString() },
  ]);
  t.equal(data.length, 2);
  const path = `/v1/sessions/${data[0].id}`;
  t.equal(outcome(await withCookie(h, stranger, 'DELETE', path)), '404 not_found');
  t.equal(outcome(await withCookie(h, here, 'DELETE', path)), '204');
  t.equal(outcome(await withCookie(h, here, 'DELETE', path)), '404 not_found');
  t.equal(outcome(await withCookie(h, there, 'GET', '/v1/session')), '401 session_required');
  await h.clock.advance(13 * HOUR);
  const later = cookieOf(await signIn(h));
  t.equal((await withCookie(h, later, 'GET', '/v1/sessions')).json().data.length, 1, 'idle ones are not listed');
});

t.test('an older, shorter password still signs in when it is hashed again', async (t) => {
  const h = await start(t);
  await addAda(h);
  const weak = await argon2('8 chars.', { memoryCost: 8_192, timeCost: 1, parallelism: 1 });
  await h.store.run('UPDATE users SET password_hash = :weak', { weak });
  t.equal(outcome(await signIn(h, '8 chars.')), '200');
});

t.test('a password that was hashed with other parameters is hashed again at the next sign-in', async (t) => {
  const h = await start(t, { passwordCost: PASSWORD_COST });
  await addAda(h);
  const stored = async () =>
    (await h.store.get<{ password_hash: string }>('SELECT password_hash FROM users'))?.password_hash ?? '';
  const weak = await argon2(PASSWORD, { memoryCost: 8_192, timeCost: 1, parallelism: 1 });
  await h.store.run('UPDATE users SET password_hash = :weak', { weak });
  t.equal(outcome(await signIn(h, 'wrong password')), '401 invalid_credentials');
  t.equal(await stored(), weak);
  t.equal(outcome(await signIn(h)), '200');
  t.match(await stored(), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  const strong = await stored();
  t.equal(outcome(await signIn(h)), '200');
  t.equal(await stored(), strong);
});

t.test('guessing passwords is slowed down, and locks out nobody else', async (t) => {
  const h = await start(t, {
    limits: {
      sign_in_failures_per_minute: 3,
      sign_in_failures_per_minute_address: 6,
      sign_in_failures_per_minute_email: 8,
    },
  });
  await addAda(h);
  await h.users.create({ email: 'bob@example.com', password: PASSWORD });
  const home = '198.51.100.7';
  t.equal(outcome(await signIn(h, PASSWORD, { ip: home })), '200');

  const guess = async (ip: string, email = EMAIL) => outcome(await signIn(h, 'a wild guess', { ip, email }));
  const wrong = '401 invalid_credentials';
  const slower = '429 rate_limited';
  t.same([await guess('192.0.2.1'), await guess('192.0.2.1'), await guess('192.0.2.1')], [wrong, wrong, wrong]);
  const refused = await signIn(h, PASSWORD, { ip: '192.0.2.1' });
  t.equal(outcome(refused), slower, 'the right password does not get through either');
  t.equal(refused.headers['retry-after'], '20');
  t.equal(refused.json().error.retryable, true);

  for (const n of [1, 2, 3]) t.equal(await guess('192.0.2.1', `someone${n}@example.com`), wrong);
  t.equal(await guess('192.0.2.1', 'bob@example.com'), slower, 'six of one address, for any person');

  for (const n of [1, 2, 3, 4, 5]) t.equal(await guess(`203.0.113.${n}`), wrong);
  t.equal(await guess('203.0.113.6'), slower, 'eight of one e-mail, from wherever');
  t.equal(outcome(await signIn(h, PASSWORD, { ip: '203.0.113.7' })), slower, 'its owner too, from an unknown place');
  t.equal(outcome(await signIn(h, PASSWORD, { ip: home })), '200', 'but not from home');
  t.equal(outcome(await signIn(h, PASSWORD, { ip: '192.0.2.9', email: 'bob@example.com' })), '200');
  for (let n = 0; n < 10; n++) t.equal(outcome(await signIn(h, PASSWORD, { ip: home })), '200', 'success is free');

  await h.clock.advance(60_000);
  t.equal(outcome(await signIn(h, PASSWORD, { ip: '192.0.2.1' })), '200');

  const network = (host: string) => `2001:db8:1:2::${host}`;
  for (const host of ['1', '2', '3']) t.equal(await guess(network(host)), wrong);
  t.equal(await guess(network('4')), slower, 'the /64 of an IPv6 client is one address');

  const many = await Promise.all(Array.from({ length: 9 }, () => guess('192.0.2.77', 'c@example.com')));
  t.equal(many.filter((answer) => answer === wrong).length, 3, 'guesses at once are counted too');
});

t.test('when many sign in at once, each gets an answer in time', async (t) => {
  const h = await start(t, { limits: { password_checks_at_once: 1, password_checks_waiting: 2 } });
  await addAda(h);
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, n) => signIn(h, PASSWORD, { ip: `192.0.2.${n + 1}` })),
  );
  const outcomes = answers.map(outcome);
  // How many are checked depends on how fast one check is; the others are refused.
  const [checked, refused] = ['200', '429 rate_limited'].map(
    (wanted) => outcomes.filter((one) => one === wanted).length,
  );
  t.ok(checked && checked >= 3, `${checked} are checked`);
  t.ok(refused && refused > 0, `${refused} are refused`);
  t.equal(Number(checked) + Number(refused), 30);
  t.equal(outcome(await signIn(h)), '200', 'and the places are free again');
});

t.test('another site cannot use the session', async (t) => {
  const h = await start(t, { siteUrl: 'https://macs.example' });
  const cookie = await h.signIn('owner');
  const path = `/v1/organizations/${h.org.orgId}/probe`;
  const table: readonly [Record<string, string>, string][] = [
    [{ 'sec-fetch-site': 'same-origin' }, '200'],
    [{ 'sec-fetch-site': 'none' }, '200'],
    [{ 'sec-fetch-site': 'same-site' }, '403 forbidden'],
    [{ 'sec-fetch-site': 'cross-site' }, '403 forbidden'],
    [{ 'sec-fetch-site': 'whatever' }, '403 forbidden'],
    [{ 'sec-fetch-site': 'cross-site', origin: 'https://macs.example' }, '403 forbidden'],
    [{ origin: 'https://macs.example' }, '200'],
    [{ origin: 'https://macs.example.evil.example' }, '403 forbidden'],
    [{ origin: 'http://macs.example' }, '403 forbidden'],
    [{ origin: 'https://macs.example:8443' }, '403 forbidden'],
    [{ origin: 'null' }, '403 forbidden'],
    [{}, '200'],
  ];
  for (const [headers, expected] of table) {
    t.equal(outcome(await withCookie(h, cookie, 'POST', path, headers)), expected, JSON.stringify(headers));
    const read = await withCookie(h, cookie, 'GET', path, headers);
    t.equal(outcome(read), '200', 'reading changes nothing');
    const signedIn = await post(h, '/v1/session', { email: 'owner-1@example.com', password: PASSWORD }, headers);
    t.equal(outcome(signedIn), expected, 'nor can it sign somebody in');
    const agent = `/v1/organizations/${h.org.orgId}/agent/secrets/TOKEN`;
    const changed = await h.inject({
      method: 'PUT',
      url: `/api/runner${agent}`,
      headers: { cookie, 'service-error-format': '2', ...headers },
      payload: { value: 'hunter2' },
    });
    t.equal(outcome(changed), expected, 'nor work in the API');
  }
});

t.test('the role decides, and the organization must be the person’s own', async (t) => {
  const h = await start(t);
  const cookies = {
    owner: await h.signIn('owner'),
    admin: await h.signIn('admin'),
    developer: await h.signIn('developer'),
    stranger: await h.signIn('owner', { org: h.other }),
    operator: await h.signIn('owner', { org: h.other, email: 'operator@example.com', operator: true }),
  };
  const of = (orgId: string, path: string) => `/v1/organizations/${orgId}/${path}`;
  for (const [who, money] of [
    ['owner', '200'],
    ['admin', '200'],
    ['developer', '403 insufficient_permission'],
  ] as const) {
    const answer = await withCookie(h, cookies[who], 'POST', of(h.org.orgId, 'probe'));
    t.equal(answer.body, `${h.org.orgId} ${who}`);
    t.equal(outcome(await withCookie(h, cookies[who], 'POST', of(h.org.orgId, 'money'))), money);
  }
  for (const who of ['stranger', 'operator'] as const) {
    for (const orgId of [h.org.orgId, 'org_unknown', String(h.org.id), 'apple-press']) {
      for (const path of ['probe', 'money']) {
        t.equal(outcome(await withCookie(h, cookies[who], 'POST', of(orgId, path))), '404 not_found');
      }
    }
  }
  const org = await h.organizations.find(h.org.orgId);
  await h.organizations.setStatus(org, 'suspended');
  for (const path of ['probe', 'money']) {
    const answer = await withCookie(h, cookies.owner, 'POST', of(h.org.orgId, path));
    t.equal(outcome(answer), '403 organization_suspended');
  }
  t.equal((await withCookie(h, cookies.owner, 'GET', '/v1/session')).statusCode, 200, 'one can still look around');
});

t.test('a key opens no console endpoint, a cookie no endpoint of keys', async (t) => {
  const h = await start(t);
  const cookie = await h.signIn('owner');
  const authorization = `Bearer ${h.keys.all}`;
  const console = [
    ['GET', '/v1/session'],
    ['DELETE', '/v1/session'],
    ['GET', `/v1/organizations/${h.org.orgId}/probe`],
    ['GET', `/v1/organizations/${h.org.orgId}/notices`],
  ] as const;
  for (const path of ['/v1/session', '/v1/first-owner']) {
    const body = { email: 'owner-1@example.com', password: PASSWORD };
    t.equal(outcome(await post(h, path, body, { authorization })), '403 console_only', path);
  }
  for (const [method, path] of console) {
    for (const headers of [{ authorization }, { authorization: 'Bearer nonsense' }, { authorization, cookie }]) {
      const answer = await h.inject({ method, url: `/api/runner${path}`, headers });
      t.equal(outcome(answer), '403 console_only', `${method} ${path} ${Object.keys(headers)}`);
    }
    for (const headers of [{}, { cookie: 'cidermill_session=x' }, { authorization: 'Basic eDp5' }]) {
      const answer = await h.inject({ method, url: `/api/runner${path}`, headers });
      t.equal(outcome(answer), '401 session_required');
    }
  }
  const proxied = { cookie, authorization: 'Basic eDp5' };
  t.equal((await h.inject({ url: '/api/runner/v1/session', headers: proxied })).statusCode, 200);

  for (const { method, path } of h.api.routes.filter(({ level }) => level !== null)) {
    const url = `/api/v1${path.replace(/:\w+/g, 'x')}`;
    const answer = await h.inject({ method, url, headers: { cookie, 'service-error-format': '2' } });
    t.equal(outcome(answer), '401 api_key_required', `${method} ${path}`);
  }
});

t.test('a person is counted as one, over all sessions', async (t) => {
  const h = await start(t, { limits: { requests_per_minute: 3 } });
  await addAda(h);
  const cookies = [cookieOf(await signIn(h)), cookieOf(await signIn(h))];
  const path = `/v1/organizations/${h.org.orgId}/probe`;
  const ask = async (n: number) => withCookie(h, cookies[n] ?? '', 'GET', path);
  t.equal((await ask(0)).headers.ratelimit, '"default";r=2;t=20');
  t.equal((await ask(1)).headers.ratelimit, '"default";r=1;t=40');
  t.equal((await withCookie(h, cookies[0] ?? '', 'GET', '/v1/session')).statusCode, 200);
  const refused = await ask(1);
  t.equal(outcome(refused), '429 rate_limited');
  t.equal(refused.headers['retry-after'], '20');
  t.equal((await h.callConsole('GET', '/v1/files')).statusCode, 200, 'keys have shares of their own');
});
