// The audit log: which requests write entries, what the entries contain, and that nobody can change them.
// Runs in: soak
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { pack } from 'tar-stream';
import { PASSWORD, startHarness } from '../harness/harness.js';
import { refuseWrites } from '../harness/refuse-writes.js';
import { manifestOf } from '../harness/upload-bodies.js';
import { brief, entriesOf } from './audit-entries.js';

t.test('an entry records actor, action and address', async (t) => {
  const h = await startHarness(t);
  const cookie = await h.signIn('owner', { email: 'ada@example.com' });
  const send = (method: string, path: string, body?: object) =>
    h.callConsole(method, `/v1/organizations/${h.org.orgId}${path}`, {
      key: null,
      headers: { cookie },
      ...(body ? { body } : {}),
    });
  const made = (await send('POST', '/api-keys', { name: 'CI', levels: ['manage'] })).json();
  await send('DELETE', `/api-keys/${made.id}`);
  await send('DELETE', '/api-keys/key_none');
  // Failures are written a moment later.
  await entriesOf(h);
  await h.call('PUT', '/secrets/TOKEN', { body: { value: 'hunter2hunter2' } });
  await h.call('PUT', '/secrets/TOKEN', { key: h.keys.read, body: { value: 'x' } });
  const [{ userId = '' } = {}] = await h.users.page({ after: null, limit: 1 });
  const person = { actorKind: 'person', actorId: userId, actorName: 'ada@example.com', ip: '127.0.0.1' };
  const key = { actorKind: 'api_key', actorName: 'read+build+manage', ip: '127.0.0.1' };
  const found = await entriesOf(h);
  t.match(found, [
    { ...person, accountId: null, action: 'session.create', target: userId, result: 'ok' },
    {
      ...person,
      accountId: h.org.id,
      orgId: h.org.orgId,
      action: 'api_key.create',
      target: made.id,
      result: 'ok',
    },
    { ...person, accountId: h.org.id, action: 'api_key.revoke', target: made.id, result: 'ok' },
    { ...person, action: 'api_key.revoke', target: 'key_none', result: 'not_found' },
    { ...key, accountId: h.org.id, action: 'secret.set', target: 'TOKEN', result: 'ok', count: 1 },
    { actorName: 'read', action: 'secret.set', target: 'TOKEN', result: 'api_key_read_only' },
  ]);
  t.equal(found.length, 6);
  t.equal(found[1]?.at, h.clock.now());
});

t.test('a change and its entry are committed together or not at all', async (t) => {
  const h = await startHarness(t);
  const cookie = await h.signIn('owner');
  await refuseWrites(h.store, 'audit_log');
  const keys = (await h.apiKeys.list(h.org.id)).length;
  const body = { name: 'CI', levels: ['read'] };
  const path = `/v1/organizations/${h.org.orgId}/api-keys`;
  const made = await h.callConsole('POST', path, { key: null, headers: { cookie }, body });
  t.equal(made.statusCode, 500);
  t.equal((await h.apiKeys.list(h.org.id)).length, keys);
  t.equal((await h.call('PUT', '/secrets/TOKEN', { body: { value: 'hunter2' } })).statusCode, 500);
  t.same((await h.call('GET', '/secrets')).json().secrets, []);
});

t.test('entries can be neither changed nor deleted', async (t) => {
  const h = await startHarness(t);
  await h.call('PUT', '/secrets/TOKEN', { body: { value: 'hunter2' } });
  const refused = /neither changed nor deleted/;
  await t.rejects(h.store.run(`UPDATE audit_log SET result = 'ok'`), refused);
  await t.rejects(h.store.run('DELETE FROM audit_log'), refused);
  if (h.store.dialect === 'sqlite') {
    await t.rejects(h.store.run('REPLACE INTO audit_log SELECT * FROM audit_log'), refused);
  }
  t.equal((await entriesOf(h)).length, 1);
});

