// Every route succeeds once, in one story, and its answer is compared with the reference. A route that
// is not part of the story is named here and fails the test: the list of untested routes is empty.
// Runs in: soak
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { pack } from 'tar-stream';
import { notify } from '../../control-plane/access/app/notices.js';
import type { AnyRoute } from '../../control-plane/platform/http/route.js';
import { createAuthenticator } from '../harness/authenticator.js';
import { type BuildHost, startBuildHost } from '../harness/build-host.js';
import { type Harness, PASSWORD, startHarness } from '../harness/harness.js';
import { startIdentityProvider, type TestIdentityProvider, verified } from '../harness/identity-provider.js';
import { startReceiver } from '../harness/receiver.js';
import { sha256 } from '../harness/sha256.js';
import { someNotice } from '../harness/some-notice.js';
import { appCode } from '../harness/totp.js';
import { manifestOf, record, uploader } from '../harness/upload-bodies.js';

/** Sends what the story needs; `calls` are those of the API unless they say so. */
async function story(t: Test, h: Harness): Promise<void> {
  const host = await startBuildHost(h, { macs: 1, hours: 48 });
  for (const path of ['/me', '/account', '/catalog', '/pool', '/agent/start', '/openapi.json', '/status', '/queue']) {
    await h.call('GET', path);
  }

  await renting(h, host.rentals[0] ?? '');

  await h.call('PUT', '/secrets/TOKEN', { body: { value: 'hunter2' } });
  await h.call('GET', '/secrets');
  await h.call('DELETE', '/secrets/TOKEN');

  const webhook = await webhooks(t, h);

  const build = async () =>
    (await h.call('POST', '/builds', { body: { repo: 'owner/name', script: 'make' } })).json().id as string;
  const first = await build();
  const second = await build();
  await h.workers.idle();
  await host.start();
  await h.call('PATCH', `/builds/${second}`, { body: { priority: 1 } });
  await h.call('GET', '/builds');
  await h.call('GET', `/builds/${first}`);
  await host.output(first, 'hello\n');
  await h.call('GET', `/builds/${first}/log`);
  await h.call('GET', `/builds/${first}/log?offset=0`);
  await h.call('GET', `/builds/${first}/failure`);
  await host.finish(first);
  await h.call('GET', `/builds/${first}/wait`);
  await h.call('POST', `/builds/${second}/cancel`);
  await h.call('POST', `/builds/${(await h.call('POST', `/builds/${first}/rerun`)).json().id}/cancel`);

  const stopped = { outcome: 'stopped', stop_reason: 'cancelled_by_user' } as const;
  await host.finish(second, stopped);
  await maintenance(h, host);
  await h.call('GET', '/errors');
  await deliveries(h, webhook);

  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) await h.call(method, '/jobs');
  await h.call('POST', '/orders/RT-1/cancel');
  await h.call('DELETE', '/orders/RT-1');

  await files(h, second);
  await person(h);
  await signingIn(h);

  await h.callConsole('GET', '/openapi.json');
  await h.callConsole('POST', '/v1/leaked-keys', { body: { token: h.keys.read } });
}

/** The webhook's path. */
async function webhooks(t: Test, h: Harness): Promise<string> {
  const { url } = await startReceiver(t);
  const body = { url, events: ['build.queued'] };
  const path = `/webhooks/${(await h.call('POST', '/webhooks', { body })).json().id}`;
  await h.call('GET', '/webhooks');
  await h.call('GET', path);
  await h.call('PATCH', path, { body: { events: ['build.queued', 'build.failed'] } });
  await h.call('POST', `${path}/test`);
  await h.call('POST', `${path}/rotate`, { body: {} });
  return path;
}

async function deliveries(h: Harness, webhook: string): Promise<void> {
  const { deliveries } = (await h.call('GET', `${webhook}/deliveries`)).json();
  await h.call('POST', `${webhook}/deliveries/${deliveries[0].id}/redeliver`);
  await h.call('POST', `${webhook}/redeliver`, { body: { since: '2026-01-01' } });
  await h.call('DELETE', webhook);
}

