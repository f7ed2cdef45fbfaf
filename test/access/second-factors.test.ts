// Two-step sign-in: setting it up, signing in with codes, losing the app, and guessing.
// Runs in: soak
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { rotateKey } from '../../control-plane/admin/key-rotation.js';
import { createVault } from '../../control-plane/platform/app/vault.js';
import { openKeyFile } from '../../control-plane/platform/store/key-file.js';
import { adminOf } from '../harness/admin.js';
import { type Answer, cookieOf, outcome } from '../harness/answer.js';
import { type HarnessOptions, PASSWORD, startHarness } from '../harness/harness.js';
import { appCode } from '../harness/totp.js';
import { startSmtpServer } from './smtp-server.js';

const EMAIL = 'ada@example.com';
const STEP = 30_000;
const MINUTE = 60_000;
/** Nothing asks for the password again, which is the subject of other tests. */
const asks = { limits: { session_confirm_ms: 15 * MINUTE } };

/** Ada, who is signed in. */
async function start(t: Test, options: HarnessOptions = {}) {
  const h = await startHarness(t, options);
  const cookie = await h.signIn('owner', { email: EMAIL });
  const send = (
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = { cookie },
    ip?: string,
  ) =>
    h.inject({
      method: method as 'GET',
      url: `/api/runner${path}`,
      headers,
      ...(body ? { payload: body } : {}),
      remoteAddress: ip ?? '192.0.2.1',
    }) as Promise<Answer>;
  const password = (ip?: string, given = PASSWORD) =>
    send('POST', '/v1/session', { email: EMAIL, password: given }, {}, ip);
  return {
    h,
    send,
    password,
    /** The ticket after the right password. */
    ticket: async (ip?: string) => (await password(ip)).json().error.details.second_step as string,
    step: (token: string, code: string, ip?: string) =>
      send('POST', '/v1/session/second-step', { token, code }, {}, ip),
    code: (secret: string, steps = 0) => appCode(secret, h.clock.now(), steps),
  };
}

type Rig = Awaited<ReturnType<typeof start>>;

/** Turns two-step sign-in on, and waits until the code of that is over. */
async function turnOn({ h, send, code }: Rig) {
  const { secret } = (await send('POST', '/v1/second-factors/totp')).json();
  const on = await send('POST', '/v1/second-factors/totp/confirm', { code: code(secret) });
  await h.clock.advance(2 * STEP);
  return { secret: secret as string, codes: on.json().recovery_codes as string[] };
}

t.test('a person turns two-step sign-in on, and signs in with password and code', async (t) => {
  const rig = await start(t);
  const { h, send, password, step, code } = rig;
  t.same((await send('GET', '/v1/second-factors')).json(), { totp: null, recovery_codes_left: 0 });
  const setup = (await send('POST', '/v1/second-factors/totp')).json();
  t.match(setup.secret, /^[A-Z2-7]{32}$/);
  t.equal(
    setup.address,
    `otpauth://totp/Cidermill%20cidermill.test:ada%40example.com?secret=${setup.secret}&issuer=Cidermill%20cidermill.test`,
  );
  t.same((await send('POST', '/v1/second-factors/totp')).json(), setup, 'a second page shows the same');
  t.equal(outcome(await password()), '200', 'nothing is asked before the first code was right');
  const confirm = (given: string) => send('POST', '/v1/second-factors/totp/confirm', { code: given });
  t.equal(outcome(await confirm(code(setup.secret, 5))), '401 invalid_code');
  const on = await confirm(code(setup.secret).replace(/(...)/, '$1 '));
  t.equal(on.json().recovery_codes.length, 10);
  t.equal(outcome(await confirm(code(setup.secret, 1))), '409 totp_already_on');
  t.equal(outcome(await send('POST', '/v1/second-factors/totp')), '409 totp_already_on');
  t.same((await send('GET', '/v1/second-factors')).json(), {
    totp: { on_since: new Date(h.clock.now()).toISOString() },
    recovery_codes_left: 10,
  });

  const half = await password();
  t.equal(outcome(half), '401 second_factor_required');
  t.equal(half.headers['set-cookie'], undefined, 'no session yet');
  const { second_step: token, expires_at } = half.json().error.details;
  t.equal(expires_at, new Date(h.clock.now() + 5 * MINUTE).toISOString());
  t.equal(outcome(await step(token, code(setup.secret))), '401 invalid_code', 'the code that turned it on was used');
  await h.clock.advance(STEP);
  const signedIn = await step(token, code(setup.secret));
  t.equal(signedIn.json().user.email, EMAIL);
  t.equal(outcome(await send('GET', '/v1/session', undefined, { cookie: cookieOf(signedIn) })), '200');
  t.equal(outcome(await step(token, code(setup.secret))), '401 invalid_code', 'a code works once');
  t.equal(outcome(await step(token, code(setup.secret, -1))), '401 invalid_code', 'nor does one before it');

  const stored = JSON.stringify(await h.store.all('SELECT * FROM totp_secrets, recovery_codes'));
  for (const secret of [setup.secret, ...on.json().recovery_codes]) t.notMatch(stored, secret);
});