t.test('owners can list the entries of their organization in pages', async (t) => {
  const h = await startHarness(t);
  const cookie = await h.signIn('owner');
  for (let i = 0; i < 5; i++) await h.call('PUT', `/secrets/NAME_${i}`, { body: { value: 'hunter2' } });
  await h.call('PUT', '/secrets/OTHERS', { key: h.other.key, body: { value: 'hunter2' } });
  await h.auditLog.write(
    {
      accountId: h.org.id,
      actorKind: 'operator',
      actorId: '0',
      actorName: 'root',
      ip: '192.0.2.9',
      action: 'organization.suspend',
      target: h.org.orgId,
    },
    'ok',
  );
  const read = async (query: string, as = cookie, org = h.org.orgId) =>
    h.callConsole('GET', `/v1/organizations/${org}/audit${query}`, { key: null, headers: { cookie: as } });
  const first = (await read('?limit=4')).json();
  t.match(first.data, [
    // Customers do not see the name of the operator.
    { actor: { kind: 'operator', id: null, name: null }, ip: null, action: 'organization.suspend' },
    {
      at: /Z$/,
      actor: { kind: 'api_key' },
      ip: '127.0.0.1',
      action: 'secret.set',
      target: 'NAME_4',
      result: 'ok',
    },
    { target: 'NAME_3' },
    { target: 'NAME_2' },
  ]);
  const second = (await read(`?limit=4&cursor=${first.next_cursor}`)).json();
  t.match(second, { data: [{ target: 'NAME_1' }, { target: 'NAME_0' }], next_cursor: null });
  t.equal(second.data.length, 2);
  t.equal((await read('?cursor=nonsense')).statusCode, 400);
});

t.test('the revocation of a leaked key has an unknown actor', async (t) => {
  const h = await startHarness(t);
  await h.callConsole('POST', '/v1/leaked-keys', { key: null, body: { token: h.keys.read } });
  await h.callConsole('POST', '/v1/leaked-keys', { key: null, body: { token: h.keys.read } });
  const [key] = (await h.apiKeys.list(h.org.id)).filter(({ revokedAt }) => revokedAt !== null);
  t.same((await entriesOf(h)).map(brief), [
    { actorKind: 'anonymous', action: 'api_key.revoke_leaked', target: key?.keyId, result: 'ok', count: 1 },
  ]);
});

t.test('creating the first owner is logged, and so is a wrong token', async (t) => {
  const h = await startHarness(t);
  const claim = { email: 'first@example.com', password: PASSWORD, organization: 'Mill' };
  const send = async (token: string | null) =>
    h.callConsole('POST', '/v1/first-owner', { key: null, body: { ...claim, token } });
  await send('cme_guessed');
  await send(await h.firstOwner.issue());
  // Failures are written in batches, so either may be the first.
  const [failed, made] = (await entriesOf(h)).toSorted((a, b) => a.result.localeCompare(b.result));
  t.match(failed, {
    actorKind: 'anonymous',
    action: 'organization.create_first',
    result: 'forbidden',
    target: null,
  });
  t.match(made, {
    actorKind: 'person',
    actorName: 'first@example.com',
    action: 'organization.create_first',
    result: 'ok',
    target: /^org_/,
  });
});

t.test('builds and uploads of people are logged', async (t) => {
  const lines: string[] = [];
  const h = await startHarness(t, { log: (line) => void lines.push(line) });
  const cookie = await h.signIn('developer');
  const before = (await entriesOf(h)).length;
  const send = async (method: 'POST' | 'PATCH', path: string, body: object | Buffer) => {
    const gzip = Buffer.isBuffer(body);
    const answer = await h.inject({
      method,
      url: `/api/runner/v1/organizations/${h.org.orgId}/agent${path}`,
      headers: { cookie, 'content-type': gzip ? 'application/gzip' : 'application/json' },
      payload: gzip ? body : JSON.stringify(body),
    });
    t.match(String(answer.statusCode), /^20/, answer.body);
    return answer.json().id as string;
  };
  const upload = await send('POST', '/uploads', gzipSync(JSON.stringify(manifestOf({ a: 'x' }))));
  const archive = pack();
  archive.entry({ name: 'a' }, 'x');
  archive.finalize();
  const tar = await send('POST', '/uploads/tar', gzipSync(await buffer(archive)));
  const build = await send('POST', '/builds', {
    repo: 'owner/name',
    script: 'make',
    queue_until_rental: true,
  });
  await send('PATCH', `/builds/${build}`, { priority: 1 });
  await send('POST', `/builds/${build}/cancel`, {});
  const person = { actorKind: 'person', result: 'ok', accountId: h.org.id };
  t.match((await entriesOf(h)).slice(before), [
    { ...person, action: 'upload.create', target: upload },
    { ...person, action: 'upload.create', target: tar },
    { ...person, action: 'build.create', target: build },
    { ...person, action: 'build.prioritize', target: build },
    { ...person, action: 'build.cancel', target: build },
  ]);
  t.notMatch(lines.join(''), /an action without a change/, 'every entry was written in the transaction of its change');
});

t.test('a replayed request is logged once', async (t) => {
  const h = await startHarness(t);
  const send = () =>
    h.call('PUT', '/secrets/TOKEN', { body: { value: 'hunter2' }, headers: { 'idempotency-key': 'once' } });
  await send();
  t.equal((await send()).headers['idempotent-replayed'], 'true');
  t.equal((await entriesOf(h)).length, 1);
});

