// Signing in with an identity provider: a real one, over real sockets, and answers that are wrong, late, repeated or of
// somebody else.
// Runs in: soak
import t, { type Test } from 'tap';
import { type Answer, cookieOf, outcome } from '../harness/answer.js';
import { type HarnessOptions, PASSWORD, startHarness } from '../harness/harness.js';
import { startIdentityProvider, verified } from '../harness/identity-provider.js';
import { appCode } from '../harness/totp.js';
import { entriesOf } from './audit-entries.js';

const SITE = 'https://macs.example';
const MINUTE = 60_000;
/** Nothing asks for the password again, which is the subject of other tests. */
const asks = { limits: { session_confirm_ms: 15 * MINUTE } };
const INVALID = '401 identity_refused';

const accounts = {
  ada: verified('ada@example.com'),
  carl: verified('carl@example.com', 'Carl'),
  bob: verified('bob@example.com', 'Bob'),
  /** Has Ada's address at the provider now. */
  successor: verified('ada@example.com', 'Ada the second'),
  eve: verified('Eve@Example.com', 'Eve\u202e of\nMill'),
  mallory: { email: 'ada@example.com', email_verified: false },
  nobody: {},
  partner: verified('pat@partner.example'),
};

/** Ada and Bob have accounts with passwords. */
async function start(t: Test, { domains = [], ...options }: HarnessOptions & { domains?: string[] } = {}) {
  const idp = await startIdentityProvider(t, { accounts, siteUrl: SITE });
  const h = await startHarness(t, {
    siteUrl: SITE,
    identity: idp.config({ allowedDomains: domains }),
    ...options,
  });
  const ada = await h.signIn('owner', { email: 'ada@example.com' });
  const bob = await h.signIn('developer', { email: 'bob@example.com' });
  const send = (method: string, path: string, body?: object, cookie = '') =>
    h.inject({
      method: method as 'GET',
      url: `/api/runner${path}`,
      headers: cookie === '' ? {} : { cookie },
      ...(body ? { payload: body } : {}),
    }) as Promise<Answer>;
  const begin = async (purpose: string): Promise<{ url: string; token: string }> =>
    (await send('POST', '/v1/session/provider/begin', { purpose })).json();
  /** Goes to the provider and comes back. */
  const answerOf = async (purpose: string, login: string, change: (url: URL) => void = () => undefined) => {
    const { url, token } = await begin(purpose);
    const changed = new URL(url);
    change(changed);
    return { token, ...(await idp.visit(changed.href, login)) } as Record<string, string> & { token: string };
  };
  const complete = (answer: object) => send('POST', '/v1/session/provider', answer);
  const signIn = async (login: string) => complete(await answerOf('sign-in', login));
  const link = async (login: string, cookie: string) =>
    send('POST', '/v1/identity', await answerOf('link', login), cookie);
  return { idp, h, ada, bob, send, begin, answerOf, complete, signIn, link };
}

t.test('a person links an account, signs in with it, and removes the link', async (t) => {
  // Nobody answers there.
  const { h, idp, ada, send, signIn, link } = await start(t, { smtpUrl: 'smtp://127.0.0.1:1' });
  const name = new URL(idp.issuer).host;
  t.same((await send('GET', '/v1/sign-in-ways')).json().provider, { name });
  t.same((await send('GET', '/v1/identity', undefined, ada)).json(), { provider: { name }, identity: null });
  t.equal(outcome(await link('ada', ada)), '201');
  const linked_at = new Date(h.clock.now()).toISOString();
  const identity = { email: 'ada@example.com', linked_at, last_used_at: null };
  t.same((await send('GET', '/v1/identity', undefined, ada)).json().identity, identity);

  const signedIn = await signIn('ada');
  t.equal(outcome(signedIn), '200');
  t.match(signedIn.json().user, { email: 'ada@example.com', confirm_ways: ['password', 'provider'] });
  t.equal((await send('GET', '/v1/session', undefined, cookieOf(signedIn))).json().user.email, 'ada@example.com');
  t.equal((await send('GET', '/v1/identity', undefined, ada)).json().identity.last_used_at, linked_at);

  t.equal(outcome(await send('DELETE', '/v1/identity', undefined, ada)), '204');
  t.equal(outcome(await send('DELETE', '/v1/identity', undefined, ada)), '404 not_found');
  t.equal(outcome(await signIn('ada')), '403 identity_not_linked', 'its address does not bring the link back');
  const seen = (await entriesOf(h)).map(({ action, result }) => `${action} ${result}`);
  for (const entry of ['user.link_identity ok', 'session.create ok', 'user.unlink_identity ok'])
    t.ok(seen.includes(entry), entry);
  const mails = await h.store.all<{ subject: string }>('SELECT subject FROM mails');
  t.match(
    mails.map(({ subject }) => subject),
    [new RegExp(`account at ${name}`), /no longer sign in/],
  );
  t.equal(outcome(await link('ada', ada)), '201', 'the settings do');
  t.equal(outcome(await signIn('ada')), '200');
});

