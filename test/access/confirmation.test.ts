// Which requests want the person to confirm who they are, when, and by what.
import t from 'tap';
import { shiftSignIns } from '../../control-plane/access/store/open-spans.js';
import { SESSION_API_ROOT } from '../../control-plane/compose/http/apis.js';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';
import type { AnyRoute } from '../../control-plane/platform/http/route.js';
import { type Harness, PASSWORD, startHarness } from '../harness/harness.js';

const MINUTE = 60_000;

const asks = { limits: { session_confirm_ms: defaultLimits.session_confirm_ms } };

/** Routes of people; those of operators: test/admin/operator-sessions.test.ts. */
const asking = [
  ...['payOrder', 'payOrderWithCredit', 'payTopUp', 'withdrawTopUp'],
  ...['createApiKey', 'revokeApiKey'],
  ...['changeMember', 'removeMember', 'createInvite', 'revokeInvite'],
  ...['addPasskey', 'beginPasskey', 'removePasskey'],
  ...['linkIdentity', 'unlinkIdentity'],
  ...['renewRecoveryCodes', 'setUpTotp', 'turnOffTotp', 'turnOnTotp'],
  ...['setSecret', 'deleteSecret', 'createWebhook', 'rotateWebhookSecret'],
];

async function ownerOf(h: Harness) {
  const cookie = await h.signIn('owner', { email: 'ada@example.com' });
  const send = async (method: string, url: string, payload?: object, headers: Record<string, string> = { cookie }) => {
    const answer = await h.inject({
      method: method as 'GET',
      url,
      headers: { ...headers, 'service-error-format': '2' },
      ...(payload ? { payload } : {}),
    });
    return { status: answer.statusCode, body: answer.body === '' ? {} : answer.json() };
  };
  const codeOf = async (route: AnyRoute) => {
    const root = h.console.routes.includes(route) ? '/api/runner' : SESSION_API_ROOT;
    const path = (root + route.path).replace(':org_id', h.org.orgId).replaceAll(/:\w+/g, 'none');
    return (await send(route.method, path, {})).body.error?.code;
  };
  const confirm = (body: object) => send('POST', '/api/runner/v1/session/confirm', body);
  const secret = `${SESSION_API_ROOT.replace(':org_id', h.org.orgId)}/secrets/TOKEN`;
  const setSecret = async () => (await send('PUT', secret, { value: 'hush-hush' })).status;
  return { cookie, send, codeOf, confirm, setSecret };
}

t.test('money, keys, people and secrets ask again after 15 minutes', async (t) => {
  const h = await startHarness(t, asks);
  const { codeOf, confirm, setSecret } = await ownerOf(h);
  const routes = [...h.console.routes, ...h.api.routes];
  const confirmed = routes.filter((route) => route.confirm);
  t.same(confirmed.map(({ operationId }) => operationId).sort(), asking.toSorted(), 'these are all of them');
  await h.clock.advance(15 * MINUTE - 1);
  for (const route of confirmed) t.not(await codeOf(route), 'confirmation_required', route.operationId);
  t.equal(await setSecret(), 200, 'just before');
  await h.clock.advance(1);
  for (const route of confirmed) t.equal(await codeOf(route), 'confirmation_required', route.operationId);
  t.equal(
    (await h.call('PUT', '/secrets/TOKEN', { body: { value: 'of a key' } })).statusCode,
    200,
    'keys are not asked',
  );
  t.match(await confirm({ password: 'wrong' }), { status: 401, body: { error: { code: 'invalid_credentials' } } });
  t.equal(await setSecret(), 403);
  const until = new Date(h.clock.now() + 15 * MINUTE).toISOString();
  t.match(await confirm({ password: PASSWORD }), { status: 200, body: { confirmed_until: until } });
  t.equal(await setSecret(), 200, 'confirmed');
  await h.clock.advance(15 * MINUTE);
  t.equal(await setSecret(), 403, 'a confirmation does not last longer than a sign-in');
});

t.test('another session of the same person is not confirmed with it', async (t) => {
  const h = await startHarness(t, asks);
  const { confirm, send, setSecret } = await ownerOf(h);
  const credentials = { email: 'ada@example.com', password: PASSWORD };
  const second = await h.callConsole('POST', '/v1/session', { key: null, body: credentials });
  const cookie = String(second.headers['set-cookie']).split(';', 1)[0] ?? '';
  await h.clock.advance(15 * MINUTE);
  t.equal((await confirm({ password: PASSWORD })).status, 200);
  t.equal(await setSecret(), 200);
  const invites = `/api/runner/v1/organizations/${h.org.orgId}/invites`;
  const invite = { email: 'eve@example.com', role: 'developer' };
  t.match(await send('POST', invites, invite, { cookie }), { body: { error: { code: 'confirmation_required' } } });
});

t.test('the session says how it can be confirmed, and nothing else is accepted', async (t) => {
  const h = await startHarness(t, asks);
  const { send, confirm } = await ownerOf(h);
  t.match(await send('GET', '/api/runner/v1/session'), { body: { user: { confirm_ways: ['password'] } } });
  for (const body of [{}, { password: 1 }, { pin: '123456' }, { password: PASSWORD, code: '123456' }]) {
    t.match(await confirm(body), { status: 400, body: { error: { code: 'invalid_request' } } }, JSON.stringify(body));
  }
});

t.test('guesses in a stolen session are limited as at the sign-in', async (t) => {
  const h = await startHarness(t, asks);
  const { confirm } = await ownerOf(h);
  const codes: string[] = [];
  for (let guess = 0; guess < 30; guess++) codes.push((await confirm({ password: `${guess}` })).body.error.code);
  t.equal(codes[0], 'invalid_credentials');
  t.equal(codes.at(-1), 'rate_limited');
  t.equal((await confirm({ password: PASSWORD })).status, 429);
});

t.test('a step of the clock makes no old confirmation young', async (t) => {
  const h = await startHarness(t, asks);
  const { setSecret } = await ownerOf(h);
  await h.clock.advance(20 * MINUTE);
  t.equal(await setSecret(), 403);
  // The step is noticed while the service runs, so measured spans continue.
  await h.store.transaction((tx) => shiftSignIns(tx, -60 * MINUTE));
  t.equal(await setSecret(), 403);
  await h.store.transaction((tx) => shiftSignIns(tx, 45 * MINUTE));
  t.equal(await setSecret(), 403, '35 minutes old');
  // Set back by an hour while the service was stopped: the confirmation seems to lie in the future.
  await h.store.run('UPDATE sessions SET confirmed_at = :at', { at: h.clock.now() + 40 * MINUTE });
  t.equal(await setSecret(), 403);
});