t.test('entries contain no secrets', async (t) => {
  const h = await startHarness(t);
  const canary = 'c4n4ryc4n4ryc4n4ry';
  const cookie = await h.signIn('owner', { email: 'ada@example.com' });
  const people = { key: null, headers: { cookie } };
  const org = `/v1/organizations/${h.org.orgId}`;
  const made = await h.callConsole('POST', `${org}/api-keys`, {
    ...people,
    body: { name: 'CI', levels: ['read'] },
  });
  const { key } = made.json();
  await h.call('PUT', '/secrets/TOKEN', { body: { value: canary } });
  await h.call('POST', '/webhooks', { body: { url: `https://hooks.example.com/${canary}` } });
  await h.callConsole('POST', '/v1/session', { key: null, body: { email: canary, password: canary } });
  await h.callConsole('POST', '/v1/session', {
    key: null,
    body: { email: 'ada@example.com', password: canary },
  });
  await h.callConsole('POST', '/v1/session/password', { ...people, body: { current: canary, new: canary } });
  await h.callConsole('POST', '/v1/leaked-keys', { key: null, body: { token: h.keys.read } });
  // Stands in the place of an identifier.
  await h.callConsole('DELETE', `${org}/api-keys/${key}`, people);
  await h.callConsole('DELETE', `${org}/api-keys/${encodeURIComponent(`${canary} \u001b[31m\u202e`)}`, people);
  await h.callConsole('DELETE', `${org}/api-keys/whsec_${canary}`, people);
  const text = JSON.stringify(await h.store.all('SELECT * FROM audit_log'));
  const entries = await entriesOf(h);
  t.ok(entries.length >= 10);
  const secrets = [key, ...Object.values(h.keys), cookie.split('=')[1] ?? '', canary, PASSWORD];
  for (const secret of secrets) t.notOk(text.includes(secret) || JSON.stringify(entries).includes(secret), secret);
});

t.test('owners filter the log, and export it without the identity of operators', async (t) => {
  const h = await startHarness(t);
  const cookie = await h.signIn('owner');
  const read = (query: string) =>
    h.callConsole('GET', `/v1/organizations/${h.org.orgId}/audit${query}`, { key: null, headers: { cookie } });
  const found = async (query: string) =>
    (await read(query))
      .json()
      .data.map(({ action, target }: { action: string; target: string }) => `${action} ${target}`);
  for (const name of ['FIRST', 'SECOND']) {
    await h.call('PUT', `/secrets/${name}`, { body: { value: 'hunter2hunter2' } });
    await h.clock.advance(1_000);
  }
  const middle = new Date(h.clock.now() - 1_000).toISOString();
  await h.call('PUT', '/secrets/THIRD', { key: h.keys.read, body: { value: 'x' } });
  const operator = {
    accountId: h.org.id,
    actorKind: 'operator',
    actorId: '0',
    actorName: 'eve',
    ip: '10.0.0.1',
  } as const;
  await h.auditLog.write({ ...operator, action: 'organization.suspend', target: h.org.orgId }, 'ok');
  t.same(await found('?action=secret&failed=false'), ['secret.set SECOND', 'secret.set FIRST']);
  t.same(await found('?action=secret.set&failed=true'), ['secret.set THIRD']);
  t.same(await found(`?action=secret&until=${middle}`), ['secret.set FIRST']);
  t.same(await found('?target=SECOND'), ['secret.set SECOND']);
  t.same(await found('?actor=read'), ['secret.set THIRD']);
  t.same(await found('?actor=operator'), [`organization.suspend ${h.org.orgId}`]);
  for (const actor of ['eve', '0']) t.same(await found(`?actor=${actor}`), [], 'nor can it be guessed');
  t.match((await read('?failed=maybe')).json().error.details, { fields: ['failed'] });
  const csv = await read('?format=csv');
  t.match(csv.headers, {
    'content-type': /^text\/csv/,
    'content-disposition': 'attachment; filename="audit.csv"',
  });
  const [head, ...lines] = csv.body.trimEnd().split('\n');
  t.equal(head, 'at,actor_kind,actor_id,actor_name,ip,action,target,result,count,target_name');
  t.equal(lines.length, 4);
  t.notMatch(csv.body, /eve|10\.0\.0\.1/);
  const jsonl = (await read('?format=jsonl&action=secret')).body.trimEnd().split('\n');
  t.same(
    jsonl.map((line) => JSON.parse(line)),
    (await read('?action=secret')).json().data,
  );
});