t.test('the first sign-in links the account with the address of a person, once', async (t) => {
  const { h, idp, ada, send, signIn, link } = await start(t, {
    smtpUrl: 'smtp://127.0.0.1:1',
    domains: ['example.com'],
  });
  t.equal(outcome(await signIn('mallory')), '403 identity_email_unverified');
  t.equal((await send('GET', '/v1/identity', undefined, ada)).json().identity, null, 'not without a verified address');
  const signedIn = await signIn('ada');
  t.match(signedIn.json().user, { email: 'ada@example.com' });
  const { identity } = (await send('GET', '/v1/identity', undefined, ada)).json();
  t.match(identity, { email: 'ada@example.com', linked_at: new Date(h.clock.now()).toISOString() });
  const mails = await h.store.all<{ subject: string }>('SELECT subject FROM mails');
  t.match(mails, [{ subject: new RegExp(`now sign in with an account at ${new URL(idp.issuer).host}`) }]);
  t.match((await signIn('ada')).json().user, { email: 'ada@example.com' });
  const links = (await entriesOf(h)).filter(({ action }) => action === 'user.link_identity');
  t.match(links, [
    { actorKind: 'person', actorName: 'ada@example.com', accountId: null, target: null, ip: '127.0.0.1', result: 'ok' },
  ]);
  t.equal(links.length, 1, 'the link is in the audit log, once');
  t.equal(outcome(await signIn('successor')), '403 identity_not_linked', 'another account with her address');
  t.equal(outcome(await link('successor', ada)), '409 identity_taken');
});

t.test('answers that do not belong to their request', async (t) => {
  const { h, ada, bob, begin, answerOf, complete, link, send } = await start(t, {
    limits: { sign_in_failures_per_minute: 100 },
  });
  await link('ada', ada);
  const other = await answerOf('sign-in', 'ada');
  const good = await answerOf('sign-in', 'ada');
  const wrong: Record<string, object> = {
    'another state': { ...good, state: other.state },
    'no state': { ...good, state: '' },
    'a code of another request': { ...(await answerOf('sign-in', 'ada')), code: other.code },
    'another issuer': { ...(await answerOf('sign-in', 'ada')), iss: 'https://evil.example' },
    'no issuer, which the provider always gives': { ...(await answerOf('sign-in', 'ada')), iss: undefined },
    'another nonce': await answerOf('sign-in', 'ada', (url) => url.searchParams.set('nonce', 'x'.repeat(43))),
    'another verifier': await answerOf('sign-in', 'ada', (url) =>
      url.searchParams.set('code_challenge', 'y'.repeat(43)),
    ),
    'a forged ticket': { ...(await answerOf('sign-in', 'ada')), token: 'forged' },
    'a ticket for another purpose': await answerOf('link', 'ada'),
    'no code': { ...(await answerOf('sign-in', 'ada')), code: undefined },
  };
  for (const [name, answer] of Object.entries(wrong)) t.equal(outcome(await complete(answer)), INVALID, name);
  t.equal(outcome(await complete({ ...good, extra: 'x' })), '400 invalid_request', 'unknown fields');
  t.equal(outcome(await complete({ ...good, code: 'x'.repeat(9_000) })), '400 invalid_request');

  const once = await answerOf('sign-in', 'ada');
  t.equal(outcome(await complete(once)), '200');
  t.equal(outcome(await complete(once)), INVALID, 'replayed');
  const fresh = (await begin('sign-in')).token;
  t.equal(outcome(await complete({ ...once, token: fresh })), INVALID, 'replayed with a new ticket');

  const late = await answerOf('sign-in', 'ada');
  await h.clock.advance(10 * MINUTE);
  t.equal(outcome(await complete(late)), INVALID, 'late');

  const { token, url } = await begin('sign-in');
  const state = new URL(url).searchParams.get('state') ?? '';
  const { iss } = once;
  t.equal(outcome(await complete({ token, state, iss, error: 'access_denied' })), '401 identity_provider_declined');
  const stolen = await answerOf('sign-in', 'ada');
  t.equal(outcome(await send('POST', '/v1/session/confirm', { provider: stolen }, bob)), INVALID, 'another purpose');
  const [first, second] = [await answerOf('sign-in', 'ada'), await answerOf('sign-in', 'ada')];
  t.same([outcome(await complete(second)), outcome(await complete(first))], ['200', '200'], 'two tabs at once');
});

