// Unpaid orders can hold at most half of the free Macs, and an account cannot repeat them without a pause.
// Runs in: soak
import fc from 'fast-check';
import t from 'tap';
import { createOrderRefunds } from '../../control-plane/payments/app/order-refunds.js';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';
import { unpaidRoom, waitAfterUnpaid } from '../../control-plane/renting/domain/unpaid-orders.js';
import { type Harness, START, startHarness } from '../harness/harness.js';
import { addHost, codeOf, DAY, HOUR, iso, order, pay, putM4, rent } from '../harness/renting.js';
import { cases } from '../harness/soak.js';

const MINUTE = 60_000;
const shared = { shared: true };
const start = (t: Parameters<typeof startHarness>[0], limits = {}) =>
  startHarness(t, { limits: { unpaid_share_percent: 50, ...limits } });
const want = (h: Harness, body: object = {}, key = h.keys.all) =>
  h.call('POST', '/orders', { key, body: { tier: 'm4', hours: 24, ...body } });
const cancel = (h: Harness, orderNo: string) => createOrderRefunds({ ...h.orderDeps, store: h.store }).cancel(orderNo);

t.test('unpaid orders can hold half of the free Macs, and at least one', async (t) => {
  for (const [free, held, room] of [
    [0, 0, 0],
    [1, 0, 1],
    [2, 0, 1],
    [3, 0, 1],
    [4, 0, 2],
    [10, 0, 5],
    [7, 3, 2],
    [5, 5, 0],
    [1, 1, 0],
    [0, 1, 0],
    [3, 9, 0],
  ] as const) {
    t.equal(unpaidRoom(free, held, defaultLimits), room, `${free} free, ${held} held`);
  }
  t.equal(unpaidRoom(4, 0, { ...defaultLimits, unpaid_share_percent: 100 }), 4);
  t.equal(unpaidRoom(4, 0, { ...defaultLimits, unpaid_share_percent: 0 }), 1);
});

t.test('after two unpaid orders within a day, the account waits an hour', async (t) => {
  const ended = (endedAt: number, heldMs = 30 * MINUTE) => ({
    createdAt: endedAt - heldMs,
    endedAt,
    payExpiresAt: endedAt - heldMs + 30 * MINUTE,
  });
  const at = 100 * HOUR;
  const cases: [string, ReturnType<typeof ended>[], number, number | null][] = [
    ['none', [], at, null],
    ['one', [ended(at)], at, null],
    ['two', [ended(at), ended(at - 23 * HOUR)], at, at + HOUR],
    ['two, a millisecond before the hour ends', [ended(at), ended(at)], at + HOUR - 1, at + HOUR],
    ['two, when the hour has ended', [ended(at), ended(at)], at + HOUR, null],
    ['two, a day apart', [ended(at), ended(at - 24 * HOUR)], at, null],
    ['two, the first now older than a day', [ended(at), ended(at - 23.9 * HOUR)], at + 0.5 * HOUR, at + HOUR],
    ['one whose payment was unclear for hours', [ended(at, 5 * HOUR)], at, null],
    ['four canceled after half of their time', Array(4).fill(ended(at, 15 * MINUTE)), at, at + HOUR],
    ['three canceled after half of their time', Array(3).fill(ended(at, 15 * MINUTE)), at, null],
    ['sixty-one canceled at once', Array(61).fill(ended(at, 0)), at, at + HOUR],
    ['some canceled at once', Array(50).fill(ended(at, 0)), at, null],
  ];
  for (const [name, orders, now, until] of cases) {
    t.equal(waitAfterUnpaid(orders, now, defaultLimits), until, name);
  }
});

