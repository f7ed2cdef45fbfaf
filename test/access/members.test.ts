// Members of an organization: their roles and workspaces, the last owner, and what a removed one loses.
// Runs in: soak
import t from 'tap';
import { mayChangeRole } from '../../control-plane/access/domain/member.js';
import { roles } from '../../control-plane/platform/domain/role.js';
import { printedBy } from '../harness/admin.js';
import { asPerson, outcome } from '../harness/answer.js';
import { startBuildHost } from '../harness/build-host.js';
import { followed } from '../harness/followed.js';
import { type Harness, START, startHarness } from '../harness/harness.js';

const emailOf = (h: Harness, role: string) => `${role}-${h.org.id}@example.com`;
const idOf = async (h: Harness, role: string) => (await h.members.find(h.org.id, emailOf(h, role))).userId;

async function start(t: Parameters<typeof startHarness>[0], options: Parameters<typeof startHarness>[1] = {}) {
  const h = await startHarness(t, options);
  const cookies = {
    owner: await h.signIn('owner'),
    admin: await h.signIn('admin'),
    developer: await h.signIn('developer'),
  };
  const root = `/v1/organizations/${h.org.orgId}`;
  // Workspaces are listed by age.
  await h.clock.advance(1);
  const ids = {
    owner: await idOf(h, 'owner'),
    admin: await idOf(h, 'admin'),
    developer: await idOf(h, 'developer'),
  };
  const people = {
    owner: asPerson(h, cookies.owner),
    admin: asPerson(h, cookies.admin),
    developer: asPerson(h, cookies.developer),
  };
  return { h, cookies, root, path: `${root}/members`, ids, people };
}

t.test('admins manage all members but owners; developers none; operators all', async (t) => {
  const states = [...roles, null];
  for (const from of states) {
    for (const to of states) {
      const name = `${from} to ${to}`;
      t.ok(mayChangeRole('owner', from, to), name);
      t.ok(mayChangeRole('operator', from, to), name);
      t.notOk(mayChangeRole('developer', from, to), name);
      t.equal(mayChangeRole('admin', from, to), from !== 'owner' && to !== 'owner', name);
    }
  }
});

t.test('everybody sees the members; a developer only the own workspaces among theirs', async (t) => {
  const { h, root, path, ids, people } = await start(t);
  const second = (await people.owner('POST', `${root}/workspaces`, { name: 'iOS' })).json().id;
  const all = [h.org.workspaceId, second];
  const member = (role: 'owner' | 'admin' | 'developer', workspace_ids: string[]) => ({
    user_id: ids[role],
    email: emailOf(h, role),
    name: null,
    role,
    workspace_ids,
    joined_at: new Date(START).toISOString(),
  });
  const listed = async (as: typeof people.owner) =>
    (await as('GET', path)).json().data.sort((a: { role: string }, b: { role: string }) => (a.role < b.role ? -1 : 1));
  const first = [h.org.workspaceId];
  t.same(await listed(people.admin), [member('admin', all), member('developer', first), member('owner', all)]);
  t.same(await listed(people.developer), [member('admin', first), member('developer', first), member('owner', first)]);
});

t.test('members in pages, in the order in which they joined, also those who joined at once', async (t) => {
  const { people, path } = await start(t);
  const read = async (query: string) => (await people.developer('GET', `${path}${query}`)).json();
  const whole = await read('');
  t.match(whole, { data: { length: 3 }, owners: 1, next_cursor: null });
  const first = await read('?limit=2');
  t.match(first, { data: { length: 2 }, owners: 1, next_cursor: /^\d+-user_/ });
  const second = await read(`?limit=2&cursor=${first.next_cursor}`);
  t.match(second, { data: { length: 1 }, owners: 1, next_cursor: null });
  t.same([...first.data, ...second.data], whole.data);
  for (const query of ['?limit=0', '?limit=201', '?limit=x', '?cursor=user_1', '?page=2']) {
    t.equal(outcome(await people.owner('GET', `${path}${query}`)), '400 invalid_request', query);
  }
});