t.test('who may sign in', async (t) => {
  const { h, ada, bob, signIn, link, send } = await start(t, { domains: ['example.com'] });
  t.equal(outcome(await signIn('mallory')), '403 identity_email_unverified', 'the address of somebody else');
  t.equal(outcome(await signIn('nobody')), '403 identity_email_unverified');
  t.equal(outcome(await signIn('partner')), '403 identity_domain_refused');
  t.equal(outcome(await signIn('eve')), '403 identity_not_invited');
  t.equal(outcome(await link('partner', ada)), '403 identity_domain_refused');
  t.equal(outcome(await link('mallory', ada)), '403 identity_email_unverified');
  t.equal(outcome(await link('ada', '')), '401 session_required');
  t.equal(outcome(await link('eve', ada)), '201', 'addresses need not be equal: both are proved');
  t.equal(outcome(await link('eve', bob)), '409 identity_taken');
  t.equal(outcome(await link('ada', ada)), '409 identity_taken', 'one account for each person');
  t.match((await signIn('eve')).json().user, { email: 'ada@example.com' });

  t.equal(outcome(await link('bob', bob)), '201');
  const { user } = (await send('GET', '/v1/session', undefined, bob)).json();
  await send('DELETE', `/v1/organizations/${h.org.orgId}/members/${user.id}`, undefined, ada);
  const after = await signIn('bob');
  t.equal(outcome(after), '200');
  t.same(after.json().organizations, [], 'a person who was removed belongs to no organization');
});

t.test('an invited person joins with an account at the provider, and needs no password', async (t) => {
  const { h, ada, answerOf, send, signIn } = await start(t, asks);
  const invites = `/v1/organizations/${h.org.orgId}/invites`;
  const invite = async (email: string): Promise<string> =>
    (await send('POST', invites, { email, role: 'admin' }, ada)).json().accept_url.split('#')[1];
  const accept = async (token: string, login: string) =>
    send('POST', '/v1/invites/accept', { token, provider: await answerOf('invite', login) });
  const token = await invite('eve@example.com');
  t.equal(outcome(await accept(token, 'ada')), '403 identity_not_invited', 'an account with another address');
  t.equal(outcome(await accept(token, 'mallory')), '403 identity_email_unverified');
  t.equal(outcome(await accept('x'.repeat(43), 'eve')), '404 not_found');
  const joined = await accept(token, 'eve');
  t.match(joined.json(), { user: { email: 'eve@example.com', name: 'Eve of Mill', confirm_ways: ['provider'] } });
  t.equal(outcome(await accept(token, 'eve')), '404 not_found', 'an invitation is used once');
  const eve = cookieOf(joined);

  const key = { name: 'ci', levels: ['read'] };
  const createKey = (cookie: string) => send('POST', `/v1/organizations/${h.org.orgId}/api-keys`, key, cookie);
  t.equal(outcome(await createKey(eve)), '201', 'signing in counts as a confirmation');
  await h.clock.advance(15 * MINUTE);
  t.equal(outcome(await createKey(eve)), '403 confirmation_required');
  const confirm = async (login: string) =>
    send('POST', '/v1/session/confirm', { provider: await answerOf('confirm', login) }, eve);
  t.equal(outcome(await confirm('bob')), INVALID, 'the account of somebody else');
  t.equal(outcome(await confirm('eve')), '200');
  t.equal(outcome(await createKey(eve)), '201');
  t.equal(outcome(await send('DELETE', '/v1/identity', undefined, eve)), '409 identity_needed');
  const password = { email: 'eve@example.com', password: PASSWORD };
  t.equal(outcome(await send('POST', '/v1/session', password)), '401 invalid_credentials', 'there is no password');

  const again = await signIn('eve');
  t.equal(outcome(again), '200');
  await send('POST', '/v1/session/confirm', { password: PASSWORD }, ada);
  const carl = await h.signIn('developer', { email: 'carl@example.com', org: h.other });
  const known = await invite('carl@example.com');
  t.equal((await send('GET', '/v1/identity', undefined, carl)).json().identity, null);
  const accepted = await accept(known, 'carl');
  t.equal(accepted.json().organizations.length, 2);
});

t.test('the age of a sign-in at the provider counts', async (t) => {
  const { h, idp, ada, begin, complete, link, send } = await start(t, asks);
  await link('ada', ada);
  const cookies = new Map<string, string>();
  const visit = async (purpose: string, change: (url: URL) => void = () => undefined) => {
    const { url, token } = await begin(purpose);
    const changed = new URL(url);
    change(changed);
    return { token, ...(await idp.visit(changed.href, 'ada', cookies)) };
  };
  t.equal(outcome(await complete(await visit('sign-in'))), '200');
  // The provider and its library measure real time: three seconds are less than the rounding allows, and more than none.
  await new Promise((resolve) => setTimeout(resolve, 3_200));
  const signedIn = await complete(await visit('sign-in'));
  const confirmed = await h.store.get<{ at: number }>('SELECT MIN(confirmed_at - created_at) AS at FROM sessions');
  t.ok((confirmed?.at ?? 0) <= -3_000, 'the session was confirmed when the person signed in there');
  const silent = await visit('confirm', (url) => {
    url.searchParams.delete('prompt');
    url.searchParams.set('max_age', '3600');
  });
  const cookie = cookieOf(signedIn);
  t.equal(outcome(await send('POST', '/v1/session/confirm', { provider: silent }, cookie)), INVALID, 'not asked again');
  const asked = await visit('confirm');
  t.equal(outcome(await send('POST', '/v1/session/confirm', { provider: asked }, cookie)), '200');
});

