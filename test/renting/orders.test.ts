// Orders: prices, pay links, what is refused, lists.
import t from 'tap';
import { cancelOrder } from '../../control-plane/renting/app/order-ends.js';
import { findAnyOrder } from '../../control-plane/renting/store/orders.js';
import { START, startHarness } from '../harness/harness.js';
import { parked } from '../harness/parked.js';
import { addHost, codeOf, DAY, HOUR, iso, order, pay, putM4 } from '../harness/renting.js';
import { free, MINUTE, macs, status } from './orders-rig.js';

t.test('a quote reports price and availability, and holds nothing', async (t) => {
  const h = await startHarness(t);
  await addHost(h, 2);
  const ask = { tier: 'm4', hours: 48, units: 3 };
  for (let i = 0; i < 3; i++) {
    t.same((await h.call('POST', '/quote', { key: h.keys.read, body: ask })).json(), {
      tier: 'm4',
      hours: 48,
      units: 3,
      start: null,
      unit_price_won: 10_000,
      amount_won: 60_000,
      breakdown: [{ period: '24h', count: 6, amount_won: 60_000 }],
      available_now: 2,
      sales_open: true,
    });
  }
  t.equal((await h.call('POST', '/quote', { body: { tier: 'm4', hours: 24 } })).json().units, 1);
  await putM4(h, { salesOpen: false });
  t.match((await h.call('POST', '/quote', { body: ask })).json(), { available_now: 0, sales_open: false });
});

t.test('an invalid quote or order is refused with the first code that applies', async (t) => {
  const h = await startHarness(t);
  await addHost(h, 1);
  const good = { tier: 'm4', hours: 24 };
  const both: [string, object, number, string | null][] = [
    ['hours as text', { ...good, hours: '24' }, 400, null],
    ['hours null', { ...good, hours: null }, 400, null],
    ['no tier', { hours: 24 }, 400, null],
    ['a tier that is no text', { ...good, tier: 4 }, 400, null],
    ['no units', { ...good, units: 0 }, 400, null],
    ['half a unit', { ...good, units: 1.5 }, 400, null],
    ['an unknown tier', { ...good, tier: 'm9' }, 400, 'invalid_tier'],
    ['an unknown tier and bad hours', { tier: 'm9', hours: 25 }, 400, 'invalid_tier'],
    ['no whole pass', { ...good, hours: 25 }, 422, 'invalid_period'],
    ['a fraction', { ...good, hours: 24.5 }, 422, 'invalid_period'],
    ['nothing', { ...good, hours: 0 }, 422, 'invalid_period'],
    ['less than nothing', { ...good, hours: -24 }, 422, 'invalid_period'],
    ['more than 30 days', { ...good, hours: 744 }, 422, 'invalid_period'],
  ];
  for (const [path, classCode] of [
    ['/quote', 'invalid_quote'],
    ['/orders', 'invalid_order'],
  ] as const) {
    for (const [name, body, code, own] of both) {
      const answer = await h.call('POST', path, { body });
      t.same([answer.statusCode, codeOf(answer)], [code, own ?? classCode], `${path}: ${name}`);
    }
    t.match((await h.call('POST', path, { body: { hours: 'x' } })).json().error.fields, [
      { path: 'tier' },
      { path: 'hours' },
    ]);
  }
  const orders: [string, object, number, string][] = [
    ['a start that is no time', { ...good, start: 'tomorrow' }, 400, 'invalid_start'],
    ['a start that is no text', { ...good, start: 5 }, 400, 'invalid_order'],
    ['a start in the past', { ...good, start: iso(START - 5 * MINUTE - 1) }, 400, 'invalid_start'],
    ['a start too far ahead', { ...good, start: iso(START + 91 * DAY) }, 400, 'invalid_start'],
    ['an Xcode of no tier', { ...good, setup: { xcode: '9.9' } }, 400, 'xcode_not_available'],
    ['an Xcode that is no text', { ...good, setup: { xcode: 16 } }, 400, 'invalid_order'],
    ['a setup that is none', { ...good, setup: null }, 400, 'invalid_order'],
    ['a day that does not exist', { ...good, start: '2026-02-30' }, 400, 'invalid_start'],
  ];
  for (const [name, body, code, wanted] of orders) {
    const answer = await h.call('POST', '/orders', { body });
    t.same([answer.statusCode, codeOf(answer)], [code, wanted], name);
  }
  const answer = await h.call('POST', '/orders', { body: { ...good, setup: { xcode: '9.9' } } });
  t.same(answer.json().error.options, ['16.2', '16.1']);
  t.same((await h.call('GET', '/orders')).json().orders, [], 'none of them was an order');
  t.equal(codeOf(await h.call('POST', '/orders', { key: h.keys.read, body: good })), 'api_key_read_only');
  t.equal(codeOf(await h.call('POST', '/quote', { key: h.keys.manage, body: good })), 'api_key_write_only');
});

