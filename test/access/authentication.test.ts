import t from 'tap';
import { createKey, keyChecksum } from '../../control-plane/access/domain/api-key.js';
import type { Level } from '../../control-plane/platform/domain/caller.js';
import { levels } from '../../control-plane/platform/domain/caller.js';
import type { AnyRoute } from '../../control-plane/platform/http/route.js';
import { bearer } from '../harness/answer.js';
import { type Harness, START, startHarness } from '../harness/harness.js';
import { testRoute } from '../harness/test-route.js';

const DAY_MS = 86_400_000;

/** One route of the API for each level, and two of the console's API. */
const probe = (level: Level): AnyRoute =>
  testRoute({
    method: 'POST',
    path: `/probe/${level}`,
    level,
    summary: 'For tests',
    responses: { 200: 'text/plain' },
    handle: async () => ({ status: 200, type: 'text/plain', body: 'in' }),
  });
const consoleProbes: readonly AnyRoute[] = [
  { ...probe('read'), path: '/v1/probe/read' },
  { ...probe('build'), path: '/v1/probe/run' },
  { ...probe('read'), path: '/v1/probe/console', consoleOnly: true },
];

const start = (t: Parameters<typeof startHarness>[0], options: Parameters<typeof startHarness>[1] = {}) =>
  startHarness(t, {
    ...options,
    extraRoutes: () => levels.map(probe),
    extraConsoleRoutes: () => consoleProbes,
  });

/** Status and code of both APIs for the same headers. */
async function codes(service: Harness, headers: Record<string, string>, address = '127.0.0.1') {
  const send = async (url: string) => {
    const answer = await service.inject({ method: 'POST', url, headers, remoteAddress: address });
    return answer.statusCode === 200 ? 'in' : `${answer.statusCode} ${errorCode(answer.json())}`;
  };
  return { a: await send('/api/v1/probe/manage'), b: await send('/api/runner/v1/probe/read') };
}

function errorCode(body: { error: string | { code: string } }): string {
  return typeof body.error === 'string' ? body.error : body.error.code;
}

const both = (code: string) => ({ a: code, b: code });

t.test('the form of the header decides between api_key_required and the rest', async (t) => {
  const service = await start(t);
  const { keys } = service;
  t.same(await codes(service, {}), both('401 api_key_required'));
  for (const authorization of [
    '',
    'Bearer',
    'Bearer ',
    'Basic dXNlcjpwYXNz',
    keys.all,
    `Token ${keys.all}`,
    `Bearer ${keys.all} ${keys.all}`,
    `Bearer ${keys.all}, Bearer ${keys.all}`,
    `Bearer\t${keys.all}`,
    'Bearer schlüssel',
  ]) {
    t.same(await codes(service, { authorization }), both('401 api_key_required'), authorization);
  }
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
    t.same(await codes(service, { authorization: `${scheme} ${keys.all}` }), both('in'), scheme);
  }
  t.same(await codes(service, { authorization: `Bearer  ${keys.all}` }), both('in'), 'more spaces');
  t.same(await codes(service, { cookie: `cidermill_session=${keys.all}` }), both('401 api_key_required'));
  const query = await service.inject({ url: `/api/v1/me?api_key=${keys.all}` });
  t.equal(query.statusCode, 401, 'a key in the query is no key');
});

t.test('every invalid key gets invalid_api_key; a missing key gets another error', async (t) => {
  const service = await start(t);
  const { keys } = service;
  const flipped = keys.all.slice(0, -1) + (keys.all.endsWith('0') ? '1' : '0');
  for (const key of [
    'x',
    createKey(),
    flipped,
    keys.all.toLowerCase(),
    keys.all.slice(0, -1),
    `${keys.all}0`,
    keys.all.replace('cm_', 'mk_'),
    `mk_${'a'.repeat(30)}${keyChecksum('a'.repeat(30))}`,
  ]) {
    t.same(await codes(service, bearer(key)), both('401 invalid_api_key'), key);
  }
});

