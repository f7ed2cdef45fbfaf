// Several workspaces in one organization: who can create them, what keys and people can see of them, and what remains after
// one is removed.
// Runs in: soak
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { startBuildHost } from '../harness/build-host.js';
import { type CallOptions, type Harness, startHarness } from '../harness/harness.js';
import { inHalves } from '../harness/in-halves.js';
import { withMacs } from '../harness/submitting.js';
import { manifestOf, tarOf, uploader } from '../harness/upload-bodies.js';

const codeOf = (answer: { statusCode: number; body: string }) =>
  answer.statusCode < 400 ? answer.statusCode : JSON.parse(answer.body).error.code;

/** Sends requests of a person, below runner_url. */
const asPerson =
  (h: Harness, cookie: string) =>
  (method: string, path: string, more: Omit<CallOptions, 'key'> = {}) =>
    h.callConsole(method, path, { ...more, key: null, headers: { cookie, ...more.headers } });

/** Creates a second workspace, a key in each and a build of each key. */
async function startTwo(t: Test) {
  const { h, host } = await withMacs(t, 1);
  const root = `/v1/organizations/${h.org.orgId}`;
  const owner = asPerson(h, await h.signIn('owner'));
  const second: string = (await owner('POST', `${root}/workspaces`, { body: { name: 'iOS' } })).json().id;
  const keys = {
    first: h.keys.all,
    second: await h.createKey(['read', 'build', 'manage'], { workspaceId: second }),
  };
  const submit = async (key: string, repo: string) =>
    (await h.call('POST', '/builds', { key, body: { repo, script: 'make' } })).json().id as string;
  const builds = {
    first: await submit(keys.first, 'a/first'),
    second: await submit(keys.second, 'a/second'),
  };
  return { h, host, root, owner, second, keys, builds };
}

t.test('owners and admins create, rename and remove workspaces', async (t) => {
  const h = await startHarness(t, { limits: { workspaces: 3 } });
  const root = `/v1/organizations/${h.org.orgId}/workspaces`;
  const owner = asPerson(h, await h.signIn('owner'));
  const admin = asPerson(h, await h.signIn('admin'));
  const made = await owner('POST', root, { body: { name: '  iOS app ' } });
  t.equal(made.statusCode, 201);
  t.match(made.json(), { id: /^ws_/, name: 'iOS app', created_at: '2026-03-01T09:00:00.000Z' });
  const { id } = made.json();
  const taken = ['ios APP', 'default', 'DEFAULT', 'ｄefault', 'de\ufe0ffault', 'default\u3164'];
  const unusable = ['', ' ', 'a\u0000b', 'a\u202eb', '\u115f', '\ufe0f', 'x'.repeat(101)];
  for (const name of [...taken, ...unusable]) {
    const refused = await admin('POST', root, { body: { name } });
    t.match(refused.json().error, { code: 'invalid_request', details: { fields: ['name'] } }, name);
  }
  const halved = await admin('POST', root, { body: { name: '\ud800' } });
  t.equal(codeOf(halved), 'invalid_json', 'half of a surrogate pair is no text');
  t.equal(codeOf(await owner('PATCH', `${root}/${id}`, { body: { name: 'Default' } })), 'invalid_request');
  t.equal((await owner('PATCH', `${root}/${id}`, { body: { name: 'IOS APP' } })).json().name, 'IOS APP');
  t.equal(codeOf(await admin('POST', root, { body: { name: 'third' } })), 201);
  t.equal(codeOf(await admin('POST', root, { body: { name: 'fourth' } })), 'workspaces_limit');
  const listed: { id: string; name: string }[] = (await admin('GET', root)).json().data;
  t.same(listed.map(({ name }) => name).sort(), ['IOS APP', 'default', 'third']);
  t.equal(codeOf(await admin('DELETE', `${root}/${id}`)), 204);
  t.equal(codeOf(await admin('DELETE', `${root}/${id}`)), 'not_found');
  t.equal(codeOf(await owner('PATCH', `${root}/${id}`, { body: { name: 'x' } })), 'not_found');
  t.equal(
    await h.store.get('SELECT 1 FROM workspaces WHERE workspace_id = :id', { id }),
    undefined,
    'nothing refers to it, so its row is deleted',
  );
  t.equal(codeOf(await admin('POST', root, { body: { name: 'ios app' } })), 201, 'its name is available again');
});

