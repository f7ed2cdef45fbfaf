// Macs without renting: an operator grants them to a team that owns them.
// Runs in: soak
import t from 'tap';
import { adminOf } from '../harness/admin.js';
import { type Harness, START, startHarness } from '../harness/harness.js';
import { addHost, codeOf, DAY, iso, order, pay, rent } from '../harness/renting.js';
import { runs } from '../harness/soak.js';

/** Runs an admin command on the service's database and clock; its JSON, or the code of its error. */
async function admin(h: Harness, words: string): Promise<Record<string, unknown>> {
  const { code, refused, json } = await adminOf(h)([...words.split(' '), '--json']);
  if (code !== 0) return { code: refused };
  await h.workers.idle();
  return json;
}

const macs = async (h: Harness) => (await h.call('GET', '/rentals')).json().rentals;
const free = async (h: Harness, key = h.keys.all) =>
  (await h.call('GET', '/catalog', { key })).json().tiers[0].available_now;

t.test('a Mac without end: its fields, allowed changes, and its end', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 2);
  const granted = await admin(h, `rental grant --org ${h.org.orgId} --tier m4`);
  t.match(granted, {
    rentals: [{ rental_id: /^rt_/, tier: 'm4', host_id: host.hostId, order_no: null, hours: null, ends_at: null }],
  });
  const [{ rental_id }] = granted.rentals as [{ rental_id: string }];
  await host.mac(rental_id, 'ready');
  const forever = { ends_at: null, remaining_s: 2_147_483_647, hours: null, amount_won: 0 };
  t.match(await macs(h), [{ rental_id, state: 'ready', ...forever, can_extend: false, max_extend_days: 0 }]);
  const status = (await h.call('GET', '/status')).json();
  t.match(status.macs, [{ rental_id, ...forever }]);
  t.same(status.advice, []);
  t.match((await h.call('GET', `/rentals/${rental_id}`)).json(), { ...forever, mac_state: 'ready' });

  const body = { hours: 24 };
  const refused = await h.call('POST', `/rentals/${rental_id}/extend`, { body });
  t.equal(codeOf(refused), 'rental_duration_limit');
  t.match(refused.json().error.message, /granted/);
  const several = await h.call('POST', '/rentals/extend/quote', {
    body: { ...body, rental_ids: [rental_id] },
  });
  t.match(several.json(), { amount_won: 0, items: [{ ok: false, reason: 'rental_duration_limit' }] });
  t.notHas(several.json().items[0], 'ends_at');

  t.equal(await free(h), 1, 'the other slot of its host is the account’s to order');
  t.equal(await free(h, h.other.key), 0);
  t.equal(
    codeOf(
      await h.call('POST', '/orders', {
        body: { tier: 'm4', hours: 24, units: 2, start: iso(START + 60 * DAY) },
      }),
    ),
    'no_capacity',
    'its slot is taken in two months too',
  );
  const build = await h.call('POST', '/builds', {
    body: { repo_url: 'https://github.com/a/b.git', script: 'true', rental_id },
  });
  await h.workers.idle();
  const { id } = build.json();
  t.equal((await h.call('GET', `/builds/${id}`)).json().status, 'running', 'it builds like any other');
  await h.clock.skip(runs(40, 400) * DAY);
  await h.workers.idle();
  t.equal((await macs(h)).length, 1, 'it has no cap of 30 days');
  t.same(
    (await h.audit.run()).filter(({ kind }) => kind !== 'host'),
    [],
  );

  t.match(await admin(h, `rental list --org ${h.org.orgId}`), { rentals: [{ rental_id }] });
  t.match(await admin(h, `rental end ${rental_id}`), { rental_id, ended: true });
  t.same(await macs(h), []);
  t.equal((await h.call('GET', `/builds/${id}`)).json().stop_requested_at !== null, true);
  t.match(await admin(h, `rental end ${rental_id}`), { code: 'rental_not_found' });
});

t.test('a Mac granted until a date ends then, whether it was ready, disconnected or never created', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 3);
  const until = iso(START + 2 * DAY);
  const granted = await admin(h, `rental grant --org ${h.org.orgId} --host ${host.hostId} --units 2 --until ${until}`);
  const [one, two] = granted.rentals as { rental_id: string }[];
  t.match(granted, { rentals: [{ ends_at: until }, { ends_at: until }] });
  await h.clock.advance(DAY);
  await host.mac(one?.rental_id ?? '', 'ready');
  t.match(
    (await macs(h)).find((mac: { rental_id: string }) => mac.rental_id === one?.rental_id),
    { ends_at: until, remaining_s: 24 * 3600 },
    'nothing was bought, so a late start adds nothing',
  );
  t.ok(two);
  await host.disconnect();
  await h.pass(DAY - 30 * 60_000);
  t.match((await h.call('GET', '/status')).json().advice, [
    { kind: 'expiring_soon', next: [{ action: 'see_catalog' }] },
    { kind: 'expiring_soon' },
  ]);
  await h.pass(30 * 60_000);
  t.same(await macs(h), []);
});