t.test('the checks come in their order: each key below fails at one and would fail at all later ones', async (t) => {
  const service = await start(t);
  const { store, apiKeys, clock, call } = service;
  // From an address outside the key's ranges and without the needed level: what the later checks would refuse.
  const make = async () => service.createKey(['read'], { cidrs: ['192.0.2.0/24'], expiresAt: START + DAY_MS });
  const keyId = async (key: string) => {
    const known = await apiKeys.recognize(key);
    return known?.key.keyId ?? '';
  };
  const account = (status: string) => async (key: string) => {
    const slug = `org-${status}`;
    const { id } = await service.organizations.create({ name: slug, slug });
    await store.run('UPDATE organizations SET status = :status WHERE id = :id', { id, status });
    await store.run(
      `UPDATE api_keys SET account_id = :id, workspace_id =
           (SELECT workspace_id FROM workspaces WHERE account_id = :id) WHERE key_id = :key`,
      { id, key: await keyId(key) },
    );
  };
  const table: readonly [string, (key: string) => Promise<unknown>, { a: string; b: string }][] = [
    [
      'revoked by a person',
      async (key) => apiKeys.revoke({ keyId: await keyId(key) }, 'manual'),
      both('401 invalid_api_key'),
    ],
    [
      'revoked after a leak',
      (key) => apiKeys.revoke({ token: key }, 'leaked'),
      { a: '401 invalid_api_key', b: '401 api_key_revoked_leaked' },
    ],
    [
      'expired',
      async (key) =>
        store.run('UPDATE api_keys SET expires_at = :now WHERE key_id = :id', {
          now: clock.now(),
          id: await keyId(key),
        }),
      both('401 invalid_api_key'),
    ],
    [
      'linked to no account',
      async (key) =>
        store.run('UPDATE api_keys SET account_id = NULL, workspace_id = NULL WHERE key_id = :id', {
          id: await keyId(key),
        }),
      both('403 organization_required'),
    ],
    ['of a closed account', account('closed'), both('401 invalid_api_key')],
    ['of a suspended account', account('suspended'), both('403 organization_suspended')],
    ['from another address', async () => {}, both('403 ip_not_allowed')],
  ];
  for (const [name, spoil, expected] of table) {
    const key = await make();
    await spoil(key);
    t.same(await codes(service, bearer(key)), expected, name);
  }
  const inside = await make();
  t.same(
    await codes(service, bearer(inside), '192.0.2.9'),
    { a: '403 api_key_read_only', b: 'in' },
    'the level is last',
  );
  t.equal((await call('GET', '/me')).statusCode, 200);
});

t.test('levels are independent, and each lack has its code', async (t) => {
  const service = await start(t);
  for (let bits = 1; bits < 8; bits++) {
    const held = levels.filter((_, i) => bits & (1 << i));
    const key = await service.createKey(held);
    for (const required of levels) {
      const answer = await service.call('POST', `/probe/${required}`, { key });
      const about = `${held.join('+')} calls ${required}`;
      if (held.includes(required)) {
        t.equal(answer.statusCode, 200, about);
        continue;
      }
      t.equal(answer.statusCode, 403, about);
      const expected =
        required === 'read'
          ? 'api_key_write_only'
          : held.join() === 'read'
            ? 'api_key_read_only'
            : 'insufficient_scope';
      t.match(answer.json().error, {
        code: expected,
        fault: 'client',
        retryable: false,
        required_level: required,
        required_scope: `agent:${required}`,
        key_levels: held,
      });
    }
    const mayRun = held.includes('build') || held.includes('manage');
    t.equal((await service.callConsole('POST', '/v1/probe/read', { key })).statusCode, 200);
    const run = await service.callConsole('POST', '/v1/probe/run', { key });
    t.equal(mayRun ? run.statusCode : run.json().error.code, mayRun ? 200 : 'insufficient_permission');
  }
});

t.test('an endpoint for people answers a key and a missing credential with different errors', async (t) => {
  const { callConsole } = await start(t);
  const withKey = await callConsole('POST', '/v1/probe/console');
  t.equal(withKey.statusCode, 403);
  t.equal(withKey.json().error.code, 'console_only');
  const anyKey = await callConsole('POST', '/v1/probe/console', { key: 'whatever' });
  t.equal(anyKey.json().error.code, 'console_only');
  const nobody = await callConsole('POST', '/v1/probe/console', { key: null });
  t.equal(nobody.statusCode, 401);
  t.equal(nobody.json().error.code, 'session_required');
});

t.test('an unknown path is 404 before a key is checked; an unsupported method is 405', async (t) => {
  const { inject } = await start(t);
  for (const url of ['/api/v1/nothing', '/api/v1', '/api/v1/', '/api/v1/me/', '/api/v1/ME', '/api/v2/me']) {
    t.equal((await inject({ url })).statusCode, 404, url);
  }
  const unknown = await inject({ url: '/api/v1/nothing', headers: { 'service-error-format': '2' } });
  t.equal(unknown.json().error.code, 'not_found');
  t.equal((await inject({ url: '/api/runner/v1/nothing' })).json().error.code, 'not_found');
  t.equal((await inject({ url: '/nothing' })).json().error.code, 'not_found');
  const foreign = await inject({ method: 'DELETE', url: '/api/v1/secrets' });
  t.equal(foreign.statusCode, 405);
  t.equal(foreign.json().error, 'method_not_allowed');
  t.equal(foreign.headers.allow, 'GET, HEAD, OPTIONS');
  const options = await inject({ method: 'OPTIONS', url: '/api/v1/secrets/X' });
  t.equal(options.statusCode, 204);
  t.equal(options.headers.allow, 'DELETE, OPTIONS, PUT');
  t.equal((await inject({ method: 'OPTIONS', url: '/api/v1/nothing' })).statusCode, 404);
});