t.test('an order: its price with VAT, its pay link, its Macs', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 3);
  const made = await order(h, { hours: 48, units: 2, setup: { xcode: '16.1' } });
  t.match(made.order_no, /^RT-[0-9A-Z-]{3,61}$/);
  t.same(made, {
    order_no: made.order_no,
    kind: 'rental',
    status: 'awaiting_payment',
    tier: 'm4',
    hours: 48,
    units: 2,
    pay_url: `${h.siteUrl}/pay/${made.order_no}`,
    rental_ids: [],
    rentals_start_at: null,
    rentals_ended_at: null,
    names: [],
    amount_won: 40_000,
    supply_won: 36_364,
    vat_won: 3_636,
    start: 'now',
    setup: { xcode: '16.1' },
    items: [],
    pay_expires_at: iso(START + 30 * MINUTE),
    created_at: iso(START),
    paid_at: null,
    receipt_url: null,
    refunded_won: 0,
    refunded_at: null,
    ended_at: null,
    end_reason: null,
  });
  t.equal(await free(h), 1, 'an unpaid order holds its slots');
  const start = async () => (await h.call('GET', '/agent/start')).body;
  t.match(await start(), `waits for a person to pay: show them ${h.siteUrl}/pay/${made.order_no}, valid until`);
  await h.pass(10 * MINUTE);
  t.ok(await pay(h, made.order_no));
  t.notOk(await pay(h, made.order_no), 'paying twice changes nothing');
  const paid = (await h.call('GET', `/orders/${made.order_no}`)).json();
  t.match(paid, { status: 'provisioning', paid_at: iso(START + 10 * MINUTE) });
  t.match(await start(), `Order ${made.order_no} is paid, and its Macs are being prepared`);
  t.equal(paid.rental_ids.length, 2);
  const [first, second] = paid.rental_ids;
  t.match(await macs(h), [
    { rental_id: first, state: 'preparing', xcode: '16.1', remaining_s: 48 * 3600 },
    { rental_id: second, state: 'preparing' },
  ]);
  const detail = (await h.call('GET', `/rentals/${first}`)).json();
  t.match(detail, {
    mac_state: 'preparing',
    setup: { xcode: '16.1', runtimes: [], tools: [] },
    setup_options: { xcode: ['16.2', '16.1'], runtimes: ['iOS 18.2'], tools: ['tuist'] },
    op: { kind: 'provision', status: 'running' },
    current_build: null,
    queued_builds: 0,
  });
  await host.mac(first, 'ready');
  t.equal(await status(h, made.order_no), 'provisioning', 'one of two');
  await h.pass(5 * MINUTE);
  await host.mac(second, 'ready');
  t.equal(await status(h, made.order_no), 'ready');
  t.match(await macs(h), [
    { state: 'ready', ends_at: iso(START + 10 * MINUTE + 48 * HOUR) },
    { state: 'ready', starts_at: iso(START + 15 * MINUTE), ends_at: iso(START + 15 * MINUTE + 48 * HOUR) },
  ]);
  t.match((await h.call('GET', `/rentals/${second}`)).json().op, { status: 'done' });
  await h.pass(49 * HOUR);
  t.same(await macs(h), [], 'when the time is over the Macs are gone');
  t.equal(await free(h), 3);
  t.equal(codeOf(await h.call('GET', `/rentals/${first}`)), 'rental_not_found');
  t.match(await h.call('GET', `/orders/${made.order_no}`), { statusCode: 200 }, 'the order stays');
});

t.test('an order is canceled before it is paid', async (t) => {
  const h = await startHarness(t);
  await addHost(h, 1);
  const { order_no } = await order(h);
  await h.store.transaction(async (tx) => {
    const seen = await findAnyOrder(tx, order_no);
    if (seen) await cancelOrder(tx, h.orderDeps, seen, 'canceled_by_person');
  });
  t.match((await h.call('GET', `/orders/${order_no}`)).json(), {
    status: 'canceled',
    end_reason: 'canceled_by_person',
  });
  t.equal(await free(h), 1);
  t.same(await h.refunds(), [], 'nothing was paid');
  for (const [method, path] of [
    ['POST', `/orders/${order_no}/cancel`],
    ['DELETE', `/orders/${order_no}`],
  ] as const) {
    const answer = await h.call(method, path);
    t.same([answer.statusCode, codeOf(answer)], [410, 'endpoint_removed']);
  }
});

