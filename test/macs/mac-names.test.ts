// Names of Macs: renaming, who may, and that two Macs never have the same.
import t from 'tap';
import { startHarness } from '../harness/harness.js';
import { addHost, codeOf, HOUR, rent } from '../harness/renting.js';

t.test('a Mac is renamed: alone, to its own name, in another case', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 2);
  const [first = '', second = ''] = await rent(h, host, { units: 2 });
  const rename = (name: unknown, rental = first) => h.call('PATCH', `/rentals/${rental}`, { body: { name } });
  const nameOf = async (rental: string) => (await h.call('GET', `/rentals/${rental}`)).json().name;
  const names = async () => (await h.call('GET', '/rentals')).json().rentals.map((mac: { name: string }) => mac.name);
  t.same(await names(), ['Mac 1', 'Mac 2'], 'numbered in the order of the list');
  t.same((await rename(' Release  Mac ')).json(), { rental_id: first, rental_name: 'Release Mac', result: 'accepted' });
  t.same((await rename('Release Mac')).json(), {
    rental_id: first,
    rental_name: 'Release Mac',
    result: 'accepted',
    status: 'unchanged',
  });
  t.equal((await rename('RELEASE MAC')).statusCode, 200, 'its own name in another case');
  t.equal(await nameOf(first), 'RELEASE MAC');
  const taken = await rename('release mac', second);
  t.same([taken.statusCode, codeOf(taken)], [409, 'name_taken']);
  t.match(taken.json().error, { field: 'name', fields: [{ path: 'name' }], name: 'release mac' });
  t.equal(await nameOf(second), 'Mac 2', 'a refusal changes nothing');
  t.equal((await rename('Mac 1', second)).statusCode, 200, 'the first name is free again');
  for (const [name, message] of [
    ['', /^name must have 1 to 40 characters \(got none\)/],
    ['x'.repeat(41), /^name must have 1 to 40 characters \(got 41\)/],
    ['a\nb', /^name must be one line/],
    [second, /^name must not begin like an id/],
    ['x'.repeat(5000), /^name/],
    [null, /^name/],
    [7, /^name/],
  ] as const) {
    const refused = await rename(name);
    t.same([refused.statusCode, codeOf(refused)], [400, 'invalid_name'], JSON.stringify(name)?.slice(0, 50));
    t.match(refused.json().error, { message, field: 'name' });
  }
  for (const name of ['🦊'.repeat(40), `"it's" <b>`, 'ماك', '한국어 Mac']) {
    t.equal((await rename(name)).statusCode, 200, name);
    t.equal(await nameOf(first), name);
  }
  const typo = await h.call('PATCH', `/rentals/${first}`, { body: { nmae: 'x' } });
  t.match(typo.json().error, { code: 'invalid_setup', message: /did you mean name\?/ });
  const empty = await h.call('PATCH', `/rentals/${first}`, { body: {} });
  t.match(empty.json().error, { code: 'invalid_setup', message: /send name, xcode/ });
});

t.test('who may rename: level manage, owners and admins, of this organization', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 1);
  const [rental = ''] = await rent(h, host);
  const rename = (key: string, id = rental) => h.call('PATCH', `/rentals/${id}`, { key, body: { name: 'Mine' } });
  for (const level of ['read', 'build'] as const) {
    t.equal((await rename(await h.createKey([level]))).statusCode, 403, level);
  }
  const foreign = await rename(h.other.key);
  t.same([foreign.statusCode, codeOf(foreign)], [404, 'rental_not_found']);
  const unknown = await rename(h.keys.all, 'rt_none');
  t.same([unknown.statusCode, codeOf(unknown)], [404, 'rental_not_found']);
  const named = await h.call('PATCH', '/rentals/Mac%201', { body: { name: 'Mine' } });
  t.same([named.statusCode, codeOf(named)], [404, 'rental_not_found'], 'paths take the id alone');
  t.equal((await rename(await h.createKey(['manage']))).statusCode, 200);
  await h.auditLog.newest();
  const entries = await h.store.all<{ target: string; result: string }>(
    `SELECT target, result FROM audit_log WHERE action = 'rental.change' ORDER BY id`,
  );
  const found = entries.map(({ target, result }) => `${target} ${result}`);
  t.same(
    found.filter((one) => one.endsWith(' ok')),
    [`${rental} ok`],
  );
});