async function person(h: Harness): Promise<void> {
  const first = { token: await h.firstOwner.issue(), email: 'first@example.com', password: PASSWORD };
  await h.callConsole('GET', '/v1/first-owner', { key: null });
  await h.callConsole('POST', '/v1/first-owner', { key: null, body: { ...first, organization: 'Mill' } });
  const cookie = await h.signIn('owner', { email: 'ada@example.com' });
  const org = `/v1/organizations/${h.org.orgId}`;
  const send = (method: string, path: string, body?: object) =>
    h.callConsole(method, path, { key: null, headers: { cookie }, ...(body ? { body } : {}) });
  await send('GET', '/v1/session');
  await send('PATCH', '/v1/session/user', { name: 'Ada' });
  await send('POST', '/v1/session/confirm', { password: PASSWORD });
  await send('GET', `/v1/locate?id=${(await h.call('GET', '/builds')).json().builds[0].id}`);
  await h.store.transaction((tx) => notify(tx, { ...h, mail: false }, { accountId: h.org.id, ...someNotice() }));
  const [notice] = (await send('GET', `${org}/notices`)).json().data;
  await send('POST', `${org}/notices/${notice.id}/read`);
  await send('GET', `${org}/audit`);
  const key = await send('POST', `${org}/api-keys`, { name: 'CI', levels: ['read'] });
  await send('GET', `${org}/api-keys`);
  await send('DELETE', `${org}/api-keys/${key.json().id}`);
  const workspace = `${org}/workspaces/${(await send('POST', `${org}/workspaces`, { name: 'iOS' })).json().id}`;
  await send('GET', `${org}/workspaces`);
  await send('PATCH', workspace, { name: 'Mobile' });
  await send('DELETE', workspace);
  await sharing(h, org, send);
  await members(h, cookie, org);
  await paying(h, (path, body) => send(body ? 'POST' : 'GET', `${org}/orders/${path}`, body));
  await credit(send, org);
  await send('DELETE', '/v1/session');
  const signIn = { email: 'ada@example.com', password: PASSWORD };
  const again = await h.callConsole('POST', '/v1/session', { key: null, body: signIn });
  await h.callConsole('POST', '/v1/session/password', {
    key: null,
    headers: { cookie: String(again.headers['set-cookie']).split(';', 1)[0] ?? '' },
    body: { current: PASSWORD, new: 'another battery' },
  });
}

/** In two steps, and with a passkey. */
async function signingIn(h: Harness): Promise<void> {
  const email = 'bea@example.com';
  const cookie = await h.signIn('owner', { email });
  const send = async (method: string, path: string, body?: object, signedIn = true) =>
    (
      await h.callConsole(method, path, {
        key: null,
        ...(signedIn ? { headers: { cookie } } : {}),
        ...(body ? { body } : {}),
      })
    ).json();
  await send('GET', '/v1/sign-in-ways', undefined, false);
  const authenticator = createAuthenticator(h.siteUrl);
  const { options } = await send('POST', '/v1/passkeys/options');
  const added = await send('POST', '/v1/passkeys', { name: 'Laptop', credential: authenticator.create(options) });
  await send('GET', '/v1/passkeys');
  await send('PATCH', `/v1/passkeys/${added.id}`, { name: 'Work laptop' });
  const asked = (await send('POST', '/v1/session/passkey/options', undefined, false)).options;
  await send('POST', '/v1/session/passkey', { credential: authenticator.sign(asked) }, false);
  await h.callConsole('DELETE', `/v1/passkeys/${added.id}`, { key: null, headers: { cookie } });

  await send('GET', '/v1/second-factors');
  const { secret } = await send('POST', '/v1/second-factors/totp');
  await send('POST', '/v1/second-factors/totp/confirm', { code: appCode(secret, h.clock.now()) });
  const { recovery_codes } = await send('POST', '/v1/second-factors/recovery-codes');
  const half = await send('POST', '/v1/session', { email, password: PASSWORD }, false);
  const step = { token: half.error.details.second_step, code: recovery_codes[0] };
  await send('POST', '/v1/session/second-step', step, false);
  await h.callConsole('DELETE', '/v1/second-factors/totp', { key: null, headers: { cookie } });
}