t.test('unpaid orders hold at most half of the free Macs; paid orders do not count', async (t) => {
  const h = await start(t, { pending_orders: 10 });
  const host = await addHost(h, 6, shared);
  const refused = await want(h, { units: 4 });
  t.same([refused.statusCode, codeOf(refused)], [409, 'no_capacity']);
  const { error } = refused.json();
  t.match(error.message, /^6 Macs of the tier m4 are free, but unpaid orders .* order 3 now \(4 were asked for\)/);
  t.same(error.unpaid_orders, []);
  t.same(error.next, [
    {
      action: 'order_fewer',
      method: 'POST',
      path: '/api/v1/orders',
      body: { tier: 'm4', hours: 24, units: 3 },
    },
  ]);
  const first = await want(h, error.next[0].body);
  t.equal(first.statusCode, 201, 'the suggested order is accepted unchanged');
  const { order_no } = first.json();
  const more = await want(h);
  t.equal(codeOf(more), 'no_capacity');
  t.match(more.json().error.message, `${order_no} holds 3 Macs until ${iso(START + 30 * MINUTE)}`);
  t.same(more.json().error.next, [{ action: 'show_unpaid_order', method: 'GET', path: `/api/v1/orders/${order_no}` }]);
  const key = await h.createKey(['manage']);
  t.equal(codeOf(await want(h, {}, key)), 'no_capacity', 'another key of the account');
  t.equal((await want(h, {}, h.other.key)).statusCode, 201, 'another account can order');

  await pay(h, order_no);
  const then = await want(h);
  t.equal(then.statusCode, 201, 'the rest can be ordered once the first order is paid');
  t.equal(codeOf(await want(h)), 'no_capacity');
  t.same((await host.rentalIds()).length, 3);
});

t.test('the only Mac of a tier can be ordered', async (t) => {
  const h = await start(t);
  await addHost(h, 1);
  const { order_no } = await order(h);
  const now = await want(h);
  t.equal(codeOf(now), 'no_capacity');
  t.match(now.json().error.next, [{ action: 'join_waitlist' }, { action: 'show_unpaid_order' }]);
  t.equal((await want(h, { start: iso(START + 10 * DAY) })).statusCode, 201, 'another time is free');
  t.equal(await pay(h, order_no), true);
});

t.test('the limit applies to each tier and each time separately', async (t) => {
  const h = await start(t, { pending_orders: 10 });
  await addHost(h, 4, shared);
  const later = { units: 2, start: iso(START + 10 * DAY) };
  t.equal((await want(h, { units: 2 })).statusCode, 201);
  t.equal((await want(h, later)).statusCode, 201);
  t.equal(codeOf(await want(h, later)), 'no_capacity');
  t.equal(codeOf(await want(h, { hours: 20 * 24 })), 'no_capacity', 'a time that overlaps both orders');
  await putM4(h, { tier: 'm5', name: 'Mac mini M5' });
  const { token } = await h.hosts.createEnrolment({ tier: 'm5', slots: 1 });
  await h.hosts.enrol({ token, hostname: 'another' });
  t.equal((await want(h, { tier: 'm5', start: iso(START + DAY) })).statusCode, 201);
});

t.test('the waitlist refuses an account that can have the Macs by paying, and says so', async (t) => {
  const h = await start(t);
  await addHost(h, 2);
  const wait = () => h.call('POST', '/waitlist', { body: { tier: 'm4', units: 2 } });
  const refused = await wait();
  t.equal(codeOf(refused), 'available_now');
  t.match(refused.json().error, { available_now: 1, next: [{ body: { tier: 'm4', hours: 24, units: 1 } }] });
  await order(h);
  const one = await h.call('POST', '/waitlist', { body: { tier: 'm4', units: 1 } });
  t.match(one.json().error, {
    code: 'available_now',
    next: [{ method: 'GET', path: '/api/v1/orders?status=awaiting_payment' }],
  });
  t.equal((await wait()).statusCode, 201, 'one of two Macs is held');
});