t.test('two-step sign-in asks for the code after the provider', async (t) => {
  const { h, ada, signIn, link, send } = await start(t);
  await link('ada', ada);
  const { secret } = (await send('POST', '/v1/second-factors/totp', undefined, ada)).json();
  await send('POST', '/v1/second-factors/totp/confirm', { code: appCode(secret, h.clock.now()) }, ada);
  const half = await signIn('ada');
  t.equal(outcome(half), '401 second_factor_required');
  t.equal(half.headers['set-cookie'], undefined);
  await h.clock.advance(30_000);
  const step = { token: half.json().error.details.second_step, code: appCode(secret, h.clock.now()) };
  t.equal(outcome(await send('POST', '/v1/session/second-step', step)), '200');
});

t.test('a provider that is away', async (t) => {
  const { h, idp, ada, answerOf, complete, link, send } = await start(t, {
    limits: { identity_provider_timeout_ms: 200, sign_in_failures_per_minute_address: 2 },
  });
  const begin = () => send('POST', '/v1/session/provider/begin', { purpose: 'sign-in' });
  idp.fail('silence');
  t.equal(outcome(await begin()), '503 identity_provider_unavailable');
  idp.fail(null);
  t.equal(outcome(await begin()), '503 identity_provider_unavailable', 'it is not asked for some seconds');
  await h.clock.advance(5_000);
  t.equal(outcome(await begin()), '200');
  await link('ada', ada);
  const reads = idp.asked.filter((one) => one.includes('.well-known')).length;
  for (const how of ['error', 'silence', 'error'] as const) {
    const answer = await answerOf('sign-in', 'ada');
    idp.fail(how);
    t.equal(outcome(await complete(answer)), '503 identity_provider_unavailable', how);
    idp.fail(null);
  }
  t.equal(outcome(await complete(await answerOf('sign-in', 'ada'))), '200', 'failures of the provider are no guesses');
  t.equal(idp.asked.filter((one) => one.includes('.well-known')).length, reads, 'its document is read once an hour');
  for (const expected of [INVALID, INVALID, '429 rate_limited']) {
    t.equal(outcome(await complete({ token: 'guess', state: 'guess' })), expected);
  }
});

t.test('the client and its secret', async (t) => {
  const lines: string[] = [];
  const start = async (clientSecret: string | null, secretIn?: 'client_secret_post') => {
    const idp = await startIdentityProvider(t, { accounts, siteUrl: SITE, ...(secretIn ? { secretIn } : {}) });
    const config = idp.config();
    const identity = clientSecret === null ? config : { ...config, clientSecret };
    const h = await startHarness(t, { siteUrl: SITE, identity, log: (line) => void lines.push(line) });
    const send = (path: string, payload: object) =>
      h.inject({ method: 'POST', url: `/api/runner${path}`, payload }) as Promise<Answer>;
    const { url, token } = (await send('/v1/session/provider/begin', { purpose: 'sign-in' })).json();
    return outcome(await send('/v1/session/provider', { token, ...(await idp.visit(url, 'eve')) }));
  };
  t.equal(await start(null, 'client_secret_post'), '403 identity_not_invited', 'the provider takes it in the body');
  t.equal(await start('not-the-secret-of-it'), '503 identity_provider_unavailable');
  t.match(lines.join('\n'), 'failed to sign a person in with the identity provider');
  for (const secret of ['not-the-secret-of-it', 'the-secret-of-the-client', '"code":"ey']) {
    t.notMatch(lines.join('\n'), secret, 'secrets are not logged');
  }
});

t.test('without a provider', async (t) => {
  const { send, ada } = await start(t, { identity: null } as HarnessOptions);
  t.equal((await send('GET', '/v1/sign-in-ways')).json().provider, null);
  t.same((await send('GET', '/v1/identity', undefined, ada)).json(), { provider: null, identity: null });
  const begun = await send('POST', '/v1/session/provider/begin', { purpose: 'sign-in' });
  t.equal(outcome(begun), '409 identity_provider_missing');
  const answer = { token: 'x', state: 'x' };
  t.equal(outcome(await send('POST', '/v1/session/provider', answer)), '409 identity_provider_missing');
});