t.test('a workspace can be removed when nothing in it is active; owners keep access to its history', async (t) => {
  const { h, host, root, owner, second, keys, builds } = await startTwo(t);
  const developer = asPerson(h, await h.signIn('developer', { workspaceIds: [second] }));
  const remove = () => owner('DELETE', `${root}/workspaces/${second}`);
  t.match((await remove()).json().error, {
    code: 'workspace_in_use',
    details: { keys: 1, unfinished_builds: 1 },
  });
  const { data } = (await owner('GET', `${root}/api-keys`)).json();
  const key = data.find((one: { workspace_id: string }) => one.workspace_id === second);
  t.equal(codeOf(await owner('DELETE', `${root}/api-keys/${key.id}`)), 204);
  t.match((await remove()).json().error.details, { keys: 0, unfinished_builds: 1 });
  for (const id of [builds.first, builds.second]) {
    await h.workers.idle();
    await host.start();
    await host.output(id, 'hello\n');
    await host.finish(id);
  }
  t.equal(codeOf(await developer('GET', `${root}/agent/builds/${builds.second}`)), 200);
  t.equal(codeOf(await remove()), 204);

  t.equal((await owner('GET', `${root}/workspaces`)).json().data.length, 1);
  t.equal((await owner('GET', `${root}/agent/builds/${builds.second}/log`)).body, 'hello\n');
  const past = `?workspace_id=${second}`;
  t.equal((await owner('GET', `${root}/agent/builds${past}`)).json().builds[0].id, builds.second);
  t.equal(codeOf(await owner('GET', `/v1/files${past}`)), 200);
  t.equal(codeOf(await owner('POST', `${root}/agent/builds${past}`, { body: {} })), 'not_found');
  t.equal(codeOf(await developer('GET', `${root}/agent/builds`)), 'forbidden', 'no workspace is left for this person');
  t.equal(codeOf(await h.call('GET', '/me', { key: keys.second })), 'invalid_api_key');
  const again = { name: 'x', levels: ['read'], workspace_id: second };
  t.equal(codeOf(await owner('POST', `${root}/api-keys`, { body: again })), 'invalid_request');
  t.equal(codeOf(await owner('POST', `${root}/workspaces`, { body: { name: 'ios' } })), 201);
  const first = `${root}/workspaces/${h.org.workspaceId}`;
  t.equal(codeOf(await owner('DELETE', first)), 'workspace_in_use');
});

