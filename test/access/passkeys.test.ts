// Passkeys: registering, signing in with one alone, and answers that are wrong, late, repeated or of somebody else.
// Runs in: soak
import t, { type Test } from 'tap';
import { passkeySiteOf } from '../../control-plane/access/domain/passkey-site.js';
import { type Answer, cookieOf, outcome } from '../harness/answer.js';
import { createAuthenticator, type Faults, WITH_CERTIFICATE } from '../harness/authenticator.js';
import { type HarnessOptions, startHarness } from '../harness/harness.js';
import { entriesOf } from './audit-entries.js';

const SITE = 'https://macs.example';
const MINUTE = 60_000;
/** Nothing asks for the password again, which is the subject of other tests. */
const asks = { limits: { session_confirm_ms: 15 * MINUTE } };

const REFUSED = '401 invalid_passkey';

/** Ada and Bob, who are signed in. */
async function start(t: Test, options: HarnessOptions = {}) {
  const h = await startHarness(t, { siteUrl: SITE, ...options });
  const ada = await h.signIn('owner', { email: 'ada@example.com' });
  const bob = await h.signIn('developer', { email: 'bob@example.com' });
  const send = (method: string, path: string, body?: object, cookie: string = ada) =>
    h.inject({
      method: method as 'GET',
      url: `/api/runner${path}`,
      headers: cookie === '' ? {} : { cookie },
      ...(body ? { payload: body } : {}),
    }) as Promise<Answer>;
  const options$ = async (path: string, cookie?: string) =>
    (await send('POST', path, undefined, cookie)).json().options;
  const creation = (cookie?: string) => options$('/v1/passkeys/options', cookie);
  const register = async (
    authenticator: ReturnType<typeof createAuthenticator>,
    { cookie, faults, name = 'Laptop' }: { cookie?: string; faults?: Faults; name?: string } = {},
  ) => {
    const credential = authenticator.create(await creation(cookie), faults);
    return send('POST', '/v1/passkeys', { name, credential }, cookie);
  };
  return {
    h,
    ada,
    bob,
    send,
    creation,
    register,
    challenge: (): Promise<{ challenge: string }> => options$('/v1/session/passkey/options', ''),
    signIn: (credential: object) => send('POST', '/v1/session/passkey', { credential }, ''),
  };
}

