// The waitlist: who may join, who is next, and who gets the notice.
import t from 'tap';
import { type Harness, startHarness } from '../harness/harness.js';
import { addHost, codeOf, HOUR, order, putM4, type RentingHost, rent } from '../harness/renting.js';
import { saidNotices } from '../harness/said-notices.js';

const MINUTE = 60_000;
const wait = (h: Harness, body: object = {}, key = h.keys.all) =>
  h.call('POST', '/waitlist', { key, body: { tier: 'm4', ...body } });
const entries = async (h: Harness, key = h.keys.all) => (await h.call('GET', '/waitlist', { key })).json().entries;
const statuses = async (h: Harness, keys: readonly string[]) =>
  (await Promise.all(keys.map((key) => entries(h, key)))).map(([newest]) => newest?.status);
const cancel = (h: Harness, id: string, key = h.keys.all) => h.call('DELETE', `/waitlist/${id}`, { key });
/** Keys of accounts of their own. */
async function accounts(h: Harness, count: number): Promise<string[]> {
  const keys: string[] = [];
  for (let i = 0; i < count; i++) {
    const org = await h.organizations.create({ name: `Waiting ${i}` });
    const owner = { accountId: org.id, workspaceId: org.workspaceId, name: 'k' };
    keys.push((await h.apiKeys.create({ ...owner, levels: ['read', 'manage'] })).key);
  }
  return keys;
}

t.test('the life of a waitlist entry', async (t) => {
  const h = await startHarness(t);
  await putM4(h);
  const made = await wait(h, { units: 2 });
  t.equal(made.statusCode, 201);
  const entry = made.json();
  t.match(entry, { id: /^wl_/, tier: 'm4', units: 2, status: 'waiting', position: 1, notified_at: null });
  t.same(await entries(h), [entry]);
  const again = await wait(h);
  t.same([again.statusCode, codeOf(again)], [409, 'waitlist_exists']);
  t.equal((await wait(h, {}, h.other.key)).json().position, 2);
  const [tier] = (await h.call('GET', '/catalog')).json().tiers;
  t.same(tier.waitlist, [entry], 'the catalog shows the caller its own');
  t.equal((await h.call('GET', '/pool')).json().tiers[0].waiting_units, 3);

  t.equal(codeOf(await cancel(h, entry.id, h.other.key)), 'waitlist_not_found');
  t.equal(codeOf(await cancel(h, 'wl_0')), 'waitlist_not_found');
  t.match((await cancel(h, entry.id)).json(), { id: entry.id, status: 'cancelled', position: null });
  const twice = await cancel(h, entry.id);
  t.same([twice.statusCode, codeOf(twice)], [409, 'waitlist_not_cancellable']);
  t.equal((await entries(h, h.other.key))[0].position, 1, 'those behind move up');
  t.equal((await wait(h)).statusCode, 201, 'one may wait again');
  t.equal((await h.call('GET', '/pool')).json().tiers[0].waiting_units, 2);
});

t.test('invalid requests, and Macs that can be ordered at once', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 2);
  for (const body of [
    { tier: 'm9' },
    { tier: 4 },
    { tier: undefined },
    { units: 0 },
    { units: '2' },
    { units: null },
    { units: 101 },
  ]) {
    const answer = await wait(h, body);
    t.same([answer.statusCode, codeOf(answer)], [400, 'invalid_waitlist'], JSON.stringify(body));
  }
  const available = await wait(h, { units: 2 });
  t.same([available.statusCode, codeOf(available)], [409, 'available_now']);
  const [next] = available.json().error.next;
  t.match(next, { method: 'POST', path: '/api/v1/orders', body: { tier: 'm4', units: 2 } });
  t.equal((await wait(h, { units: 3 })).statusCode, 201, 'available means enough for the requested units');
  t.equal((await h.call(next.method, '/orders', { body: next.body })).statusCode, 201);
  t.ok(host);
  await putM4(h, { salesOpen: false });
  t.equal((await wait(h, {}, h.other.key)).statusCode, 201, 'Macs whose sales are closed are not available');
  t.equal(codeOf(await h.call('POST', '/waitlist', { key: h.keys.read, body: { tier: 'm4' } })), 'api_key_read_only');
});