t.test('an account waits after two expired orders; other accounts do not', async (t) => {
  const h = await start(t);
  const host = await addHost(h, 4, shared);
  const [rentalId] = await rent(h, host, { hours: 48 });
  await order(h);
  await h.pass(10 * MINUTE);
  t.equal((await want(h)).statusCode, 409);
  await h.pass(20 * MINUTE);
  await order(h);
  await h.pass(20 * HOUR);
  const refused = await want(h);
  t.equal(refused.statusCode, 201, 'the hour after the second expiry has passed');
  await h.pass(30 * MINUTE);
  const again = await want(h, {}, await h.createKey(['manage', 'read']));
  t.same([again.statusCode, codeOf(again)], [429, 'too_many_pending_orders'], 'with any key');
  t.equal(again.headers['retry-after'], '3600');
  t.match(again.json().error, {
    retry_after_s: 3600,
    message: `New Macs can be ordered again at ${iso(h.clock.now() + HOUR)}`,
    next: [{ method: 'GET', path: '/api/v1/orders?status=expired' }],
  });
  t.equal((await want(h, {}, h.other.key)).statusCode, 201);
  const longer = await h.call('POST', `/rentals/${rentalId}/extend`, { body: { hours: 24 } });
  t.equal(longer.statusCode, 201, 'Macs that are rented can be extended');
  t.equal(await pay(h, longer.json().order_no), true);
  await h.pass(HOUR - 1_000);
  t.equal((await want(h)).headers['retry-after'], '1');
  await h.pass(1_000);
  t.equal((await want(h)).statusCode, 201);
});

t.test('expired extensions do not delay new orders', async (t) => {
  const h = await start(t);
  const host = await addHost(h, 2, shared);
  const [rentalId] = await rent(h, host, { hours: 96 });
  for (let i = 0; i < 3; i++) {
    t.equal((await h.call('POST', `/rentals/${rentalId}/extend`, { body: { hours: 24 } })).statusCode, 201);
    await h.pass(30 * MINUTE);
  }
  t.equal((await want(h)).statusCode, 201);
});

t.test('canceling and reordering holds Macs for at most an hour a day', async (t) => {
  const h = await start(t);
  await addHost(h, 1);
  let heldMs = 0;
  for (let i = 0; i < 24 * 12; i++) {
    const answer = await want(h);
    if (answer.statusCode === 201) {
      await h.pass(5 * MINUTE);
      await cancel(h, answer.json().order_no);
      heldMs += 5 * MINUTE;
    } else {
      t.equal(codeOf(answer), 'too_many_pending_orders');
      await h.pass(5 * MINUTE);
    }
  }
  t.ok(heldMs <= HOUR + 23 * 5 * MINUTE, `${heldMs / MINUTE} minutes`);
});

t.test('parallel orders of several accounts never exceed their halves', async (t) => {
  const h = await start(t, { pending_orders: 1_000, unpaid_expired_orders: 1_000_000 });
  for (let i = 0; i < 4; i++) await addHost(h, 3, shared);
  const slots = 12;
  const asMade = h.store.dialect === 'sqlite' ? 'rowid' : 'created_at, ctid';
  const body = fc.record({ first: fc.boolean(), units: fc.integer({ min: 1, max: 5 }) });
  const property = fc.asyncProperty(fc.array(body, { minLength: 2, maxLength: 12 }), async (wanted) => {
    const key = (first: boolean) => (first ? h.keys.all : h.other.key);
    const answers = await Promise.all(wanted.map(({ first, units }) => want(h, { units }, key(first))));
    const codes = answers.map((answer) => (answer.statusCode === 201 ? 'made' : codeOf(answer)));
    if (!codes.every((code) => code === 'made' || code === 'no_capacity')) throw new Error(codes.join());
    const held = new Map<number, number>();
    const rows = await h.store.all<{ order_no: string; account_id: number; units: number }>(
      `SELECT order_no, account_id, units FROM orders WHERE status = 'awaiting_payment' ORDER BY ${asMade}`,
    );
    if (rows.length !== codes.filter((code) => code === 'made').length) throw new Error('number of orders differs');
    let free = slots;
    for (const { account_id, units } of rows) {
      const own = held.get(account_id) ?? 0;
      const most = Math.max(1, Math.floor((free + own) / 2));
      if (own + units > most) throw new Error(`${own} and ${units} of ${free} free`);
      held.set(account_id, own + units);
      free -= units;
    }
    for (const { order_no } of rows) await cancel(h, order_no);
  });
  await fc.assert(property, { numRuns: cases(6) });
});