t.test('the address is the socket’s; behind a trusted proxy the last one that is not trusted', async (t) => {
  const service = await start(t, { trustedProxies: ['10.0.0.0/8', '::1'] });
  const key = await service.createKey(['manage', 'read'], { cidrs: ['203.0.113.0/24', '2001:db8::/32'] });
  const enter = async (socket: string, forwarded?: string) =>
    (
      await codes(
        service,
        { ...bearer(key), ...(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }) },
        socket,
      )
    ).a;
  const table: readonly [string, string | undefined, 'in' | '403 ip_not_allowed'][] = [
    ['203.0.113.5', undefined, 'in'],
    ['::ffff:203.0.113.5', undefined, 'in'],
    ['::ffff:cb00:7105', undefined, 'in'],
    ['2001:db8::1', undefined, 'in'],
    ['198.51.100.1', undefined, '403 ip_not_allowed'],
    ['198.51.100.1', '203.0.113.5', '403 ip_not_allowed'],
    ['203.0.113.5', '198.51.100.1', 'in'],
    ['10.0.0.1', '203.0.113.5', 'in'],
    ['::ffff:10.0.0.1', '203.0.113.5', 'in'],
    ['::1', '203.0.113.5', 'in'],
    ['10.0.0.1', '203.0.113.5, 198.51.100.1', '403 ip_not_allowed'],
    ['10.0.0.1', '198.51.100.1, 203.0.113.5', 'in'],
    ['10.0.0.1', '203.0.113.5, 10.2.3.4', 'in'],
    ['10.0.0.1', '203.0.113.5:4711', 'in'],
    ['10.0.0.1', '[2001:db8::7]:4711', 'in'],
    ['10.0.0.1', '203.0.113.5, nonsense', '403 ip_not_allowed'],
    ['10.0.0.1', undefined, '403 ip_not_allowed'],
    ['10.0.0.1', ' , ', '403 ip_not_allowed'],
  ];
  for (const [socket, forwarded, expected] of table) {
    t.equal(await enter(socket, forwarded), expected, `${socket} forwards ${forwarded}`);
  }
});

t.test('when a key was last used is written, but not with every request', async (t) => {
  const { call, store, clock, apiKeys } = await start(t);
  const read = async () => {
    await apiKeys.close();
    const row = await store.get<{ at: number }>(
      "SELECT last_used_at AS at FROM api_keys WHERE name = 'read+build+manage' AND account_id = 1",
    );
    return row?.at;
  };
  await call('GET', '/me');
  t.equal(await read(), START);
  await clock.advance(59_000);
  await call('GET', '/me');
  t.equal(await read(), START);
  await clock.advance(1_000);
  await call('GET', '/me');
  t.equal(await read(), START + 60_000);
});

t.test('a key ends in the very millisecond of its expiry', async (t) => {
  const { call, clock, createKey: create } = await start(t);
  const key = await create(['read'], { expiresAt: START + 1_000 });
  await clock.advance(999);
  t.equal((await call('GET', '/me', { key })).statusCode, 200);
  await clock.advance(1);
  t.equal((await call('GET', '/me', { key })).json().error.code, 'invalid_api_key');
});

t.test('guessing keys is slowed down, for the guesser only', async (t) => {
  const service = await start(t, { limits: { failed_keys_per_minute: 5 } });
  const guess = (remoteAddress: string) =>
    service.inject({ url: '/api/v1/me', headers: bearer('guess'), remoteAddress });
  for (let i = 0; i < 5; i++) t.equal((await guess('2001:db8::1')).statusCode, 401);
  const slowed = await guess('2001:db8::2');
  t.equal(slowed.statusCode, 429, 'the same /64 is the same guesser');
  t.equal(slowed.headers['retry-after'], '12');
  t.equal((await guess('2001:db8:0:1::1')).statusCode, 401);
  const good = await service.inject({
    url: '/api/v1/me',
    headers: bearer(service.keys.all),
    remoteAddress: '2001:db8::1',
  });
  t.equal(good.statusCode, 200, 'a good key from there still works');
  await service.clock.advance(12_000);
  t.equal((await guess('2001:db8::1')).statusCode, 401);
});