t.test('the audit log calls a Mac by its name, also when it has ended', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 1);
  const [rental = ''] = await rent(h, host);
  await h.call('PATCH', `/rentals/${rental}`, { body: { name: 'Release' } });
  await h.call('PUT', '/secrets/TOKEN', { body: { value: 'hunter2hunter2' } });
  const nameOf = async (target: string) => {
    const url = `/v1/organizations/${h.org.orgId}/audit?target=${target}`;
    const cookie = await h.signIn('owner', { email: `${target}.${h.clock.now()}@example.com` });
    const { data } = (await h.callConsole('GET', url, { key: null, headers: { cookie } })).json();
    return data.map((entry: { target_name: string | null }) => entry.target_name);
  };
  t.same(new Set(await nameOf(rental)), new Set(['Release']));
  t.same(await nameOf('TOKEN'), [null]);
  const [foreign = ''] = await rent(h, await addHost(h, 1), {}, h.other.key);
  t.equal((await h.call('PATCH', `/rentals/${foreign}`, { body: { name: 'Mine' } })).statusCode, 404);
  t.same(await nameOf(foreign), [null], 'nothing of another organization');
  await h.clock.advance(25 * HOUR);
  t.equal(codeOf(await h.call('GET', `/rentals/${rental}`)), 'rental_not_found');
  t.same(new Set(await nameOf(rental)), new Set(['Release']));
});

t.test('two renames at once: one has the name', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 4);
  const rentals = await rent(h, host, { units: 4 });
  const answers = await Promise.all(
    rentals.map((rental) => h.call('PATCH', `/rentals/${rental}`, { body: { name: 'Release' } })),
  );
  t.same(answers.map(({ statusCode }) => statusCode).sort(), [200, 409, 409, 409]);
  const swapped = await h.store.all('SELECT name_key FROM mac_names WHERE account_id = :id', { id: h.org.id });
  t.equal(swapped.length, 4, 'a name for each Mac');
});

t.test('a rename works in any state, and with a change of the setup both or neither', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 1);
  const [rental = ''] = await rent(h, host);
  const patch = (body: object) => h.call('PATCH', `/rentals/${rental}`, { body });
  const name = async () => (await h.call('GET', `/rentals/${rental}`)).json().name;
  const changed = await patch({ name: 'Release', xcode: '16.1', keep_cache: true });
  t.match(changed.json(), { rental_name: 'Release', result: 'accepted', job_id: /^op_/ });
  const jobId = changed.json().job_id;
  t.match((await h.call('GET', `/jobs/${jobId}`)).json(), { rental_name: 'Release' });
  const refused = await patch({ name: 'Other', xcode: '16.2', keep_cache: true });
  t.same([refused.statusCode, codeOf(refused)], [409, 'job_in_progress']);
  t.equal(await name(), 'Release', 'the name stays with a refused setup');
  t.equal((await patch({ name: 'While a job runs' })).statusCode, 200);
  await host.mac(rental, 'ready');
  const body = { repo: 'a/b', ref: 'main', script: 'make', rental_id: rental };
  const { id } = (await h.call('POST', '/builds', { body })).json();
  await h.workers.idle();
  t.match((await h.call('GET', `/builds/${id}`)).json(), { status: 'running', rental_name: 'While a job runs' });
  t.equal((await patch({ name: 'While a build runs' })).statusCode, 200);
  t.match((await h.call('GET', '/builds')).json().builds[0], {
    rental_public_id: rental,
    rental_name: 'While a build runs',
    pinned_rental_name: 'While a build runs',
  });
  await h.pass(25 * HOUR);
  const ended = await patch({ name: 'Later' });
  t.same([ended.statusCode, codeOf(ended)], [404, 'rental_not_found'], 'an ended rental keeps its last name');
  t.match((await h.call('GET', `/builds/${id}`)).json(), { rental_name: 'While a build runs' });
  const [next = ''] = await rent(h, host);
  const again = await h.call('PATCH', `/rentals/${next}`, { body: { name: 'While a build runs' } });
  t.equal(again.statusCode, 200, 'the name of an ended rental is free');
});

t.test('Macs are searched by name and id, page by page', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 4);
  const [first = '', second = ''] = await rent(h, host, {
    units: 4,
    names: ['Release', 'Old release', '야간 빌드', '50%'],
  });
  const list = async (query: string) => (await h.call('GET', `/rentals?${query}`)).json();
  const names = async (q: string) =>
    (await list(`q=${encodeURIComponent(q)}`)).rentals.map((mac: { name: string }) => mac.name);
  t.same(await names('RELEASE'), ['Release', 'Old release']);
  t.same(await names('빌드'), ['야간 빌드']);
  t.same(await names('%'), ['50%'], 'every character is only itself');
  t.same(await names(second), ['Old release']);
  t.same(await names(first.slice(0, 3)), ['Release', 'Old release', '야간 빌드', '50%']);
  t.same(await names('no such Mac'), []);
  const page = await list('q=release&limit=1');
  t.same([page.rentals.length, page.rentals[0].name], [1, 'Release']);
  const next = await list(`q=release&limit=1&cursor=${page.next_cursor}`);
  t.same([next.rentals[0].name, next.next_cursor], ['Old release', null]);
  const long = await h.call('GET', `/rentals?q=${'x'.repeat(101)}`);
  t.equal(long.statusCode, 400);
});