t.test('a person registers passkeys, sees them, signs in with one alone, and removes it', async (t) => {
  const { h, send, creation, register, challenge, signIn } = await start(t);
  t.same((await send('GET', '/v1/passkeys')).json(), { data: [], refused: null });
  t.match(await creation(), {
    rp: { id: 'macs.example', name: 'Cidermill macs.example' },
    user: { name: 'ada@example.com' },
    attestation: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  const laptop = createAuthenticator(SITE);
  const added = await register(laptop);
  t.equal(outcome(added), '201');
  const now = new Date(h.clock.now()).toISOString();
  const passkey = { id: added.json().id, name: 'Laptop', synced: false, created_at: now, last_used_at: null };
  t.same(added.json(), passkey);
  t.match((await creation()).excludeCredentials, [{ id: laptop.id }], 'the device offers no second one');
  await h.clock.advance(1);
  t.equal(outcome(await register(createAuthenticator(SITE), { name: 'Security key' })), '201');

  await h.clock.advance(MINUTE);
  const asked = await challenge();
  t.match(asked, { rpId: 'macs.example', userVerification: 'required', allowCredentials: undefined });
  const signedIn = await signIn(laptop.sign(asked));
  t.equal(signedIn.json().user.email, 'ada@example.com');
  t.equal(outcome(await send('GET', '/v1/session', undefined, cookieOf(signedIn))), '200');
  t.match((await send('GET', '/v1/passkeys')).json().data, [
    { name: 'Laptop', last_used_at: new Date(h.clock.now()).toISOString() },
    { name: 'Security key', last_used_at: null },
  ]);

  t.equal(outcome(await send('DELETE', `/v1/passkeys/${passkey.id}`)), '204');
  t.equal(outcome(await send('DELETE', `/v1/passkeys/${passkey.id}`)), '404 not_found');
  t.equal(outcome(await signIn(laptop.sign(await challenge()))), REFUSED, 'a removed one');
  const actions = (await entriesOf(h)).filter(({ actorName }) => actorName === 'ada@example.com');
  t.same(
    actions.map(({ action, result }) => `${action} ${result}`),
    [
      'session.create ok',
      'user.add_passkey ok',
      'user.add_passkey ok',
      'session.create ok',
      'user.remove_passkey ok',
      'user.remove_passkey not_found',
    ],
  );
});

t.test('a person renames a passkey, which signs in as before', async (t) => {
  const { h, bob, send, register, challenge, signIn } = await start(t, { ...asks, smtpUrl: 'smtp://127.0.0.1:1' });
  const laptop = createAuthenticator(SITE);
  const { id, ...added } = (await register(laptop)).json();
  const rename = (name: unknown, { of = id, cookie }: { of?: string; cookie?: string } = {}) =>
    send('PATCH', `/v1/passkeys/${of}`, { name }, cookie);
  await h.clock.advance(16 * MINUTE);
  t.same((await rename('  Work laptop ')).json(), { ...added, id, name: 'Work laptop' }, 'without being asked again');
  t.equal(outcome(await rename('Mine', { cookie: bob })), '404 not_found', "another person's");
  t.equal(outcome(await rename('Mine', { of: 'pk_none' })), '404 not_found');
  t.equal(outcome(await rename('Mine', { cookie: '' })), '401 session_required');
  for (const name of ['', ' ', 'a\nb', '\u202etxet', 'x'.repeat(101), 7])
    t.equal(outcome(await rename(name)), '400 invalid_request', JSON.stringify(name).slice(0, 10));
  t.match((await send('GET', '/v1/passkeys')).json().data, [{ name: 'Work laptop' }]);
  t.equal(outcome(await signIn(laptop.sign(await challenge()))), '200');
  t.equal((await h.store.all('SELECT subject FROM mails')).length, 1, 'of its registration alone');
  const entries = (await entriesOf(h)).filter(
    ({ action, result }) => `${action} ${result}` === 'user.rename_passkey ok',
  );
  t.match(entries, [{ actorName: 'ada@example.com', target: id }]);
  t.equal(entries.length, 1);
});

t.test('answers that are wrong are refused alike', async (t) => {
  const { h, register, challenge, signIn } = await start(t, { limits: { sign_in_failures_per_minute: 100 } });
  const laptop = createAuthenticator(SITE);
  await register(laptop);
  for (const [what, faults] of [
    ['another origin', { origin: 'https://evil.example' }],
    ['the same host on http', { origin: 'http://macs.example' }],
    ['another site', { rpId: 'evil.example' }],
    ['a challenge of nobody', { challenge: 'AAAA' }],
    ['a registration', { type: 'webauthn.create' }],
    ['a person who was not verified', { flags: 1 }],
    ['a person who was not there', { flags: 4 }],
  ] as const) {
    t.equal(outcome(await signIn(laptop.sign(await challenge(), faults))), REFUSED, what);
  }
  const good = laptop.sign(await challenge());
  for (const [what, changed] of [
    ['another signature', { signature: createAuthenticator(SITE).sign(await challenge()).signature }],
    ['an empty signature', { signature: '' }],
    ['no JSON', { client_data: 'AAAA' }],
    ['JSON of something else', { client_data: Buffer.from('[7]').toString('base64url') }],
    ['data that is cut short', { authenticator_data: 'AAAA' }],
    ['another passkey', { id: createAuthenticator(SITE).id }],
    ['another person', { user_handle: Buffer.from('user_0000000000000000').toString('base64url') }],
  ] as const) {
    t.equal(outcome(await signIn({ ...good, ...changed })), REFUSED, what);
  }
  t.equal(outcome(await signIn({ ...good, id: 'with spaces' })), '400 invalid_request');
  t.equal(outcome(await signIn(good)), '200', 'unchanged it works');
  await h.auditLog.close();
});

t.test('a challenge is answered once, within five minutes, by a person for whom it was made', async (t) => {
  const { h, bob, send, creation, register, challenge, signIn } = await start(t);
  const laptop = createAuthenticator(SITE);
  const options = await creation();
  const credential = laptop.create(options);
  const add = (given: object, cookie?: string) =>
    send('POST', '/v1/passkeys', { name: 'x', credential: given }, cookie);
  t.equal(outcome(await add(credential, bob)), REFUSED, 'made for Ada');
  t.same((await Promise.all([add(credential), add(credential)])).map(outcome).sort(), ['201', REFUSED]);
  t.equal(outcome(await add(createAuthenticator(SITE).create(options))), REFUSED, 'the challenge was answered');
  const late = await creation();
  await h.clock.advance(5 * MINUTE);
  t.equal(outcome(await add(createAuthenticator(SITE).create(late))), REFUSED);

  const asked = await challenge();
  const answer = laptop.sign(asked);
  t.same((await Promise.all([signIn(answer), signIn(answer)])).map(outcome).sort(), ['200', REFUSED]);
  t.equal(outcome(await signIn(laptop.sign(asked))), REFUSED, 'nor with another signature');
  t.equal(outcome(await signIn(laptop.sign(await creation()))), REFUSED, 'a challenge to register');
  const old = await challenge();
  await h.clock.advance(5 * MINUTE);
  t.equal(outcome(await signIn(laptop.sign(old))), REFUSED, 'too late');
  t.equal(outcome(await register(laptop, { cookie: bob })), REFUSED, 'a passkey belongs to one person');

  await h.clock.advance(30 * 24 * 60 * MINUTE);
  await h.workers.named('challenges-purge').run(new Set());
  t.same(await h.store.all('SELECT * FROM used_challenges'), [], 'answered ones are forgotten');
});

t.test('a passkey whose counter falls was copied, and is refused', async (t) => {
  const { register, challenge, signIn } = await start(t);
  const key = createAuthenticator(SITE);
  await register(key, { faults: { counter: 7 } });
  for (const [counter, expected] of [
    [8, '200'],
    [8, REFUSED],
    [3, REFUSED],
    [0, REFUSED],
    [9, '200'],
  ] as const) {
    t.equal(outcome(await signIn(key.sign(await challenge(), { counter }))), expected, `${counter}`);
  }
  const synced = createAuthenticator(SITE);
  await register(synced, { faults: { counter: 0 } });
  for (const _ of [1, 2]) {
    t.equal(outcome(await signIn(synced.sign(await challenge(), { counter: 0 }))), '200', 'many do not count');
  }
});

t.test('registrations with a maker’s certificate, without verification and beyond the limit are refused', async (t) => {
  const { h, register, send } = await start(t, { limits: { passkeys_per_person: 2 } });
  for (const [what, faults] of [
    ['a certificate, whose revocation list would be fetched', { attestation: WITH_CERTIFICATE }],
    ['not verified', { flags: 1 }],
    ['another origin', { origin: 'https://evil.example' }],
    ['another site', { rpId: 'evil.example' }],
  ] as const) {
    t.equal(outcome(await register(createAuthenticator(SITE), { faults })), REFUSED, what);
  }
  t.equal(outcome(await register(createAuthenticator(SITE), { name: ' ' })), '400 invalid_request');
  for (const expected of ['201', '201', '409 passkeys_limit']) {
    t.equal(outcome(await register(createAuthenticator(SITE))), expected);
  }
  t.equal((await send('GET', '/v1/passkeys')).json().data.length, 2);
  await h.auditLog.close();
});

t.test('a passkey of the person confirms who they are', async (t) => {
  const { h, bob, send, register, challenge } = await start(t, asks);
  const laptop = createAuthenticator(SITE);
  const { id } = (await register(laptop)).json();
  t.same((await send('GET', '/v1/session')).json().user.confirm_ways, ['passkey', 'password']);
  await h.clock.advance(15 * MINUTE);
  const confirm = async (cookie?: string) =>
    send('POST', '/v1/session/confirm', { passkey: laptop.sign(await challenge()) }, cookie);
  for (const [method, path] of [
    ['POST', '/v1/passkeys/options'],
    ['DELETE', `/v1/passkeys/${id}`],
  ] as const) {
    t.equal(outcome(await send(method, path)), '403 confirmation_required', path);
  }
  t.equal(outcome(await confirm(bob)), REFUSED, 'of another person');
  t.equal(outcome(await confirm()), '200');
  const answer = laptop.sign(await challenge());
  t.equal(outcome(await send('POST', '/v1/session/confirm', { passkey: answer })), '200');
  t.equal(outcome(await send('POST', '/v1/session/confirm', { passkey: answer })), REFUSED, 'replayed');
  const both = { passkey: answer, password: 'x' };
  t.equal(outcome(await send('POST', '/v1/session/confirm', both)), '400 invalid_request', 'exactly one way');
  t.equal(outcome(await send('DELETE', `/v1/passkeys/${id}`)), '204');
  t.equal(outcome(await confirm()), REFUSED, 'removed');
});

t.test('guesses are slowed down', async (t) => {
  const { challenge, signIn } = await start(t, { limits: { sign_in_failures_per_minute_address: 3 } });
  for (const expected of [REFUSED, REFUSED, REFUSED, '429 rate_limited']) {
    t.equal(outcome(await signIn(createAuthenticator(SITE).sign(await challenge()))), expected);
  }
});

t.test('passkeys need a name on https, or this machine', async (t) => {
  for (const [site, expected] of [
    ['https://macs.example', { rpId: 'macs.example', origin: 'https://macs.example' }],
    ['https://macs.example:8443', { rpId: 'macs.example', origin: 'https://macs.example:8443' }],
    ['http://localhost:8460', { rpId: 'localhost', origin: 'http://localhost:8460' }],
    ['http://macs.example', { refused: 'plain_http' }],
    ['http://127.0.0.1:8460', { refused: 'ip_address' }],
    ['https://192.0.2.1', { refused: 'ip_address' }],
    ['https://[2001:db8::1]', { refused: 'ip_address' }],
  ] as const) {
    t.same(passkeySiteOf(site), expected, site);
  }
  const { send, signIn } = await start(t, { siteUrl: 'http://macs.example' });
  t.same((await send('GET', '/v1/sign-in-ways', undefined, '')).json(), { passkeys: false, provider: null });
  t.equal((await send('GET', '/v1/passkeys')).json().refused, 'plain_http');
  for (const path of ['/v1/passkeys/options', '/v1/session/passkey/options']) {
    t.equal(
      outcome(await send('POST', path, undefined, path.includes('session') ? '' : undefined)),
      '409 passkeys_unavailable',
    );
  }
  t.equal(outcome(await signIn(createAuthenticator(SITE).sign({ challenge: 'AAAA' }))), '409 passkeys_unavailable');
});
