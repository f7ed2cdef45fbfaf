// API keys as the console makes and revokes them.
// Runs in: soak
import t from 'tap';
import { isKeyForm } from '../../control-plane/access/domain/api-key.js';
import { type Harness, START, startHarness } from '../harness/harness.js';

const HOUR = 3_600_000;

const console = (h: Harness, cookie: string, orgId = h.org.orgId) => {
  const send = (method: string, path: string, body?: object) =>
    h.inject({
      method: method as 'GET',
      url: `/api/runner/v1/organizations/${orgId}/api-keys${path}`,
      headers: { cookie },
      ...(body ? { payload: body } : {}),
    });
  return {
    list: async () => (await send('GET', '')).json().data,
    create: (body: object) => send('POST', '', body),
    revoke: (id: string) => send('DELETE', `/${id}`),
    send,
  };
};

t.test('an owner makes a key, sees it once, uses it and revokes it', async (t) => {
  const h = await startHarness(t);
  const keys = console(h, await h.signIn('owner'));
  await h.clock.advance(HOUR);
  const now = new Date(START + HOUR).toISOString();
  const made = await keys.create({ name: ' CI ', levels: ['read', 'build', 'read'] });
  t.equal(made.statusCode, 201);
  const { key, ...shown } = made.json();
  t.ok(isKeyForm(key));
  t.same(shown, {
    id: shown.id,
    name: 'CI',
    prefix: key.slice(0, 7),
    levels: ['read', 'build'],
    cidrs: [],
    workspace_id: h.org.workspaceId,
    expires_at: null,
    created_at: now,
    created_by: { user_id: shown.created_by.user_id, email: `owner-${h.org.id}@example.com` },
    last_used_at: null,
    revoked_at: null,
    revoked_reason: null,
    leaked_url: null,
  });
  t.match(await keys.list(), [shown]);
  t.notMatch(JSON.stringify(await keys.list()), key);
  t.notMatch(JSON.stringify(await h.store.all('SELECT * FROM api_keys')), key);

  t.equal((await h.call('GET', '/me', { key })).json().key.id, shown.id);
  await h.apiKeys.close();
  t.equal((await keys.list())[0].last_used_at, now);

  t.equal((await keys.revoke(shown.id)).statusCode, 204);
  t.equal((await h.call('GET', '/me', { key })).json().error.code, 'invalid_api_key');
  t.match((await keys.list())[0], {
    id: shown.id,
    revoked_at: now,
    revoked_reason: 'manual',
  });
  await h.clock.advance(HOUR);
  t.equal((await keys.revoke(shown.id)).statusCode, 204, 'again, to no effect');
  t.equal((await keys.list())[0].revoked_at, now);
});

t.test('ranges and expiry of a key hold', async (t) => {
  const h = await startHarness(t);
  const keys = console(h, await h.signIn('admin'));
  const made = await keys.create({
    name: 'office',
    levels: ['read'],
    cidrs: ['10.1.2.3/8', '192.0.2.7', '10.0.0.0/8', '2001:DB8::1/32'],
    expires_at: '2026-03-01T19:00:00+09:00',
    workspace_id: h.org.workspaceId,
  });
  const { key, ...shown } = made.json();
  t.same(shown.cidrs, ['10.0.0.0/8', '192.0.2.7/32', '2001:db8::/32']);
  t.equal(shown.expires_at, '2026-03-01T10:00:00.000Z');
  const from = (remoteAddress: string) =>
    h.inject({ url: '/api/v1/me', headers: { authorization: `Bearer ${key}` }, remoteAddress });
  t.equal((await from('10.200.0.1')).statusCode, 200);
  t.equal((await from('192.0.2.8')).json().error, 'ip_not_allowed');
  await h.clock.advance(HOUR);
  t.equal((await from('10.200.0.1')).json().error, 'invalid_api_key');
});