t.test('between the steps nothing is permitted, and not for long', async (t) => {
  const rig = await start(t);
  const { h, send, ticket, step, code } = rig;
  const { secret } = await turnOn(rig);
  const token = await ticket();
  for (const name of ['cidermill_session', 'session']) {
    const answer = await send('GET', '/v1/session', undefined, { cookie: `${name}=${token}` });
    t.equal(outcome(answer), '401 session_required');
  }
  const asKey = await send('GET', '/v1/session', undefined, { authorization: `Bearer ${token}` });
  t.equal(outcome(asKey), '403 console_only');
  for (const forged of ['', 'x', `${token}x`, token.slice(1)]) {
    t.equal(outcome(await step(forged, code(secret))), '401 sign_in_expired');
  }
  await h.clock.advance(5 * MINUTE);
  t.equal(outcome(await step(token, code(secret))), '401 sign_in_expired', 'after five minutes');
  const another = await ticket();
  await h.users.setPassword(EMAIL, 'set by an operator');
  t.equal(outcome(await step(another, code(secret))), '401 sign_in_expired', 'the password has changed since');
});

t.test('two uses of one code at the same time sign in once', async (t) => {
  const rig = await start(t);
  const { secret, codes } = await turnOn(rig);
  const token = await rig.ticket();
  const app = await Promise.all([1, 2, 3].map(() => rig.step(token, rig.code(secret))));
  t.same(app.map(outcome).sort(), ['200', '401 invalid_code', '401 invalid_code']);
  const recovery = await Promise.all([1, 2, 3].map(() => rig.step(token, codes[0] ?? '')));
  t.same(recovery.map(outcome).sort(), ['200', '401 invalid_code', '401 invalid_code']);
});

t.test('recovery codes work once each, and are replaced by new ones', async (t) => {
  const smtp = await startSmtpServer(t);
  const rig = await start(t, { smtpUrl: smtp.url });
  const { h, send, ticket, step } = rig;
  const { codes } = await turnOn(rig);
  const [first = '', second = ''] = codes;
  const token = await ticket();
  t.equal(outcome(await step(token, first.toUpperCase())), '200');
  t.equal(outcome(await step(token, first)), '401 invalid_code');
  t.equal((await send('GET', '/v1/second-factors')).json().recovery_codes_left, 9);
  const renewed = (await send('POST', '/v1/second-factors/recovery-codes')).json().recovery_codes as string[];
  t.equal(renewed.length, 10);
  t.equal(outcome(await step(token, second)), '401 invalid_code', 'an old one');
  t.equal(outcome(await step(token, renewed[9] ?? '')), '200');
  await h.workers.idle();
  t.same((await h.store.all<{ subject: string }>('SELECT subject FROM mails')).map(({ subject }) => subject).sort(), [
    'A recovery code was used; 9 left',
    'A recovery code was used; 9 left',
    'Two-step sign-in is on',
    'You have new recovery codes',
  ]);
});

t.test('it is turned off, twice too, and a setup ends after 15 minutes', async (t) => {
  const rig = await start(t, asks);
  const { h, send, password, code } = rig;
  t.equal(outcome(await send('POST', '/v1/second-factors/recovery-codes')), '404 not_found');
  await turnOn(rig);
  for (const _ of [1, 2]) t.equal(outcome(await send('DELETE', '/v1/second-factors/totp')), '204');
  t.equal(outcome(await password()), '200');
  t.same(await h.store.all('SELECT * FROM recovery_codes'), []);
  const confirm = (given: string) => send('POST', '/v1/second-factors/totp/confirm', { code: given });
  t.equal(outcome(await confirm('123456')), '409 totp_setup_expired', 'none was begun');
  const { secret } = (await send('POST', '/v1/second-factors/totp')).json();
  await h.clock.advance(15 * MINUTE);
  for (const [method, path, body] of [
    ['POST', '/totp', undefined],
    ['POST', '/totp/confirm', { code: '123456' }],
    ['DELETE', '/totp', undefined],
    ['POST', '/recovery-codes', undefined],
  ] as const) {
    t.equal(outcome(await send(method, `/v1/second-factors${path}`, body)), '403 confirmation_required', path);
  }
  await send('POST', '/v1/session/confirm', { password: PASSWORD });
  t.equal(outcome(await confirm(code(secret))), '409 totp_setup_expired');
  t.not((await send('POST', '/v1/second-factors/totp')).json().secret, secret, 'a new one');
});