t.test('a Mac pinned to a host stays on it; one of a tier moves', async (t) => {
  const h = await startHarness(t);
  const own = await addHost(h, 1);
  const granted = await admin(h, `rental grant --org ${h.org.orgId} --host ${own.hostId} --forever`);
  const [{ rental_id }] = granted.rentals as [{ rental_id: string }];
  await own.mac(rental_id, 'ready');
  const other = await addHost(h, 2);
  await own.disconnect();
  await h.pass(3 * h.limits.provision_give_up_ms);
  t.match(await macs(h), [{ state: 'preparing', ends_at: null }]);
  t.same(await other.rentalIds(), []);
  await own.connect();
  await own.mac(rental_id, 'ready');
  t.match(await macs(h), [{ state: 'ready', ends_at: null }]);
});

t.test('a granted Mac is ended by its name, and a name of several needs the organization', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 4, { shared: true });
  const run = adminOf(h);
  const grant = async (org: string) =>
    (await admin(h, `rental grant --org ${org} --host ${host.hostId}`)).rentals as { rental_id: string }[];
  const [mine] = await grant(h.org.orgId);
  const [theirs] = await grant(h.other.orgId);
  await h.clock.advance(1_000);
  const [second] = await grant(h.other.orgId);
  const listed = await run(['rental', 'list', '--org', 'other-mill']);
  t.match(listed.out, new RegExp(`^Mac 1  ${theirs?.rental_id}  m4 .*\nMac 2  ${second?.rental_id}  m4 `));
  t.match(
    (await run(['host', 'show', host.hostId])).out,
    new RegExp(`preparing +Mac 2 +${second?.rental_id} +Other Mill`),
  );

  const several = await run(['rental', 'end', 'mac 1']);
  t.equal(several.refused, 'invalid_request');
  for (const each of [
    `${mine?.rental_id} of Apple Press (apple-press)`,
    `${theirs?.rental_id} of Other Mill (other-mill)`,
  ]) {
    t.match(several.err, each);
  }
  t.match(await run(['rental', 'end', 'Mac 1', '--org', 'none']), { refused: 'not_found' });
  const unknown = await run(['rental', 'end', 'Mac 2', '--org', 'apple-press']);
  t.match(unknown, { refused: 'rental_not_found', err: /"Mac 2"; there are: Mac 1\./ });
  t.match(await run(['rental', 'end', mine?.rental_id ?? '', '--org', 'other-mill']), { refused: 'rental_not_found' });
  t.equal((await macs(h)).length, 1, 'nothing has ended');

  t.match(await run(['rental', 'end', 'MAC 2']), { code: 0, out: `Mac 2 (${second?.rental_id}) ends now\n` });
  const ended = await run(['rental', 'end', 'Mac 1', '--org', 'other-mill', '--json']);
  t.same(ended.json, { rental_id: theirs?.rental_id, name: 'Mac 1', ended: true });
  const entries = await h.auditLog.read({ accountId: h.other.id, since: 0 }, { after: null, limit: 100 });
  const done = entries.filter(({ action, result }) => action === 'rental.end' && result === 'ok');
  t.same(done.map(({ target }) => target).sort(), [second?.rental_id, theirs?.rental_id].sort());
  await h.workers.idle();
  t.match(await run(['rental', 'end', 'Mac 1']), { code: 0 }, 'only one is left of this name');
  await h.workers.idle();
  t.same(await macs(h), []);
  t.match(await run(['rental', 'end', 'Mac 1']), { refused: 'rental_not_found', err: /id or name "Mac 1"\./ });
});

t.test('an invalid grant or end is refused without effect', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 2);
  const org = `--org ${h.org.orgId}`;
  const [ordered = ''] = await rent(h, host);
  const later = await order(h, { start: iso(START + 10 * DAY) });
  await pay(h, later.order_no);
  const cases: [string, string][] = [
    [`rental grant ${org}`, 'invalid_request'],
    [`rental grant ${org} --tier m4 --host ${host.hostId}`, 'invalid_request'],
    [`rental grant ${org} --tier m4 --until ${iso(START - 1)}`, 'invalid_request'],
    [`rental grant ${org} --tier m4 --until ${iso(START + DAY)} --forever`, 'invalid_request'],
    [`rental grant ${org} --tier m4 --units 0`, 'invalid_request'],
    [`rental grant ${org} --tier m4 --units 101`, 'invalid_request'],
    [`rental grant ${org} --tier none`, 'invalid_tier'],
    [`rental grant ${org} --host host_none`, 'host_not_found'],
    [`rental grant ${org} --tier m4 --units 2`, 'no_capacity'],
    [`rental grant --org ${h.other.orgId} --tier m4`, 'no_capacity'],
    [`rental grant --org ${h.other.orgId} --host ${host.hostId}`, 'no_capacity'],
    [`rental end ${ordered}`, 'invalid_request'],
    ['rental end rt_none', 'rental_not_found'],
  ];
  for (const [words, code] of cases) t.match(await admin(h, words), { code }, words);
  t.equal((await macs(h)).length, 2);
  await h.hosts.change(host.hostId, 'cordon');
  t.match(await admin(h, `rental grant ${org} --host ${host.hostId}`), { code: 'host_state' });
});