/** With an account at the identity provider. */
async function identityProvider(h: Harness, idp: TestIdentityProvider): Promise<void> {
  const cookie = await h.signIn('owner', { email: 'cleo@example.com' });
  const send = (method: string, path: string, body?: object, signedIn = true) =>
    h.callConsole(method, path, { key: null, ...(signedIn ? { headers: { cookie } } : {}), ...(body ? { body } : {}) });
  const answer = async (purpose: string) => {
    const { url, token } = (await send('POST', '/v1/session/provider/begin', { purpose }, false)).json();
    return { token, ...(await idp.visit(url, 'cleo')) };
  };
  await send('POST', '/v1/identity', await answer('link'));
  await send('GET', '/v1/identity');
  await send('POST', '/v1/session/provider', await answer('sign-in'), false);
  await send('DELETE', '/v1/identity');
}

/** The first build has an artifact. */
async function sharing(
  h: Harness,
  org: string,
  send: (method: string, path: string) => Promise<{ json(): { url: string } }>,
): Promise<void> {
  const { data } = (await h.callConsole('GET', '/v1/files?kind=artifact')).json();
  await send('GET', `${org}/builds/${data[0].job_id}/events`);
  const { url } = (await send('POST', `${org}/builds/${data[0].job_id}/share`)).json();
  const shared = `/v1/shared/${url.split('/').at(-1)}`;
  for (const path of ['', '/artifacts', `/artifacts/${data[0].id}`]) {
    await h.callConsole('GET', `${shared}${path}`, { key: null });
  }
  await send('DELETE', `${org}/builds/${data[0].job_id}/share`);
}

async function credit(
  send: (method: string, path: string, body?: object) => Promise<{ json(): { order_id: string } }>,
  org: string,
): Promise<void> {
  await send('GET', '/v1/fx-rates/today');
  const topUp = async () => {
    const { order_id } = (await send('POST', `${org}/topups`, { usd: 10 })).json();
    return `${org}/topups/${order_id}`;
  };
  const [paid, canceled] = [await topUp(), await topUp()];
  await send('GET', `${org}/topups`);
  await send('GET', paid);
  await send('POST', `${paid}/pay`, { consents: { terms: true, withdrawal: true } });
  await send('POST', `${paid}/confirm`, {});
  await send('POST', `${paid}/withdraw`, {});
  await send('POST', `${canceled}/cancel`, {});
  await send('GET', `${org}/credit`);
  await send('GET', `${org}/ledger`);
}

async function members(h: Harness, cookie: string, org: string): Promise<void> {
  const send = (method: string, path: string, body?: object) =>
    h.callConsole(method, path, { key: null, headers: { cookie }, ...(body ? { body } : {}) });
  const invite = async (email: string) => (await send('POST', `${org}/invites`, { email, role: 'admin' })).json();
  await send('DELETE', `${org}/invites/${(await invite('wrong@example.com')).id}`);
  const token = (await invite('bob@example.com')).accept_url.split('#')[1];
  await send('GET', `${org}/invites`);
  await h.callConsole('POST', '/v1/invites/lookup', { key: null, body: { token } });
  const body = { token, name: 'Bob', password: PASSWORD };
  const { user } = (await h.callConsole('POST', '/v1/invites/accept', { key: null, body })).json();
  await send('GET', `${org}/members`);
  await send('PATCH', `${org}/members/${user.id}`, { role: 'developer' });
  await send('DELETE', `${org}/members/${user.id}`);
  await h.callConsole('POST', '/v1/session', {
    key: null,
    body: { email: 'ada@example.com', password: PASSWORD },
  });
  const { data } = (await send('GET', '/v1/sessions')).json();
  await h.callConsole('GET', '/v1/password-reset', { key: null });
  await h.callConsole('POST', '/v1/password-reset/request', { key: null, body: { email: 'ada@example.com' } });
  const { resetUrl } = await h.parts.access.resets.issueTo('bob@example.com', async () => undefined);
  const reset = { token: resetUrl.split('#')[1], password: PASSWORD };
  await h.callConsole('POST', '/v1/password-reset/lookup', { key: null, body: { token: reset.token } });
  await h.callConsole('POST', '/v1/password-reset', { key: null, body: reset });
  await send('DELETE', `/v1/sessions/${data.find((one: { current: boolean }) => !one.current).id}`);
  await send('DELETE', '/v1/sessions');
}