t.test('after ten wrong codes one is checked every 15 minutes, from whatever address', async (t) => {
  const rig = await start(t, { limits: { sign_in_failures_per_minute: 5 } });
  const { h, ticket, step, code } = rig;
  const { secret, codes } = await turnOn(rig);
  const token = await ticket();
  const guess = async (n: number) => outcome(await step(token, code(secret, 7), `203.0.113.${n}`));
  for (let n = 1; n <= 10; n++) t.equal(await guess(n), '401 invalid_code');
  const refused = await step(token, code(secret), '203.0.113.11');
  t.equal(outcome(refused), '429 rate_limited', 'the right one does not get through either');
  t.equal(refused.json().error.retryable, true);
  t.equal(outcome(await step(token, codes[0] ?? '', '203.0.113.12')), '200', 'a recovery code does');
  await h.clock.advance(15 * MINUTE);
  const later = await ticket();
  t.equal(outcome(await step(later, code(secret, 7), '203.0.113.13')), '401 invalid_code');
  t.equal(outcome(await step(later, code(secret), '203.0.113.14')), '429 rate_limited');
  await h.clock.advance(15 * MINUTE);
  t.equal(outcome(await step(await ticket(), code(secret), '203.0.113.15')), '200');
  t.equal(outcome(await step(await ticket(), code(secret, 7), '203.0.113.16')), '401 invalid_code', 'counted anew');
});

t.test('a correction of the clock neither ends nor prolongs the wait after wrong codes', async (t) => {
  for (const step of [60 * MINUTE, -60 * MINUTE]) {
    const rig = await start(t, { limits: { sign_in_failures_per_minute: 5 } });
    const { secret } = await turnOn(rig);
    const token = await rig.ticket();
    for (let n = 1; n <= 10; n++) await rig.step(token, rig.code(secret, 7), `203.0.113.${n}`);
    await rig.h.clock.advance(5 * MINUTE);
    rig.h.clock.step(step);
    await rig.h.parts.clockSteps.look();
    const refused = await rig.step(await rig.ticket(), rig.code(secret), '203.0.113.11');
    t.same([outcome(refused), refused.headers['retry-after']], ['429 rate_limited', '600'], `${step}`);
    await rig.h.clock.advance(10 * MINUTE);
    const later = await rig.step(await rig.ticket(), rig.code(secret, 7), '203.0.113.12');
    t.equal(outcome(later), '401 invalid_code', `${step}: codes are checked again`);
  }
});

t.test('guesses of codes use up the share of their address, as guesses of passwords do', async (t) => {
  const rig = await start(t, { limits: { sign_in_failures_per_minute: 3 } });
  const { secret } = await turnOn(rig);
  const token = await rig.ticket();
  for (const _ of [1, 2, 3]) t.equal(outcome(await rig.step(token, rig.code(secret, 7))), '401 invalid_code');
  t.equal(outcome(await rig.step(token, rig.code(secret))), '429 rate_limited');
  t.equal(outcome(await rig.password()), '429 rate_limited');
});

t.test('a code of the app, or a recovery code, confirms who the person is', async (t) => {
  const rig = await start(t, asks);
  const { h, send, code } = rig;
  const ways = async () => (await send('GET', '/v1/session')).json().user.confirm_ways;
  t.same(await ways(), ['password']);
  const { secret, codes } = await turnOn(rig);
  t.same(await ways(), ['password', 'code']);
  const confirm = (given: string) => send('POST', '/v1/session/confirm', { code: given });
  await h.clock.advance(15 * MINUTE);
  t.equal(outcome(await send('POST', '/v1/second-factors/recovery-codes')), '403 confirmation_required');
  t.equal(outcome(await confirm(code(secret, 7))), '401 invalid_code');
  t.equal(outcome(await send('POST', '/v1/second-factors/recovery-codes')), '403 confirmation_required');
  t.equal(outcome(await confirm(code(secret))), '200');
  t.equal(outcome(await confirm(code(secret))), '401 invalid_code', 'once');
  t.equal(outcome(await confirm(codes[0] ?? '')), '200');
  t.equal(outcome(await send('DELETE', '/v1/second-factors/totp')), '204');
  t.equal(outcome(await confirm(codes[1] ?? '')), '401 invalid_code', 'it is off');
});

t.test('an invitation does not sign in by the password alone', async (t) => {
  const rig = await start(t);
  await turnOn(rig);
  const { acceptUrl } = await rig.h.invites.create(rig.h.other.id, { email: EMAIL, role: 'admin' }, 'operator');
  const token = acceptUrl.split('#')[1];
  const accept = (body: object, headers: Record<string, string> = {}) =>
    rig.send('POST', '/v1/invites/accept', { token, ...body }, headers);
  t.equal(outcome(await accept({ password: 'wrong wrong wrong' })), '401 invalid_credentials');
  t.equal(outcome(await accept({ password: PASSWORD })), '401 second_factor_required');
  const { data } = (await rig.send('GET', '/v1/sessions')).json();
  t.equal(data.length, 1, 'no session was begun');
});

