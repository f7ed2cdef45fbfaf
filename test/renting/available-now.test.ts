// `available_now` is what the account can order now, and what is suggested can be sent as it stands.
import t, { type Test } from 'tap';
import { type Harness, START, startHarness } from '../harness/harness.js';
import { addHost, codeOf, DAY, iso, order, pay } from '../harness/renting.js';
import { MINUTE } from './orders-rig.js';

const half = { limits: { unpaid_share_percent: 50 } };

/** Returns what catalog and quote say, which must be equal: an order of so many is accepted, one of more is refused. */
async function orderable(t: Test, h: Harness, key = h.keys.all): Promise<number> {
  const [tier] = (await h.call('GET', '/catalog', { key })).json().tiers;
  const ask = (path: string, units: number) => h.call('POST', path, { key, body: { tier: 'm4', hours: 24, units } });
  const quoted = (await ask('/quote', 1)).json().available_now;
  t.equal(quoted, tier.available_now, 'catalog and quote');
  const more = await ask('/orders', tier.available_now + 1);
  t.not(more.statusCode, 201, `${tier.available_now + 1} are refused`);
  return tier.available_now;
}

t.test('half of the free Macs, less those that unpaid orders hold, while another order may be placed', async (t) => {
  const h = await startHarness(t, half);
  await addHost(h, 8, { shared: true });
  t.equal(await orderable(t, h), 4);
  const first = await order(h, { units: 3 });
  t.equal(await orderable(t, h), 1);
  await order(h, { units: 1 });
  t.equal(await orderable(t, h), 0);
  t.equal(await orderable(t, h, h.other.key), 2, 'half of the four that are left');
  await pay(h, first.order_no);
  t.equal(await orderable(t, h), 1, 'paid ones do not count');
  t.equal((await h.call('GET', '/pool')).json().tiers[0].free, 4, 'what is free is another question');
  await order(h, { start: iso(START + 5 * DAY) });
  await order(h, { start: iso(START + 9 * DAY) });
  t.equal(await orderable(t, h), 0, 'no more than three unpaid orders');
  const waits = await h.call('POST', '/waitlist', { body: { tier: 'm4' } });
  t.match(waits.json().error, {
    code: 'available_now',
    available_now: 0,
    message: /too_many_pending_orders/,
    next: [{ action: 'list_unpaid_orders' }],
  });
});

t.test('Macs of a host that another account uses, and accounts whose payments are blocked', async (t) => {
  const h = await startHarness(t, half);
  await addHost(h, 2);
  await order(h, {}, h.other.key);
  t.equal(await orderable(t, h), 0, 'a host serves one account at a time');
  await addHost(h, 2);
  t.equal(await orderable(t, h), 1);
  await h.organizations.setPaymentsBlocked(await h.organizations.find(h.org.orgId), true);
  t.equal(await orderable(t, h), 0);
  const refused = await h.call('POST', '/waitlist', { body: { tier: 'm4' } });
  t.match(refused.json().error, { code: 'available_now', available_now: 0, message: /account_blocked/ });
  for (const { path } of refused.json().error.next) t.notMatch(path, '/orders');
});

t.test('during the wait after two expired orders nothing leads to an order', async (t) => {
  const h = await startHarness(t, half);
  await addHost(h, 4);
  for (let i = 0; i < 2; i++) {
    await order(h);
    await h.pass(30 * MINUTE);
  }
  t.equal(codeOf(await h.call('POST', '/orders', { body: { tier: 'm4', hours: 24 } })), 'too_many_pending_orders');
  t.equal(await orderable(t, h), 0);
  const { error } = (await h.call('POST', '/waitlist', { body: { tier: 'm4' } })).json();
  const until = iso(h.clock.now() + 60 * MINUTE);
  t.match(error, { code: 'available_now', available_now: 0, retry_after_s: 3600, message: until });
  t.same(
    error.next.map((next: { action: string }) => next.action),
    ['list_expired_orders'],
  );
  const start = (await h.call('GET', '/agent/start')).body;
  t.notMatch(start, 'POST /api/v1/orders {"tier"', 'the start page does not offer it either');
  await h.pass(60 * MINUTE);
  t.equal(await orderable(t, h), 2);
});

t.test('who waits already is not sent to the waitlist again', async (t) => {
  const h = await startHarness(t);
  await addHost(h, 1);
  await order(h, {}, h.other.key);
  const want = async () => (await h.call('POST', '/orders', { body: { tier: 'm4', hours: 24 } })).json().error;
  const before = await want();
  t.match(before, { code: 'no_capacity', next: [{ action: 'join_waitlist' }] });
  const [join] = before.next;
  t.equal((await h.call(join.method, join.path.replace('/api/v1', ''), { body: join.body })).statusCode, 201);
  const after = await want();
  t.same(after.next, [{ action: 'list_waitlist', method: 'GET', path: '/api/v1/waitlist' }]);
  t.type(after.retry_after_s, 'number');
});