t.test('roles and workspaces change with the next request', async (t) => {
  const { h, root, path, ids, people } = await start(t);
  const second = (await people.owner('POST', `${root}/workspaces`, { name: 'iOS' })).json().id;
  const change = (id: string, body: object, as = people.owner) => as('PATCH', `${path}/${id}`, body);
  const changed = await change(ids.developer, { workspace_ids: [second, second] }, people.admin);
  t.match(changed.json(), { role: 'developer', workspace_ids: [second] });
  t.match((await people.developer('GET', '/v1/session')).json().organizations, [{ workspaces: [{ id: second }] }]);
  t.equal(outcome(await people.developer('GET', `${root}/api-keys`)), '403 insufficient_permission');
  t.equal((await change(ids.developer, { role: 'admin' })).json().workspace_ids.length, 2);
  t.equal(outcome(await people.developer('GET', `${root}/api-keys`)), '200', 'an admin now');
  t.same((await change(ids.developer, { role: 'developer' })).json().workspace_ids, [h.org.workspaceId]);
  for (const [id, body, fields] of [
    [ids.developer, {}, ['role']],
    [ids.developer, { role: 'king' }, ['role']],
    [ids.developer, { workspace_ids: [h.other.workspaceId] }, ['workspace_ids']],
    [ids.admin, { workspace_ids: [second] }, ['workspace_ids']],
    [ids.admin, { role: 'owner', workspace_ids: [] }, ['workspace_ids']],
    [ids.developer, { email: 'x@example.com' }, ['email']],
  ] as const) {
    t.match((await change(id, body)).json().error, { code: 'invalid_request', details: { fields } });
  }
  const { data } = (await people.owner('GET', `${root}/notices`)).json();
  const email = emailOf(h, 'developer');
  t.match(
    data.find(({ params }: { params: { to: string } }) => params.to === 'admin'),
    {
      kind: 'member_changed',
      code: 'role_changed',
      params: { email, from: 'developer', to: 'admin', by: emailOf(h, 'owner') },
      text: `${email} is now admin (was developer).\n\nChanged by: ${emailOf(h, 'owner')}.`,
    },
  );
  t.same(data.map(({ subject }: { subject: string }) => subject).sort(), [
    `${email} is now admin (was developer)`,
    `${email} is now developer (was admin)`,
  ]);
});

t.test('an admin cannot touch owners; a developer can only leave', async (t) => {
  const { h, path, ids, people } = await start(t);
  for (const [as, method, id, body, wanted] of [
    ['admin', 'PATCH', ids.owner, { role: 'developer' }, '403 insufficient_permission'],
    ['admin', 'PATCH', ids.admin, { role: 'owner' }, '403 insufficient_permission'],
    ['admin', 'DELETE', ids.owner, undefined, '403 insufficient_permission'],
    ['developer', 'PATCH', ids.developer, { role: 'admin' }, '403 insufficient_permission'],
    ['developer', 'DELETE', ids.admin, undefined, '403 insufficient_permission'],
    ['developer', 'DELETE', 'user_none', undefined, '403 insufficient_permission'],
    ['admin', 'DELETE', 'user_none', undefined, '404 not_found'],
    ['developer', 'DELETE', ids.developer, undefined, '204'],
    ['developer', 'GET', '', undefined, '404 not_found'],
    ['admin', 'PATCH', ids.admin, { role: 'developer' }, '200'],
  ] as const) {
    const answer = await people[as](method, id === '' ? path : `${path}/${id}`, body);
    t.equal(outcome(answer), wanted, `${as} ${method} ${id}`);
  }
  t.equal((await h.members.list(h.org.id)).length, 2);
});

t.test('a developer without a workspace sees no builds, but is a member and can leave', async (t) => {
  const { root, path, ids, people } = await start(t);
  const none = await people.owner('PATCH', `${path}/${ids.developer}`, { workspace_ids: [] });
  t.same(none.json().workspace_ids, []);
  t.equal(outcome(await people.developer('GET', `${root}/agent/builds`)), '403 forbidden');
  t.equal(outcome(await people.developer('GET', `${root}/builds/rb_none/events`)), '404 build_not_found');
  t.equal(outcome(await people.developer('GET', `${root}/topups`)), '403 insufficient_permission');
  const { data } = (await people.developer('GET', path)).json();
  t.same(
    data.map((member: { workspace_ids: string[] }) => member.workspace_ids),
    [[], [], []],
  );
  t.equal(outcome(await people.developer('GET', `${root}/notices`)), '200');
  t.equal(outcome(await people.developer('DELETE', `${path}/${ids.developer}`)), '204');
});

