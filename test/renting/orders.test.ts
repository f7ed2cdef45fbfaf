// From a quote to Macs: what orders hold, how they are paid, and what becomes of them when nobody pays, when a host
// fails, or when a Mac is late.
import t from 'tap';
import { createOrderRefunds } from '../../control-plane/payments/app/order-refunds.js';
import { cancelOrder } from '../../control-plane/renting/app/order-ends.js';
import { findAnyOrder } from '../../control-plane/renting/store/orders.js';
import { type Harness, START, startHarness } from '../harness/harness.js';
import { addHost, codeOf, DAY, HOUR, iso, order, pay, putM4, rent } from '../harness/renting.js';

const MINUTE = 60_000;
const free = async (h: Harness, key = h.keys.all) =>
  (await h.call('POST', '/quote', { key, body: { tier: 'm4', hours: 24 } })).json().available_now;
const status = async (h: Harness, orderNo: string) =>
  (await h.call('GET', `/orders/${orderNo}`)).json().status;
const macs = async (h: Harness, key = h.keys.all) =>
  (await h.call('GET', '/rentals', { key })).json().rentals;
const advance = async (h: Harness, ms: number) => {
  await h.clock.advance(ms);
  await h.workers.idle();
};

t.test('a quote reports price and availability, and holds nothing', async (t) => {
  const h = await startHarness(t);
  await addHost(h, 2);
  const ask = { tier: 'm4', hours: 48, units: 3 };
  for (let i = 0; i < 3; i++) {
    t.same((await h.call('POST', '/quote', { key: h.keys.read, body: ask })).json(), {
      ...{ tier: 'm4', hours: 48, units: 3, unit_price_won: 10_000, amount_won: 60_000 },
      breakdown: [{ period: '24h', count: 6, amount_won: 60_000 }],
      ...{ available_now: 2, sales_open: true },
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
    ...{ kind: 'rental', status: 'awaiting_payment', tier: 'm4', hours: 48, units: 2 },
    pay_url: `${h.siteUrl}/pay/${made.order_no}`,
    ...{ rental_ids: [], amount_won: 40_000, supply_won: 36_364, vat_won: 3_636 },
    ...{ start: 'now', setup: { xcode: '16.1' }, items: [] },
    ...{ pay_expires_at: iso(START + 30 * MINUTE), created_at: iso(START), paid_at: null },
    ...{ receipt_url: null, refunded_won: 0, refunded_at: null, ended_at: null, end_reason: null },
  });
  t.equal(await free(h), 1, 'an unpaid order holds its slots');
  const start = async () => (await h.call('GET', '/agent/start')).body;
  t.match(await start(), `waits for a person: show them ${h.siteUrl}/pay/${made.order_no}, good until`);
  await advance(h, 10 * MINUTE);
  t.ok(await pay(h, made.order_no));
  t.notOk(await pay(h, made.order_no), 'paying twice changes nothing');
  const paid = (await h.call('GET', `/orders/${made.order_no}`)).json();
  t.match(paid, { status: 'provisioning', paid_at: iso(START + 10 * MINUTE) });
  t.match(await start(), `Order ${made.order_no} is paid, and its Macs are being made ready`);
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
  await advance(h, 5 * MINUTE);
  await host.mac(second, 'ready');
  t.equal(await status(h, made.order_no), 'ready');
  t.match(await macs(h), [
    { state: 'ready', ends_at: iso(START + 10 * MINUTE + 48 * HOUR) },
    { state: 'ready', starts_at: iso(START + 15 * MINUTE), ends_at: iso(START + 15 * MINUTE + 48 * HOUR) },
  ]);
  t.match((await h.call('GET', `/rentals/${second}`)).json().op, { status: 'done' });
  await advance(h, 49 * HOUR);
  t.same(await macs(h), [], 'when the time is over the Macs are gone');
  t.equal(await free(h), 3);
  t.equal(codeOf(await h.call('GET', `/rentals/${first}`)), 'rental_not_found');
  t.match(await h.call('GET', `/orders/${made.order_no}`), { statusCode: 200 }, 'the order stays');
});

t.test('an unpaid order expires and frees its slots; a late payment is refused', async (t) => {
  const h = await startHarness(t);
  await addHost(h, 1);
  const { order_no } = await order(h);
  await advance(h, 30 * MINUTE - 1);
  t.equal(await status(h, order_no), 'awaiting_payment');
  t.equal(await free(h), 0);
  await advance(h, 1);
  t.equal(await status(h, order_no), 'expired');
  t.equal(await free(h), 1);
  t.notOk(await pay(h, order_no));
});

t.test('a payment in doubt keeps its order from expiring', async (t) => {
  const h = await startHarness(t);
  await addHost(h, 1);
  const { order_no } = await order(h);
  await h.store.run(
    `INSERT INTO payments (order_no, account_id, kind, provider, status, amount_won, created_at, updated_at)
     VALUES (:order_no, :account, 'order', 'sandbox', 'confirming', 10000, 0, 0)`,
    { order_no, account: h.org.id },
  );
  await advance(h, 45 * MINUTE);
  t.equal(await status(h, order_no), 'awaiting_payment');
  t.ok(await pay(h, order_no), 'it was: at its own time, not the link’s');
  t.match(await macs(h), [{ starts_at: iso(START + 45 * MINUTE) }]);
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

t.test('no_capacity: the reason, and what to do next', async (t) => {
  const h = await startHarness(t, { limits: { pending_orders: 2 } });
  const host = await addHost(h, 2);
  const want = (body: object = {}, key = h.keys.all) =>
    h.call('POST', '/orders', { key, body: { tier: 'm4', hours: 24, ...body } });

  const three = await want({ units: 3 });
  t.same([three.statusCode, codeOf(three)], [409, 'no_capacity']);
  t.match(three.json().error, {
    ...{ fault: 'capacity', retryable: true },
    unpaid_orders: [],
    next: [
      { method: 'POST', path: '/api/v1/waitlist', body: { tier: 'm4', units: 3 } },
      { action: 'order_fewer', path: '/api/v1/orders', body: { tier: 'm4', hours: 24, units: 2 } },
    ],
  });
  const [next] = three.json().error.next;
  const followed = await h.call(next.method, next.path.replace('/api/v1', ''), { body: next.body });
  t.equal(followed.statusCode, 201, 'the suggestion can be sent as it stands');

  await order(h);
  t.equal(codeOf(await want({}, h.other.key)), 'no_capacity', 'a host serves one account at a time');
  await order(h);
  const pending = await want();
  t.same([pending.statusCode, codeOf(pending)], [429, 'too_many_pending_orders']);
  t.match(pending.headers, { 'retry-after': '1800' });
  t.same(pending.json().error.next, [
    { action: 'list_unpaid_orders', method: 'GET', path: '/api/v1/orders?status=awaiting_payment' },
  ]);
  const another = await h.createKey(['manage']);
  t.equal(codeOf(await want({}, another)), 'too_many_pending_orders', 'the limit applies to the account');
  t.equal((await h.call('GET', '/orders?status=awaiting_payment')).json().orders.length, 2);

  await putM4(h, { salesOpen: false });
  t.equal(codeOf(await want()), 'sales_closed');
  await putM4(h);
  await advance(h, 30 * MINUTE);
  await h.organizations.setPaymentsBlocked(await h.organizations.find(h.org.orgId), true);
  const blocked = await want();
  t.same([blocked.statusCode, codeOf(blocked)], [403, 'account_blocked']);
  t.equal(blocked.json().error.fault, 'payment');

  for (const status of ['draining', 'cordoned', 'removed']) {
    await h.store.transaction((tx) =>
      tx.run(
        `UPDATE hosts SET status = :status, calendar_revision = calendar_revision + 1 WHERE host_id = :id`,
        {
          status,
          id: host.hostId,
        },
      ),
    );
    t.equal(await free(h, h.other.key), 0, status);
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

t.test('no_capacity names the account’s own unpaid orders; one that is canceled makes room', async (t) => {
  const h = await startHarness(t);
  await addHost(h, 2);
  const held = await order(h);
  const status = (await h.call('GET', '/status')).json();
  t.same(status.unpaid_orders, [
    {
      ...{ order_no: held.order_no, kind: 'rental', tier: 'm4', units: 1, hours: 24, amount_won: 10_000 },
      ...{ pay_url: held.pay_url, pay_expires_at: iso(START + 30 * MINUTE) },
    },
  ]);
  t.same((await h.call('GET', '/status', { key: h.other.key })).json().unpaid_orders, []);
  const refused = await h.call('POST', '/orders', { body: { tier: 'm4', hours: 24, units: 2 } });
  const { error } = refused.json();
  t.match(error, {
    code: 'no_capacity',
    message: `${held.order_no} holds 1 until`,
    unpaid_orders: [{ order_no: held.order_no, units: 1, pay_expires_at: iso(START + 30 * MINUTE) }],
  });
  t.same(
    error.next.map((next: { action: string }) => next.action),
    ['join_waitlist', 'order_fewer', 'show_unpaid_order'],
  );
  const shown = await h.call('GET', error.next[2].path.replace('/api/v1', ''));
  t.match(shown.json(), { order_no: held.order_no, pay_url: held.pay_url });
  t.notMatch(
    (await h.call('POST', '/orders', { key: h.other.key, body: { tier: 'm4', hours: 24 } })).body,
    held.order_no,
    'another account sees nothing of it',
  );
  const { cancel } = createOrderRefunds({ ...h.orderDeps, store: h.store });
  t.match(await cancel(held.order_no), { status: 'canceled', endReason: 'canceled_by_person' });
  t.equal(await free(h), 2);
  t.same((await h.call('GET', '/status')).json().unpaid_orders, []);
  t.equal(await pay(h, held.order_no), false);
  await t.rejects(cancel(held.order_no), { code: 'order_not_payable' });
  await t.rejects(cancel('RT-0'), { code: 'order_not_found' });
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

t.test('an operator takes hosts in and out of service, and availability follows at once', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 2);
  const other = () => free(h, h.other.key);
  t.equal(await free(h), 2);
  await h.hosts.change(host.hostId, 'drain');
  t.equal(await free(h), 0);
  await h.hosts.change(host.hostId, 'undrain');
  t.equal(await free(h), 2);
  await host.disconnect();
  t.equal(await free(h), 0, 'a host that is away makes no Mac now');
  await order(h, { start: iso(START + DAY) });
  await host.connect();
  t.equal(await free(h), 1);
  await h.hosts.configure(host.hostId, { slots: 3 });
  t.equal(await free(h), 2);
  await t.rejects(h.hosts.configure(host.hostId, { tier: 'm4', slots: 129 }), { code: 'invalid_request' });
  t.equal(await other(), 0);
  await h.hosts.configure(host.hostId, { shared: true });
  t.equal(await other(), 2, 'a shared host');
  await advance(h, 30 * MINUTE);
  await h.hosts.configure(host.hostId, { slots: 1 });
  t.equal(await free(h), 1);
  await order(h);
  await t.rejects(h.hosts.configure(host.hostId, { tier: 'm2' }), { code: 'host_state' });
  await h.hosts.configure(host.hostId, { slots: 2 });
  t.equal(await free(h), 1);
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
  await pay(h, order_no);
  t.equal((await paid).json().status, 'provisioning');
  const ready = wait();
  const [rentalId = ''] = await host.rentalIds();
  await host.mac(rentalId, 'ready');
  t.equal((await ready).json().status, 'ready');
  t.equal((await wait()).json().status, 'ready', 'at once');
  const next = (await order(h, { start: iso(h.clock.now() + 2 * DAY) })).order_no;
  const expired = h.call('GET', `/orders/${next}/wait`);
  await advance(h, 30 * MINUTE);
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

t.test('many orders at the same time never get the same slot', async (t) => {
  const h = await startHarness(t, { limits: { pending_orders: 1000 } });
  for (let i = 0; i < 5; i++) await addHost(h, 2);
  const body = { tier: 'm4', hours: 24 };
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, i) =>
      h.call('POST', '/orders', { key: i % 2 ? h.keys.all : h.other.key, body }),
    ),
  );
  const made = answers.filter((answer) => answer.statusCode === 201);
  t.equal(made.length, 10);
  t.ok(answers.every((answer) => answer.statusCode === 201 || codeOf(answer) === 'no_capacity'));
  const rows = await h.store.all<{ host_id: string; accounts: number; slots: number; holds: number }>(
    `SELECT s.host_id, COUNT(DISTINCT o.account_id) AS accounts, COUNT(DISTINCT o.slot_id) AS slots,
       COUNT(*) AS holds FROM holds o JOIN slots s ON s.slot_id = o.slot_id GROUP BY s.host_id`,
  );
  t.ok(rows.every((row) => row.accounts === 1 && row.slots === row.holds));
});

t.test('a reservation begins at its time and lasts its full time', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 1);
  const start = START + 2 * DAY;
  const { order_no, start: said } = await order(h, { start: iso(start), hours: 48 });
  t.equal(said, iso(start));
  await pay(h, order_no);
  t.match(await macs(h), [
    {
      state: 'reserved',
      starts_at: iso(start),
      ends_at: iso(start + 2 * DAY),
      can_extend: false,
      max_extend_days: 0,
    },
  ]);
  t.equal(await status(h, order_no), 'paid');
  const [{ rental_id }] = await macs(h);
  t.match((await h.call('GET', `/rentals/${rental_id}`)).json(), { mac_state: null, op: null });
  t.same(await host.rentalIds(), []);

  t.equal(await free(h), 1, 'a pass fits before it');
  t.equal(codeOf(await h.call('POST', '/orders', { body: { tier: 'm4', hours: 48 } })), 'no_capacity');

  await advance(h, 2 * DAY);
  t.match(await macs(h), [{ state: 'preparing' }]);
  t.equal(await status(h, order_no), 'provisioning');
  t.same(await host.rentalIds(), [rental_id]);
  await advance(h, 20 * MINUTE);
  await host.mac(rental_id, 'ready');
  t.match(await macs(h), [
    { starts_at: iso(start + 20 * MINUTE), ends_at: iso(start + 2 * DAY + 20 * MINUTE) },
  ]);
  t.equal(await status(h, order_no), 'ready');
});

t.test('a Mac that is ready late does not shorten what was reserved behind it', async (t) => {
  for (const other of [false, true]) {
    const h = await startHarness(t, { limits: { provision_give_up_ms: 5 * HOUR } });
    const host = await addHost(h, 1);
    const first = await order(h);
    const behind = await order(h, { start: iso(START + DAY + HOUR), hours: 48 });
    await pay(h, first.order_no);
    await h.clock.advance(1);
    await pay(h, behind.order_no);
    if (other) await addHost(h, 1);
    const [rentalId = ''] = await host.rentalIds();
    await advance(h, 3 * HOUR - 1);
    await host.mac(rentalId, 'ready');
    const begin = START + DAY + (other ? HOUR : 3 * HOUR);
    t.match(
      await macs(h),
      [
        { rental_id: rentalId, state: 'ready', ends_at: iso(START + DAY + 3 * HOUR) },
        { state: 'reserved', starts_at: iso(begin), ends_at: iso(begin + 2 * DAY) },
      ],
      other ? 'it moves to another slot' : 'it begins later, with its whole time',
    );
    await advance(h, DAY);
    t.match(await macs(h), [{ state: 'preparing', remaining_s: 48 * 3600 }], 'the first has ended');
    await h.close();
  }
});

t.test('when a host fails, another one creates the Mac; without one the order is refunded', async (t) => {
  const h = await startHarness(t);
  const one = await addHost(h, 1);
  const two = await addHost(h, 1);
  const { order_no } = await order(h);
  await pay(h, order_no);
  const [rentalId = ''] = [...(await one.rentalIds()), ...(await two.rentalIds())];
  const at = async () => ((await one.rentalIds()).includes(rentalId) ? one : two);
  const first = await at();
  await first.mac(rentalId, 'failed');
  const second = await at();
  t.not(second.hostId, first.hostId);
  t.match(await macs(h), [{ rental_id: rentalId, state: 'preparing' }]);
  t.equal(await status(h, order_no), 'provisioning');
  await first.disconnect();
  await second.mac(rentalId, 'failed');
  t.match((await h.call('GET', `/orders/${order_no}`)).json(), {
    status: 'canceled',
    end_reason: 'no_capacity',
  });
  t.same(await h.refunds(), [
    { orderNo: order_no, accountId: h.org.id, amountWon: 10_000, reason: 'no_capacity' },
  ]);
  t.same(await macs(h), []);
  t.same(await second.rentalIds(), []);
});

t.test('a Mac that takes too long is tried elsewhere, three times in all', async (t) => {
  const h = await startHarness(t);
  const hosts = [await addHost(h, 1), await addHost(h, 1)];
  const { order_no } = await order(h);
  await pay(h, order_no);
  const places: (string | undefined)[] = [];
  for (let i = 0; i < 3; i++) {
    const ids = await Promise.all(hosts.map(async (host) => [host.hostId, await host.rentalIds()] as const));
    places.push(ids.find(([, rentals]) => rentals.length > 0)?.[0]);
    await advance(h, h.limits.provision_give_up_ms);
  }
  t.equal(new Set(places).size, 2);
  t.same(places[0], places[2]);
  t.equal(await status(h, order_no), 'canceled');
  t.equal((await h.refunds()).length, 1);
});

t.test('an order of several Macs is fulfilled completely or refunded in full', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 2);
  const { order_no } = await order(h, { units: 2 });
  await pay(h, order_no);
  const [one = '', two = ''] = await host.rentalIds();
  await host.mac(one, 'ready');
  await host.mac(two, 'failed');
  t.equal(await status(h, order_no), 'canceled');
  t.equal((await h.refunds())[0]?.amountWon, 20_000);
  await h.workers.idle();
  t.same(await macs(h), []);
  t.equal(await free(h), 2);
});

t.test('an order of two Macs that nobody makes in time leaves no slot taken', async (t) => {
  const h = await startHarness(t, { limits: { provision_attempts: 1 } });
  await addHost(h, 2);
  const { order_no } = await order(h, { units: 2 });
  await pay(h, order_no);
  await advance(h, h.limits.provision_give_up_ms);
  t.equal(await status(h, order_no), 'canceled');
  t.equal(await free(h), 2);
  t.equal((await h.call('POST', '/orders', { body: { tier: 'm4', hours: 24, units: 2 } })).statusCode, 201);
});

t.test('Macs of a canceled order push back nothing that is reserved behind them', async (t) => {
  const h = await startHarness(t, { limits: { provision_attempts: 1 } });
  await addHost(h, 2);
  const canceled = await order(h, { units: 2 });
  await pay(h, canceled.order_no);
  const starts_at = iso(START + 24 * HOUR);
  await pay(h, (await order(h, { units: 2, start: starts_at })).order_no);
  await advance(h, h.limits.provision_give_up_ms);
  t.equal(await status(h, canceled.order_no), 'canceled');
  const reserved = { state: 'reserved', starts_at };
  t.match(await macs(h), [reserved, reserved]);
  t.equal((await macs(h)).length, 2);
});

t.test(
  'two reservations that are due at once: the one that gives way begins where it was moved to',
  async (t) => {
    const h = await startHarness(t);
    await addHost(h, 1);
    for (const day of [2, 3]) {
      const { order_no } = await order(h, { start: iso(START + day * DAY) });
      await pay(h, order_no);
    }
    await addHost(h, 1);
    // As after a day on which the service did not run.
    await h.store.run('UPDATE rentals SET starts_at = starts_at - :by, ends_at = ends_at - :by', {
      by: 4 * DAY,
    });
    await h.store.run('UPDATE hosts SET calendar_revision = calendar_revision + 10');
    h.wake.wake('availability');
    h.wake.wake('orders');
    await h.workers.idle();
    t.same(
      (await macs(h)).map((mac: { state: string }) => mac.state),
      ['preparing', 'preparing'],
    );
  },
);

t.test(
  'when a host is removed, its Macs are recreated on another one with their remaining time',
  async (t) => {
    const h = await startHarness(t);
    const one = await addHost(h, 1);
    const [rentalId = ''] = await rent(h, one, { hours: 48 });
    const two = await addHost(h, 1);
    const [{ ends_at }] = await macs(h);
    await advance(h, HOUR);
    await h.hosts.change(one.hostId, 'remove');
    await h.workers.idle();
    t.same(await two.rentalIds(), [rentalId]);
    t.match(await macs(h), [{ rental_id: rentalId, state: 'preparing', ends_at }]);
    await two.mac(rentalId, 'ready');
    t.match(await macs(h), [{ state: 'ready', ends_at }]);
  },
);

t.test('an operator refunds an order', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 2);
  const { refund } = createOrderRefunds({ ...h.orderDeps, store: h.store });
  await t.rejects(refund('RT-0'), { code: 'order_not_found' });
  const { order_no } = await order(h);
  await t.rejects(refund(order_no), { code: 'order_not_refundable' }, 'nothing was paid');
  await pay(h, order_no);
  t.match((await refund(order_no)).order, { status: 'canceled', endReason: 'refunded_by_operator' });
  await h.workers.idle();
  t.same(await host.rentalIds(), []);
  await t.rejects(refund(order_no), { code: 'order_not_refundable' });

  const [id = ''] = await rent(h, host);
  const [{ order_no: ready }] = (await h.call('GET', '/orders?status=ready')).json().orders;
  const extension = (await h.call('POST', `/rentals/${id}/extend`, { body: { hours: 48 } })).json().order_no;
  await pay(h, extension);
  t.match(await macs(h), [{ ends_at: iso(START + 3 * DAY) }]);
  t.match((await refund(extension)).order, { status: 'ready', endReason: 'refunded_by_operator' });
  t.match(await macs(h), [{ ends_at: iso(START + DAY), max_extend_days: 29 }]);
  await refund(ready);
  await h.workers.idle();
  t.same(await macs(h), []);
  await t.rejects(refund(ready), { code: 'order_not_refundable' }, 'only once');
  t.same(
    (await h.refunds()).map((one) => one.amountWon),
    [10_000, 20_000, 10_000],
  );
});