t.test(
  'the oldest entries that fit are notified, in the console and by mail, and each unit is promised once',
  async (t) => {
    const h = await startHarness(t);
    await putM4(h);
    const keys = await accounts(h, 4);
    const [a = '', b = '', c = '', d = ''] = keys;
    await wait(h, { units: 3 }, a);
    await wait(h, { units: 1 }, b);
    await wait(h, { units: 1 }, c);
    await wait(h, { units: 1 }, d);
    await addHost(h, 2, { shared: true });
    await h.workers.idle();
    t.same(await statuses(h, keys), ['waiting', 'notified', 'notified', 'waiting']);
    const [told] = await entries(h, b);
    t.match(told, { position: null, notified_at: new Date(h.clock.now()).toISOString() });
    const notices = await saidNotices(h.store, 'waitlist');
    t.equal(notices.length, 2);
    t.match(notices[0], { subject: /Mac mini M4/, text: /10,000 won/ });
    t.equal(codeOf(await cancel(h, told.id, b)), 'waitlist_not_cancellable');

    h.wake.wake('availability');
    await h.workers.idle();
    t.same(await statuses(h, keys), ['waiting', 'notified', 'notified', 'waiting'], 'no unit is promised twice');

    await order(h, {}, b);
    await addHost(h, 1, { shared: true });
    await h.workers.idle();
    t.same(await statuses(h, keys), ['waiting', 'notified', 'notified', 'notified'], 'one more, one more');
    await h.pass(h.limits.waitlist_offer_ms);
    t.same(
      await statuses(h, keys),
      ['notified', 'notified', 'notified', 'notified'],
      'what nobody took is promised anew',
    );
    t.equal(codeOf(await wait(h, {}, d)), 'available_now');
  },
);

t.test('an ended Mac, an expired order and opened sales all notify the waitlist', async (t) => {
  const h = await startHarness(t);
  let host: RentingHost | null = null;
  const freed: [string, () => Promise<void>, () => Promise<void>][] = [
    ['a rental ends', async () => void (await rent(h, host as RentingHost)), () => h.pass(24 * HOUR)],
    ['a pay link is over', async () => void (await order(h)), () => h.pass(30 * MINUTE)],
    ['sales open', () => putM4(h, { salesOpen: false }), () => putM4(h)],
    [
      'a host comes back',
      () => host!.disconnect(),
      async () => {
        await host!.connect();
        await h.workers.idle();
      },
    ],
  ];
  host = await addHost(h, 1);
  const keys = await accounts(h, freed.length);
  for (const [i, [name, take, free]] of freed.entries()) {
    await h.pass(2 * h.limits.waitlist_offer_ms);
    await take();
    const key = keys[i] ?? '';
    t.equal((await wait(h, {}, key)).statusCode, 201, name);
    t.same(await statuses(h, [key]), ['waiting'], name);
    await free();
    t.same(await statuses(h, [key]), ['notified'], name);
  }
});

t.test('a suspended account is not notified', async (t) => {
  const h = await startHarness(t);
  await putM4(h);
  await wait(h, {}, h.other.key);
  await wait(h);
  await h.organizations.setStatus(await h.organizations.find(h.other.orgId), 'suspended');
  await addHost(h, 1);
  await h.workers.idle();
  t.match(await entries(h), [{ status: 'notified' }]);
  const rows = await h.store.all('SELECT status FROM waitlist ORDER BY seq');
  t.same(rows, [{ status: 'waiting' }, { status: 'notified' }]);
});

t.test('a repeated request has no second effect', async (t) => {
  const h = await startHarness(t);
  await putM4(h);
  const once = { headers: { 'idempotency-key': 'join-1' }, body: { tier: 'm4', units: 2 } };
  const first = await h.call('POST', '/waitlist', once);
  const second = await h.call('POST', '/waitlist', once);
  t.same([second.statusCode, second.json()], [201, first.json()]);
  t.equal(second.headers['idempotent-replayed'], 'true');
  const leave = () => h.call('DELETE', `/waitlist/${first.json().id}`, { headers: { 'idempotency-key': 'leave-1' } });
  t.equal((await leave()).json().status, 'cancelled');
  const again = await leave();
  t.same([again.statusCode, again.headers['idempotent-replayed']], [200, 'true']);
  t.equal(codeOf(await cancel(h, first.json().id)), 'waitlist_not_cancellable', 'without the key it is told');
});