t.test('each invalid field of a new key is refused with its name', async (t) => {
  const h = await startHarness(t, { limits: { keys: 6 } });
  const keys = console(h, await h.signIn('owner'));
  const good = { name: 'x', levels: ['read'] };
  for (const [body, field, problem = {}] of [
    [{ levels: ['read'] }, 'name'],
    [{ ...good, name: '  ' }, 'name', { code: 'required' }],
    [{ ...good, name: 'x'.repeat(101) }, 'name', { code: 'too_long', params: { most: 100 } }],
    [{ ...good, name: 'a\u0007b' }, 'name'],
    [{ ...good, name: null }, 'name'],
    [{ name: 'x' }, 'levels'],
    [{ ...good, levels: [] }, 'levels'],
    [
      { ...good, levels: ['admin'] },
      'levels',
      { path: 'levels.0', code: 'invalid_choice', params: { choices: 'read, build, manage' } },
    ],
    [{ ...good, levels: 'read' }, 'levels'],
    [{ ...good, cidrs: ['10.0.0.0/33'] }, 'cidrs', { path: 'cidrs.0', code: 'invalid_range' }],
    [{ ...good, cidrs: ['10.0.0.0/8', 'example.com'] }, 'cidrs', { path: 'cidrs.1', params: { value: 'example.com' } }],
    [{ ...good, cidrs: Array.from({ length: 51 }, (_, n) => `10.0.0.${n}`) }, 'cidrs'],
    [{ ...good, expires_at: '2026-03-01T09:00:00Z' }, 'expires_at'],
    [{ ...good, name: 'ci\u2066\u202e' }, 'name'],
    [{ ...good, expires_at: 'tomorrow' }, 'expires_at'],
    [{ ...good, expires_at: START + HOUR }, 'expires_at'],
    [{ ...good, workspace_id: h.other.workspaceId }, 'workspace_id'],
    [{ ...good, workspace_id: 'ws_none' }, 'workspace_id'],
    [{ ...good, workspace_id: 7 }, 'workspace_id'],
  ] as readonly [body: object, field: string, problem?: object][]) {
    const answer = await keys.create(body);
    t.equal(answer.statusCode, 400, JSON.stringify(body));
    const said = { field, path: field, text: String, ...problem };
    t.match(answer.json().error, { code: 'invalid_request', details: { fields: [field], problems: [said] } });
  }
  for (const field of [{ account_id: h.other.id }, { key: 'mine' }, { hash: 'x' }]) {
    t.equal((await keys.create({ ...good, ...field })).statusCode, 400, JSON.stringify(field));
  }
  const first = (await keys.create(good)).json();
  t.equal((await h.call('GET', '/me', { key: first.key })).json().account.org_id, h.org.orgId);
  t.equal((await keys.create({ ...good, expires_at: null, workspace_id: null })).statusCode, 201);
  t.equal((await keys.create(good)).json().error.code, 'keys_limit', 'four of the harness and two');
  await keys.revoke(first.id);
  t.equal((await keys.create(good)).statusCode, 201, 'a revoked one does not count');
});

t.test('keys in pages: all, those that can be used, leaked ones, of one person or workspace', async (t) => {
  const h = await startHarness(t);
  const cookie = await h.signIn('owner');
  const owner = console(h, cookie);
  const read = async (query: string) => (await owner.send('GET', query)).json();
  const made = await Promise.all(['a', 'b', 'c'].map((name) => owner.create({ name, levels: ['read'] })));
  const [a, b] = made.map((answer) => answer.json().id);
  await owner.revoke(a);
  await h.store.run(`UPDATE api_keys SET revoked_reason = 'leaked' WHERE key_id = :a`, { a });
  const whole = await read('');
  t.match(whole, { data: { length: 7 }, total: 7, next_cursor: null });
  const pages = [];
  for (let cursor = ''; ; ) {
    const page = await read(`?limit=3${cursor}`);
    pages.push(...page.data);
    if (page.next_cursor === null) break;
    cursor = `&cursor=${page.next_cursor}`;
  }
  t.same(pages, whole.data);
  const names = async (query: string) => (await read(query)).data.map(({ name }: { name: string }) => name).sort();
  const me = (await h.callConsole('GET', '/v1/session', { key: null, headers: { cookie } })).json().user.id;
  t.same(await names(`?created_by=${me}`), ['a', 'b', 'c']);
  t.same(await names(`?created_by=${me}&state=usable`), ['b', 'c']);
  await h.store.run('UPDATE api_keys SET expires_at = :now WHERE key_id = :b', { now: h.clock.now(), b });
  t.same(await names(`?created_by=${me}&state=usable`), ['c'], 'without expired ones');
  t.same(await names('?state=leaked'), ['a']);
  const second = (await h.parts.access.workspaces.create(h.org.id, 'iOS')).workspaceId;
  t.same(await names(`?workspace_id=${second}`), []);
  t.equal((await names(`?workspace_id=${h.org.workspaceId}`)).length, 7);
  t.equal((await owner.send('GET', '?state=old')).json().error.code, 'invalid_request');
});