async function paying(
  h: Harness,
  send: (path: string, body?: object) => Promise<{ json(): { credit: { price_micro_usd: number } } }>,
): Promise<void> {
  const order = async (days: number) => {
    const start = new Date(h.clock.now() + days * 24 * 3_600_000).toISOString();
    return (await h.call('POST', '/orders', { body: { tier: 'm4', hours: 24, start } })).json().order_no;
  };
  const [paid, canceled] = [await order(10), await order(12)];
  await send(paid);
  await send(`${paid}/pay`, { consents: { terms: true, withdrawal: true } });
  await send(`${paid}/confirm`, {});
  await send(`${canceled}/cancel`, {});
  const byCredit = await order(14);
  await h.parts.payments.credit.adjust(h.org.id, 100_000_000, 'a gift');
  const { price_micro_usd } = (await send(byCredit)).json().credit;
  await send(`${byCredit}/pay-with-credit`, { consents: { terms: true, withdrawal: true }, price_micro_usd });
}

/** Each change is done before the next one. */
async function maintenance(h: Harness, host: BuildHost): Promise<void> {
  const rental = host.rentals[0] ?? '';
  const changes: [string, string, Record<string, unknown>][] = [
    ['POST', `/rentals/${rental}/reset`, { keep_cache: true }],
    ['POST', '/rentals/reset', { all: true, keep_cache: true }],
    ['POST', `/rentals/${rental}/xcode`, { version: '16.1' }],
    ['POST', `/rentals/${rental}/xcode`, { version: '16.1' }],
    ['POST', '/rentals/xcode', { ids: [rental], version: '16.2' }],
    ['POST', '/rentals/batch', { action: 'xcode', rental_ids: [rental], xcode: '16.1' }],
    ['PATCH', `/rentals/${rental}`, { xcode: '16.2' }],
  ];
  for (const [method, path, body] of changes) {
    const answer = await h.call(method, path, { body });
    const { job_id } = answer.json().results?.[0] ?? answer.json();
    if (job_id) await h.call('GET', `/jobs/${job_id}`);
    await host.mac(rental, 'ready');
  }
}

async function renting(h: Harness, rentalId: string): Promise<void> {
  const wanted = { tier: 'm4', hours: 24 };
  await h.call('POST', '/quote', { body: wanted });
  const start = new Date(h.clock.now() + 72 * 3_600_000).toISOString();
  const { order_no } = (await h.call('POST', '/orders', { body: { ...wanted, start } })).json();
  await h.call('GET', '/rentals');
  await h.call('GET', `/rentals/${rentalId}`);
  await h.call('GET', `/rentals/${rentalId}/history`);
  const entry = (await h.call('POST', '/waitlist', { body: { tier: 'm4' } })).json();
  await h.call('GET', '/waitlist');
  await h.call('DELETE', `/waitlist/${entry.id}`);
  await h.call('GET', '/orders');
  await h.call('GET', `/orders/${order_no}`);
  await h.call('GET', `/orders/${order_no}/wait?timeout=1`);
  const one = { hours: 24 };
  const both = { ...one, rental_ids: [rentalId] };
  await h.call('POST', `/rentals/${rentalId}/extend/quote`, { body: one });
  await h.call('POST', '/rentals/extend/quote', { body: both });
  await h.call('POST', `/rentals/${rentalId}/extend`, { body: one });
  await h.pass(h.limits.pay_link_ms);
  await h.call('POST', '/rentals/extend', { body: both });
}