t.test('a start that has just passed counts as now', async (t) => {
  const h = await startHarness(t);
  await addHost(h, 1);
  const made = await order(h, { start: iso(START - 5 * MINUTE) });
  t.equal(made.start, 'now');
  await pay(h, made.order_no);
  t.match(await macs(h), [{ state: 'preparing', starts_at: iso(START) }]);
});

t.test('hours that cannot be bought: the error names the nearest period', async (t) => {
  const h = await startHarness(t);
  await addHost(h, 1);
  for (const [hours, nearest] of [
    [25, 48],
    [0, 24],
    [744, 720],
  ]) {
    const { error } = (await h.call('POST', '/quote', { body: { tier: 'm4', hours } })).json();
    t.match(error.next, [{ method: 'POST', path: '/api/v1/quote', body: { tier: 'm4', hours: nearest } }]);
    t.equal((await h.call('POST', '/quote', { body: error.next[0].body })).statusCode, 200);
  }
});

t.test('the list of orders, page by page, without those of another account', async (t) => {
  const h = await startHarness(t, { limits: { pending_orders: 10 } });
  await addHost(h, 5, { shared: true });
  const numbers: string[] = [];
  for (let i = 0; i < 3; i++) {
    numbers.unshift((await order(h)).order_no);
    await h.clock.advance(1000);
  }
  const foreign = (await order(h, {}, h.other.key)).order_no;
  const list = async (query: string) => (await h.call('GET', `/orders${query}`)).json();
  const page = await list('?limit=2');
  t.same(
    page.orders.map((one: { order_no: string }) => one.order_no),
    numbers.slice(0, 2),
  );
  const rest = await list(`?limit=2&before=${page.next_before}`);
  t.same(
    rest.orders.map((one: { order_no: string }) => one.order_no),
    numbers.slice(2),
  );
  t.equal(rest.next_before, null);
  await pay(h, numbers[0] ?? '');
  t.equal((await list('?status=provisioning')).orders.length, 1);
  t.equal(codeOf(await h.call('GET', '/orders?status=gone')), 'invalid_query');
  t.equal(codeOf(await h.call('GET', '/orders?limit=0')), 'invalid_query');
  t.equal(codeOf(await h.call('GET', `/orders?before=${foreign}`)), 'invalid_query');
  for (const path of [`/orders/${foreign}`, `/orders/${foreign}/wait`, '/orders/RT-0', '/orders/%00']) {
    const answer = await h.call('GET', path);
    t.same([answer.statusCode, codeOf(answer)], [404, 'order_not_found'], path);
  }
});

t.test('waiting for an order', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 1);
  const { order_no } = await order(h);
  const wait = (query = '') => h.call('GET', `/orders/${order_no}/wait${query}`);
  for (const timeout of ['0', '61', 'x', '1.5']) {
    t.equal(codeOf(await wait(`?timeout=${timeout}`)), 'invalid_timeout', timeout);
  }
  t.equal((await wait('?timeout=1')).json().status, 'awaiting_payment', 'time is up: as it is');
  const paid = wait();
  await parked(h);
  await pay(h, order_no);
  t.equal((await paid).json().status, 'provisioning');
  const ready = wait();
  await parked(h);
  const [rentalId = ''] = await host.rentalIds();
  await host.mac(rentalId, 'ready');
  t.equal((await ready).json().status, 'ready');
  t.equal((await wait()).json().status, 'ready', 'at once');
  const next = (await order(h, { start: iso(h.clock.now() + 2 * DAY) })).order_no;
  const expired = h.call('GET', `/orders/${next}/wait`);
  await parked(h);
  await h.pass(30 * MINUTE);
  t.equal((await expired).json().status, 'expired');
});

t.test('the same order twice under one Idempotency-Key is one order', async (t) => {
  const h = await startHarness(t);
  await addHost(h, 3);
  const send = (key: string, body: object = {}) =>
    h.call('POST', '/orders', {
      headers: { 'idempotency-key': key },
      body: { tier: 'm4', hours: 24, ...body },
    });
  const [one, two] = await Promise.all([send('a'), send('a')]);
  t.equal(one.body, two.body);
  t.same([one, two].map((a) => a.headers['idempotent-replayed'] ?? null).sort(), ['true', null].sort());
  t.equal(codeOf(await send('a', { units: 2 })), 'idempotency_conflict');
  t.equal(codeOf(await send('b', { units: 9 })), 'no_capacity');
  t.equal((await send('b')).statusCode, 201, 'a request that failed had no effect');
  t.equal(await free(h), 1);
});