t.test('requests that complete after their workspace is removed are refused', async (t) => {
  const h = await startHarness(t);
  await startBuildHost(h, { macs: 1 });
  const cookie = await h.signIn('owner');
  const owner = asPerson(h, cookie);
  const root = `/v1/organizations/${h.org.orgId}`;
  const folder = mkdtempSync(join(tmpdir(), 'cidermill-workspaces-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'a'), 'x');
  const tar = { type: 'application/gzip', body: tarOf(folder, 'a') };
  const build = {
    type: 'application/json',
    body: Buffer.from(JSON.stringify({ repo: 'a/b', script: 'make' })),
  };
  for (const withPast of [false, true]) {
    for (const [path, sent] of [
      ['uploads/tar', tar],
      ['builds', build],
    ] as const) {
      for (const byKey of [false, true]) {
        const name = `${path}${byKey ? ' of a key' : ''}${withPast ? ', with a past' : ''}`;
        const { id } = (await owner('POST', `${root}/workspaces`, { body: { name } })).json();
        const key = byKey || withPast ? await h.createKey(['read', 'build'], { workspaceId: id }) : '';
        const remove = async () => {
          if (key !== '') await h.apiKeys.revoke({ token: key }, 'manual');
          t.equal(codeOf(await owner('DELETE', `${root}/workspaces/${id}`)), 204);
        };
        const request: { url: string; credentials: Record<string, string> } = byKey
          ? { url: `/api/v1/${path}`, credentials: { authorization: `Bearer ${key}` } }
          : { url: `/api/runner${root}/agent/${path}?workspace_id=${id}`, credentials: { cookie } };
        const answer = await inHalves(h, { method: 'POST', ...request, ...sent }, remove);
        t.equal(answer.json().error, byKey ? 'invalid_api_key' : 'not_found', name);
      }
    }
  }
  t.same(await h.store.all('SELECT build_id FROM builds'), []);
  t.same(await h.store.all('SELECT upload_id FROM uploads'), []);
});

t.test('the list has how many developers see a workspace, and how many keys can be used', async (t) => {
  const { h, root, owner, second } = await startTwo(t);
  await h.signIn('developer', { workspaceIds: [second] });
  await h.createKey(['read'], { workspaceId: second });
  await h.store.run('UPDATE api_keys SET revoked_at = 1 WHERE name = :name', { name: 'read' });
  const { data } = (await owner('GET', `${root}/workspaces`)).json();
  t.match(
    data.find(({ id }: { id: string }) => id === second),
    { name: 'iOS', developers: 1, keys: 1 },
  );
  t.match(
    data.find(({ id }: { id: string }) => id !== second),
    { developers: 0, keys: 3 },
  );
});

t.test('the last workspace cannot be removed', async (t) => {
  const h = await startHarness(t);
  const owner = asPerson(h, await h.signIn('owner'));
  const path = `/v1/organizations/${h.org.orgId}/workspaces/${h.org.workspaceId}`;
  t.equal(codeOf(await owner('DELETE', path)), 'last_workspace');
});

t.test('a key sees the builds, uploads, files and errors of its own workspace', async (t) => {
  const { h, host, keys, builds } = await startTwo(t);
  await h.call('GET', '/builds/rb_second', { key: keys.second });
  for (const [own, other] of [
    ['first', 'second'],
    ['second', 'first'],
  ] as const) {
    const key = keys[own];
    const read = async (path: string) => (await h.call('GET', path, { key })).json();
    const ids = (list: { id: string }[]) => list.map(({ id }) => id);
    t.same(ids((await read('/builds')).builds), [builds[own]]);
    t.equal((await read(`/builds?before=${builds[other]}`)).error.code, 'invalid_query');
    const seen = await read('/status');
    t.same(ids([...seen.queue.queued, ...seen.queue.running, ...seen.last_builds]), [builds[own]]);
    const queue = await read('/queue');
    t.same([...ids(queue.queued), ...ids(queue.running)], [builds[own]]);
    t.equal(queue.running_count + queue.queued_count, 1);
    const text = JSON.stringify([
      queue,
      await read('/status'),
      await read('/rentals'),
      await read('/errors'),
      (await h.call('GET', '/agent/start', { key })).body,
    ]);
    t.notMatch(text, builds[other], `${own}: the other's build is not in the response`);
    const path = `/builds/${builds[other]}`;
    for (const [method, address] of [
      ['GET', path],
      ['GET', `${path}/log`],
      ['GET', `${path}/failure`],
      ['GET', `${path}/wait?timeout=1`],
      ['POST', `${path}/cancel`],
    ] as const) {
      t.equal(codeOf(await h.call(method, address, { key })), 'build_not_found', `${method} ${address}`);
    }
    t.equal(codeOf(await h.call('PATCH', path, { key, body: { priority: 1 } })), 'build_not_found');
  }
  t.equal((await h.call('GET', '/errors', { key: keys.second })).json().errors.length > 0, true);
  const ofFirst = JSON.stringify((await h.call('GET', '/errors')).json());
  t.notMatch(ofFirst, 'rb_second', 'errors of the other workspace are not listed');

  await h.workers.idle();
  const [running] = await host.start();
  const hidden = running === builds.first ? keys.second : keys.first;
  const [mac] = (await h.call('GET', '/rentals', { key: hidden })).json().rentals;
  t.match(mac, { state: 'building', current_build: null }, 'the Mac is shared, but its current build is hidden');
});

t.test('the same idempotency key in two workspaces is two requests', async (t) => {
  const { h, keys } = await startTwo(t);
  const submit = (key: string) =>
    h.call('POST', '/builds', {
      key,
      body: { repo: 'a/b', script: 'make' },
      headers: { 'idempotency-key': 'release-1' },
    });
  t.equal((await submit(keys.first)).statusCode, 201);
  t.equal(codeOf(await submit(keys.second)), 'idempotency_conflict', "not the other workspace's response");
  t.equal((await submit(keys.first)).headers['idempotent-replayed'], 'true');
  await h.store.run(`UPDATE idempotency SET fingerprint = substr(fingerprint, 1, instr(fingerprint, ' ') - 1)`);
  const replayed = (await submit(keys.first)).headers['idempotent-replayed'];
  t.equal(replayed, 'true', 'also a response from before workspaces were introduced');
});

t.test('a developer sees the workspaces of the membership; an owner sees all, or the requested one', async (t) => {
  const { h, root, owner, second, builds } = await startTwo(t);
  const cookie = await h.signIn('developer', { workspaceIds: [second] });
  const developer = asPerson(h, cookie);
  const session = (await developer('GET', '/v1/session')).json();
  t.same(
    session.organizations[0].workspaces.map(({ name }: { name: string }) => name),
    ['iOS'],
  );
  const listed = async (ask: typeof owner, query = '') =>
    (await ask('GET', `${root}/agent/builds${query}`))
      .json()
      .builds.map(({ id }: { id: string }) => id)
      .sort();
  t.same(await listed(owner), [builds.first, builds.second].sort());
  t.same(await listed(owner, `?workspace_id=${second}&limit=5`), [builds.second]);
  t.same(await listed(developer), [builds.second]);
  t.same(await listed(developer, `?workspace_id=${second}`), [builds.second]);
  for (const [ask, workspace] of [
    [developer, h.org.workspaceId],
    [developer, h.other.workspaceId],
    [owner, h.other.workspaceId],
    [owner, 'ws_none'],
  ] as const) {
    const query = `?workspace_id=${workspace}`;
    t.equal(codeOf(await ask('GET', `${root}/agent/builds${query}`)), 'not_found');
    t.equal(codeOf(await ask('GET', `/v1/files${query}`)), 'not_found');
  }
  t.equal(codeOf(await developer('GET', `${root}/agent/builds/${builds.first}`)), 'build_not_found');
  t.equal(codeOf(await developer('GET', `/v1/locate?id=${builds.first}`)), 'not_found', 'for its page too');
  t.equal((await developer('GET', `/v1/locate?id=${builds.second}`)).statusCode, 200);
  t.equal((await developer('GET', `${root}/agent/me`)).json().workspace_id, second);
  const build = { body: { repo: 'a/b', script: 'make' } };
  const made = (await owner('POST', `${root}/agent/builds?workspace_id=${second}`, build)).json().id;
  t.ok((await listed(developer)).includes(made), 'a person can choose the workspace of a build');

  const member = await h.members.find(h.org.id, `developer-${h.org.id}@example.com`);
  const setWorkspaces = (workspaceIds: string[]) => h.members.change(member, { workspaceIds }, 'operator');
  await setWorkspaces([h.org.workspaceId]);
  t.same(await listed(developer), [builds.first], 'the change applies to the next request');
  await setWorkspaces([]);
  t.equal(codeOf(await developer('GET', `${root}/agent/builds`)), 'forbidden');
  await t.rejects(setWorkspaces([h.other.workspaceId]), { code: 'invalid_request' });
});

t.test('an upload belongs to the workspace in which it was created', async (t) => {
  const { h, keys } = await startTwo(t);
  const { id } = (await uploader(h).announce(manifestOf({ a: 'x' }), { key: keys.second })).json();
  t.equal(codeOf(await h.call('GET', `/uploads/${id}`, { key: keys.second })), 200);
  t.equal(codeOf(await h.call('GET', `/uploads/${id}`)), 'upload_not_found');
  t.equal(codeOf(await h.callConsole('DELETE', `/v1/files/${id}`)), 'not_found');
  const body = { upload_id: id, script: 'make' };
  t.equal(codeOf(await h.call('POST', '/builds', { body })), 'upload_not_found');
});