/** @param buildId leaves an artifact */
async function files(h: Harness, buildId: string): Promise<void> {
  const { announce, sendBlobs, sendTar } = uploader(h);
  const { id } = (await announce(manifestOf({ a: 'x' }))).json();
  await sendBlobs(id, [record('x')]);
  await h.call('GET', `/uploads/${id}`);
  const archive = pack();
  archive.entry({ name: 'a' }, 'x');
  archive.finalize();
  await sendTar(gzipSync(await buffer(archive)));

  const artifact = { buildId, attempt: 1, name: 'a.txt', bytes: 1, sha256: sha256('x') };
  await h.artifacts.store(artifact, Readable.from([Buffer.from('x')]));
  const { data } = (await h.callConsole('GET', '/v1/files?kind=artifact')).json();
  const { url } = (await h.inject({ method: 'GET', url: data[0].download_url, headers: bearer(h) })).json();
  await h.inject({ method: 'GET', url: url.slice(h.siteUrl.length) });
  await h.callConsole('POST', `/v1/jobs/${buildId}/artifacts/contents`, { body: { file_ids: [data[0].id] } });
  await h.callConsole('DELETE', `/v1/files/${id}`);
}

const bearer = ({ keys }: Harness) => ({ authorization: `Bearer ${keys.all}` });

function untested(routes: readonly AnyRoute[], seen: ReadonlySet<string>): string[] {
  return routes
    .filter((route) => {
      // It has no end: test/start/live.test.ts.
      if (route.staysOpen) return false;
      // A retired route has no success to show: its 410 is what it is for.
      const statuses = Object.keys(route.responses);
      const wanted = statuses.length > 0 ? statuses : ['410'];
      const path = route.path.replace(/:(\w+)/g, '{$1}');
      return !wanted.some((status) => seen.has(`${route.method} ${path} ${status}`));
    })
    .map((route) => `${route.method} ${route.path}`);
}

t.test('every route is called by a test', async (t) => {
  const lines: string[] = [];
  // Passkeys need a name on https.
  const siteUrl = 'https://cidermill.test';
  const idp = await startIdentityProvider(t, { accounts: { cleo: verified('cleo@example.com') }, siteUrl });
  const h = await startHarness(t, {
    siteUrl,
    identity: idp.config(),
    receivers: true,
    // Nobody answers there.
    smtpUrl: 'smtp://127.0.0.1:1',
    log: (line) => void lines.push(line),
  });
  await story(t, h);
  await identityProvider(h, idp);
  t.same(untested(h.api.routes, h.api.conformance.seen), []);
  t.same(untested(h.console.routes, h.console.conformance.seen), []);

  const entries = await h.store.all<{ action: string; result: string; target: string | null }>(
    'SELECT action, result, target FROM audit_log',
  );
  const done = new Set(entries.filter(({ result }) => result === 'ok').map(({ action }) => action));
  // This scenario builds with a key, which is not logged.
  const audited = [...h.api.routes.filter(({ level }) => level === 'manage'), ...h.console.routes]
    .filter(({ level, path }) => level !== 'build' || path.startsWith('/v1/organizations'))
    .flatMap(({ action }) => (action ? [action.name] : []));
  t.same(
    audited.filter((action) => !done.has(action)),
    [],
    'each change by a person or a key with the level manage is logged',
  );
  const vague = entries.filter(({ action, target }) => target === null && action !== 'waitlist.join');
  t.same(vague, [], 'each entry names what was changed');
  const alone = lines
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'recorded an action that changed nothing in the audit log')
    .map(({ action }) => action);
  // Confirming an order that is already paid changes nothing.
  t.same(
    [...new Set(alone)],
    ['order.confirm', 'top_up.confirm'],
    'all other entries were written in the transaction of their change',
  );
});

t.test('an uncalled route is reported', async (t) => {
  const h = await startHarness(t);
  const all = h.api.routes.map((route) => `${route.method} ${route.path}`);
  t.same(untested(h.api.routes, new Set()), all);
});