t.test('an operator removes the second factor of a person who has lost everything', async (t) => {
  const smtp = await startSmtpServer(t);
  const rig = await start(t, { smtpUrl: smtp.url });
  const { h, password } = rig;
  const { userId } = (await h.store.get<{ userId: string }>('SELECT user_id AS "userId" FROM users')) ?? { userId: '' };
  await turnOn(rig);
  const run = (email: string) => adminOf(h)(['user', 'remove-second-factors', email]);
  t.match(await run('nobody@example.com'), { code: 65, refused: 'not_found' });
  t.match(await run(' ADA@example.com'), { code: 0, out: 'ada@example.com signs in with the password alone\n' });
  t.match(await run(EMAIL), { code: 0, out: 'ada@example.com does not use two-step sign-in\n' });
  t.equal(outcome(await password()), '200');
  const entries = await h.store.all<{ target: string }>(
    `SELECT target FROM audit_log WHERE action = 'user.remove_second_factors' AND result = 'ok'`,
  );
  t.same(entries[0], { target: userId });
  const subjects = await h.store.all<{ subject: string }>('SELECT subject FROM mails');
  t.match(JSON.stringify(subjects), 'An operator has turned off two-step sign-in');
});

t.test('the audit log has each step', async (t) => {
  const rig = await start(t);
  const { secret } = await turnOn(rig);
  await rig.step(await rig.ticket(), rig.code(secret));
  await rig.send('POST', '/v1/second-factors/recovery-codes');
  await rig.send('DELETE', '/v1/second-factors/totp');
  await rig.h.auditLog.close();
  const entries = await rig.h.store.all<{ entry: string }>(
    `SELECT action || ' ' || result AS entry FROM audit_log WHERE actor_kind IN ('person', 'anonymous') `,
  );
  // Failures are written to the audit log later than successes.
  t.same(entries.map(({ entry }) => entry).sort(), [
    'session.create ok',
    'session.create ok',
    'session.create second_factor_required',
    'user.renew_recovery_codes ok',
    'user.turn_off_totp ok',
    'user.turn_on_totp ok',
  ]);
});

t.test('secrets move to a new key, and one without its key is a degradation, not a lock-out for ever', async (t) => {
  const rig = await start(t);
  const { h, ticket, step, code } = rig;
  const { secret, codes } = await turnOn(rig);
  const keys = openKeyFile(join(h.data, 'secret.key'));
  t.match(await rotateKey({ store: h.store, keys, vault: createVault(keys) }), { resealed: 1, unreadable: 0 });
  t.equal(outcome(await step(await ticket(), code(secret))), '200', 'after a rotation of the key');
  const path = join(h.data, 'secret.key');
  openKeyFile(`${path}.other`);
  writeFileSync(path, readFileSync(`${path}.other`));
  await h.clock.advance(STEP);
  t.equal(outcome(await step(await ticket(), code(secret))), '503 secrets_unavailable');
  t.match(
    (await h.inject({ url: '/healthz' })).body,
    /totp_secrets_unreadable: 1 secret of an authenticator app is sealed/,
  );
  t.equal(outcome(await step(await ticket(), codes[0] ?? '')), '200');
});

t.test('a link for a forgotten password signs nobody in past the code', async (t) => {
  const operatorToken = 'o'.repeat(32);
  const rig = await start(t, { operatorToken });
  const { h, send, password, step, code } = rig;
  const { secret, codes } = await turnOn(rig);
  const made = await h.inject({
    method: 'POST',
    url: '/api/operator/v1/user/reset-password',
    headers: { authorization: `Bearer ${operatorToken}` },
    payload: { email: EMAIL },
  });
  const [, link = ''] = made.json().reset_url.split('#');
  const chosen = 'a much better password';
  const reset = await send('POST', '/v1/password-reset', { token: link, password: chosen }, {});
  t.match(reset, { statusCode: 200, headers: { 'set-cookie': undefined } }, 'it begins no session');
  t.equal(outcome(await send('GET', '/v1/session')), '401 session_required', 'and ends those there are');
  const asked = await password(undefined, chosen);
  t.equal(outcome(asked), '401 second_factor_required');
  t.equal(asked.headers['set-cookie'], undefined);
  const signedIn = await step(asked.json().error.details.second_step, code(secret));
  t.equal(outcome(signedIn), '200');
  const factors = await send('GET', '/v1/second-factors', undefined, { cookie: cookieOf(signedIn) });
  t.equal(factors.json().recovery_codes_left, codes.length, 'the second factor stays');
});