t.test('the last owner can neither leave nor be demoted, also when two do it at once', async (t) => {
  const { h, path, ids, people } = await start(t);
  const own = `${path}/${ids.owner}`;
  t.equal(outcome(await people.owner('DELETE', own)), '409 last_owner');
  t.equal(outcome(await people.owner('PATCH', own, { role: 'admin' })), '409 last_owner');
  t.equal(outcome(await people.owner('PATCH', own, { role: 'owner' })), '200', 'no change is no demotion');
  const operator = h.members.remove(await h.members.find(h.org.id, emailOf(h, 'owner')), 'operator');
  await t.rejects(operator, { code: 'last_owner' }, 'operators too make another owner first');
  await people.owner('PATCH', `${path}/${ids.admin}`, { role: 'owner' });
  const both = await Promise.all([
    people.owner('PATCH', `${path}/${ids.admin}`, { role: 'developer' }),
    people.admin('DELETE', own),
  ]);
  t.equal(both.filter(({ statusCode }) => statusCode < 300).length, 1, 'the second one has no right to it');
  const owners = (await h.members.list(h.org.id)).filter(({ role }) => role === 'owner');
  t.equal(owners.length, 1);
});

t.test('a removed member loses open requests too; one with fewer workspaces those that read others', async (t) => {
  const { h, path, ids, people, cookies, root } = await start(t, { limits: { access_check_ms: 20 } });
  const second = (await people.owner('POST', `${root}/workspaces`, { name: 'iOS' })).json().id;
  const host = await startBuildHost(h, { macs: 1, hours: 48 });
  const body = { repo: 'owner/name', script: 'make' };
  const { id } = (await h.call('POST', '/builds', { body })).json();
  await host.start();
  await host.output(id, 'first\n');
  const port = Number(new URL(await h.server.listen({ port: 0, host: '127.0.0.1' })).port);
  const log = `/api/runner${root}/agent/builds/${id}/log?format=text&wait=3600`;
  const follow = (cookie: string) => followed(port, log, { cookie });
  const poll = (as: typeof people.admin) => as('GET', `${root}/agent/builds/${id}/wait?timeout=60`);
  const ofDeveloper = { stream: await follow(cookies.developer), poll: poll(people.developer) };
  const ofAdmin = { stream: await follow(cookies.admin), poll: poll(people.admin) };
  await people.owner('PATCH', `${path}/${ids.developer}`, { workspace_ids: [second] });
  t.equal(outcome(await ofDeveloper.poll), '404 not_found');
  t.equal(await ofDeveloper.stream.all, 'first\n');
  await people.owner('DELETE', `${path}/${ids.admin}`);
  t.equal(outcome(await ofAdmin.poll), '404 not_found');
  t.equal(await ofAdmin.stream.all, 'first\n');
  await host.output(id, 'second\n');
  t.equal(outcome(await people.admin('GET', `${root}/agent/builds`)), '404 not_found');
  t.same((await people.admin('GET', '/v1/session')).json().organizations, [], 'the person is still a person');
});

t.test('an operator gives an organization without an owner one', async (t) => {
  const h = await startHarness(t);
  const run = async (...argv: string[]) => {
    const { code, out } = await printedBy([...argv, '--data', h.data, '--json']);
    return code === 0 ? JSON.parse(out) : code;
  };
  const org = ['--org', h.org.orgId];
  const invited = await run('member', 'invite', 'ada@example.com', ...org, '--role', 'owner');
  t.match(invited, { email: 'ada@example.com', accept_url: /\/invite#[\w-]{43}$/ });
  await h.signIn('admin');
  t.match(await run('member', 'list', ...org), { members: [{ email: emailOf(h, 'admin'), role: 'admin' }] });
  t.equal(await run('member', 'set', emailOf(h, 'admin'), ...org), 65, 'nothing to change');
  t.match(await run('member', 'set', emailOf(h, 'admin'), ...org, '--role', 'owner'), { role: 'owner' });
  t.equal(await run('member', 'remove', emailOf(h, 'admin'), ...org), 65, 'the last owner stays');
  await h.signIn('developer');
  t.match(await run('member', 'remove', emailOf(h, 'developer'), ...org), { removed: true });
  const entries = await h.store.all<{ action: string; target: string }>(
    `SELECT action, target FROM audit_log WHERE actor_kind = 'operator' AND result = 'ok' ORDER BY id`,
  );
  t.match(entries, [
    { action: 'invite.create', target: /^inv_/ },
    { action: 'member.change', target: /^user_/ },
    { action: 'member.remove', target: /^user_/ },
  ]);
});
