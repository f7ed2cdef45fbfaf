// More time for rented Macs: each rule and reason, one Mac and several, and what a Mac says of itself meanwhile.
// Runs in: soak
import t from 'tap';
import { type Harness, START, startHarness } from '../harness/harness.js';
import { addHost, codeOf, DAY, HOUR, iso, order, pay, putM4, rent } from '../harness/renting.js';

const MINUTE = 60_000;
const mac = async (h: Harness, id: string) => (await h.call('GET', `/rentals/${id}`)).json();
const quote = (h: Harness, id: string, hours: unknown) =>
  h.call('POST', `/rentals/${id}/extend/quote`, { body: { hours } });
const extend = (h: Harness, id: string, hours: unknown) => h.call('POST', `/rentals/${id}/extend`, { body: { hours } });
const extendAll = (h: Harness, rental_ids: unknown, hours: unknown = 24) =>
  h.call('POST', '/rentals/extend', { body: { rental_ids, hours } });
const quoteAll = (h: Harness, rental_ids: unknown, hours: unknown = 24) =>
  h.call('POST', '/rentals/extend/quote', { body: { rental_ids, hours } });
const advance = async (h: Harness, ms: number) => {
  await h.clock.skip(ms);
  await h.workers.idle();
};

t.test('a Mac is extended: quote, order, payment, and its full new time', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 1);
  const [id = ''] = await rent(h, host);
  t.match(await mac(h, id), {
    can_extend: true,
    max_extend_days: 29,
    quote_hint: { days: 1, amount_won: 10_000 },
  });
  t.same((await quote(h, id, 72)).json(), {
    rental_id: id,
    rental_name: 'Mac 1',
    hours: 72,
    amount_won: 30_000,
    breakdown: [{ period: '24h', count: 3, amount_won: 30_000 }],
    ends_at: iso(START + DAY),
    new_ends_at: iso(START + 4 * DAY),
  });
  const ordered = await extend(h, id, 72);
  t.equal(ordered.statusCode, 201);
  const made = ordered.json();
  t.match(made, {
    kind: 'extension',
    status: 'awaiting_payment',
    tier: 'm4',
    hours: 72,
    units: 1,
    amount_won: 30_000,
    rental_ids: [id],
    pay_url: `${h.siteUrl}/pay/${made.order_no}`,
    items: [{ rental_id: id, tier: 'm4', amount_won: 30_000 }],
  });
  t.match(await mac(h, id), { can_extend: false, max_extend_days: 0, ends_at: iso(START + DAY) });
  const pending = await extend(h, id, 24);
  t.same([pending.statusCode, codeOf(pending)], [409, 'extension_pending']);
  t.match(pending.json().error, {
    order_no: made.order_no,
    next: [{ method: 'GET', path: `/api/v1/orders/${made.order_no}/wait` }],
  });
  t.ok(await pay(h, made.order_no));
  t.equal((await h.call('GET', `/orders/${made.order_no}`)).json().status, 'ready', 'at once');
  t.match(await mac(h, id), {
    can_extend: true,
    max_extend_days: 26,
    ends_at: iso(START + 4 * DAY),
    remaining_s: 4 * 86_400,
  });
  await advance(h, 4 * DAY);
  t.equal(codeOf(await h.call('GET', `/rentals/${id}`)), 'rental_not_found');
  t.equal(codeOf(await extend(h, id, 24)), 'rental_not_active', 'an own Mac that has ended');
});

t.test('three extensions up to a month, and no further', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 1);
  const [id = ''] = await rent(h, host, { hours: 240 });
  for (const [hours, left] of [
    [240, 10],
    [216, 1],
    [24, 0],
  ] as const) {
    await advance(h, 2 * DAY);
    await pay(h, (await extend(h, id, hours)).json().order_no);
    t.match(await mac(h, id), { max_extend_days: left, can_extend: left > 0 });
  }
  const more = await extend(h, id, 24);
  t.same([more.statusCode, codeOf(more)], [422, 'rental_duration_limit']);
  t.equal(codeOf(await quote(h, id, 24 * 400)), 'rental_duration_limit');
  await advance(h, 24 * DAY - 1);
  t.match(await mac(h, id), { state: 'ready', remaining_s: 0 });
  await advance(h, 1);
  t.match((await h.call('GET', `/rentals/${id}`)).json(), {
    error: {
      code: 'rental_not_found',
      message: `The rental of Mac 1 (${id}) has ended.`,
      ended: true,
      name: 'Mac 1',
    },
  });
});

t.test('invalid requests are refused with the right code', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 2, { shared: true });
  const [id = ''] = await rent(h, host);
  const [foreign = ''] = await rent(h, host, {}, h.other.key);
  const cases: [string, unknown, number, string][] = [
    [id, '24', 400, 'invalid_hours'],
    [id, null, 400, 'invalid_hours'],
    [id, undefined, 400, 'invalid_hours'],
    [id, 25, 422, 'invalid_period'],
    [id, 0, 422, 'invalid_period'],
    [id, 24.5, 422, 'invalid_period'],
    [id, -24, 422, 'invalid_period'],
    ['rt_0', 24, 404, 'rental_not_found'],
    [foreign, 24, 404, 'rental_not_found'],
  ];
  for (const [rental, hours, status, code] of cases) {
    for (const send of [quote, extend]) {
      const answer = await send(h, rental, hours);
      t.same([answer.statusCode, codeOf(answer)], [status, code], `${rental} ${hours}`);
    }
    if (rental !== id) {
      for (const send of [quoteAll, extendAll]) {
        const answer = await send(h, [id, rental]);
        t.same([answer.statusCode, codeOf(answer)], [404, 'rental_not_found'], 'the whole request');
      }
    }
  }
  const several: [unknown, unknown, number, string][] = [
    [[], 24, 400, 'invalid_rentals'],
    [undefined, 24, 400, 'invalid_rentals'],
    [id, 24, 400, 'invalid_rentals'],
    [[id, 5], 24, 400, 'invalid_rentals'],
    [[id, id], 24, 400, 'invalid_rentals'],
    [[id], '24', 400, 'invalid_rentals'],
    [[id], 23, 422, 'invalid_period'],
  ];
  for (const [ids, hours, status, code] of several) {
    for (const send of [quoteAll, extendAll]) {
      const answer = await send(h, ids, hours);
      t.same([answer.statusCode, codeOf(answer)], [status, code], `${JSON.stringify(ids)} ${hours}`);
    }
  }
  const answer = await h.call('POST', `/rentals/${id}/extend`, { key: h.keys.read, body: { hours: 24 } });
  t.equal(codeOf(answer), 'api_key_read_only');
  await h.organizations.setPaymentsBlocked(await h.organizations.find(h.org.orgId), true);
  t.equal(codeOf(await extend(h, id, 24)), 'account_blocked');
  t.equal(codeOf(await extendAll(h, [id])), 'account_blocked');
  t.equal((await quote(h, id, 24)).statusCode, 200, 'asking is free');
});

t.test('the last ten minutes of a Mac, and a Mac that does not exist yet', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 1);
  const { order_no } = await order(h);
  await pay(h, order_no);
  const [id = ''] = await host.rentalIds();
  t.match(await mac(h, id), { state: 'preparing', can_extend: true, max_extend_days: 29 });
  await host.mac(id, 'ready');
  await advance(h, DAY - 10 * MINUTE);
  t.match(await mac(h, id), { can_extend: true });
  t.equal((await quote(h, id, 24)).statusCode, 200);
  await advance(h, 1);
  t.match(await mac(h, id), { can_extend: false, max_extend_days: 0 });
  for (const send of [quote, extend]) {
    const late = await send(h, id, 24);
    t.same([late.statusCode, codeOf(late)], [409, 'extension_deadline']);
  }
});

t.test('a Mac paid for in its last minutes stays; one that is not paid for ends', async (t) => {
  for (const paid of [true, false]) {
    const h = await startHarness(t);
    const host = await addHost(h, 1);
    const [id = ''] = await rent(h, host);
    await advance(h, DAY - 15 * MINUTE);
    const { order_no, pay_expires_at } = (await extend(h, id, 24)).json();
    t.equal(pay_expires_at, iso(START + DAY + 15 * MINUTE));
    await advance(h, 20 * MINUTE);
    t.match(await mac(h, id), { state: 'ready', remaining_s: 0 });
    t.equal(
      codeOf(await h.call('POST', '/orders', { key: h.other.key, body: { tier: 'm4', hours: 24 } })),
      'no_capacity',
    );
    if (paid) {
      t.ok(await pay(h, order_no));
      t.match(await mac(h, id), { ends_at: iso(START + 2 * DAY) });
    } else {
      await advance(h, 10 * MINUTE);
      t.equal((await h.call('GET', `/orders/${order_no}`)).json().status, 'expired');
      t.equal(codeOf(await h.call('GET', `/rentals/${id}`)), 'rental_not_found');
    }
    await h.close();
  }
});

t.test('a reservation behind a Mac ends its extension', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 1);
  const [id = ''] = await rent(h, host);
  const behind = await order(h, { start: iso(START + 3 * DAY + HOUR) });
  t.match(await mac(h, id), { can_extend: true, max_extend_days: 2 });
  const refused = await extend(h, id, 72);
  t.same([refused.statusCode, codeOf(refused)], [409, 'reservation_conflict']);
  t.equal(refused.json().error.fault, 'capacity');
  t.equal((await extend(h, id, 48)).statusCode, 201);
  await advance(h, 30 * MINUTE);
  await pay(h, behind.order_no);
  t.match(await mac(h, id), { max_extend_days: 29 }, 'nobody has paid for it');
  const next = await order(h, { start: iso(START + DAY + 12 * HOUR) });
  await pay(h, next.order_no);
  t.match(await mac(h, id), { can_extend: false, max_extend_days: 0 });
  const [reserved] = (await h.call('GET', `/orders/${next.order_no}`)).json().rental_ids;
  t.equal(codeOf(await extend(h, reserved, 24)), 'rental_not_active', 'a reserved Mac');
});

t.test('on an exclusive host another account’s reservation limits the extension too', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 2);
  const [id = ''] = await rent(h, host);
  await order(h, { start: iso(START + 2 * DAY) }, h.other.key);
  t.match(await mac(h, id), { can_extend: true, max_extend_days: 1 });
  t.equal(codeOf(await extend(h, id, 48)), 'reservation_conflict');
  await advance(h, 30 * MINUTE);
  t.match(await mac(h, id), { max_extend_days: 29 });
});

t.test('several Macs at once: a reason for each refused one, one order for the others', async (t) => {
  const h = await startHarness(t, { limits: { pending_orders: 2 } });
  await putM4(h);
  const host = await addHost(h, 4);
  const long = await rent(h, host, { hours: 720 });
  const [one = '', two = ''] = await rent(h, host, { units: 2 });
  const pending = await rent(h, host, { hours: 48 });
  const other = (await extend(h, pending[0] ?? '', 24)).json().order_no;
  const all = [...long, one, two, ...pending];

  const quoted = (await quoteAll(h, all)).json();
  t.match(quoted, { hours: 24, amount_won: 20_000 });
  const items = [
    { rental_id: long[0], tier: 'm4', ok: false, reason: 'rental_duration_limit' },
    {
      rental_id: one,
      tier: 'm4',
      ok: true,
      amount_won: 10_000,
      ends_at: iso(START + DAY),
      new_ends_at: iso(START + 2 * DAY),
    },
    { rental_id: two, ok: true },
    { rental_id: pending[0], ok: false, reason: 'extension_pending' },
  ];
  t.match(quoted.items, items);
  t.ok(quoted.items.every((item: { ok: boolean; message?: string }) => item.ok || item.message));

  const refused = await extendAll(h, all);
  t.same([refused.statusCode, codeOf(refused)], [409, 'extension_unavailable']);
  t.match(refused.json().error.items, items);
  const [next] = refused.json().error.next;
  t.same(next.body, { rental_ids: [one, two], hours: 24 });
  t.equal((await h.call('GET', '/orders?status=awaiting_payment')).json().orders.length, 1, 'nothing was done');

  const made = await h.call(next.method, next.path.replace('/api/v1', ''), { body: next.body });
  t.match(made.json(), {
    kind: 'extension',
    tier: 'm4',
    units: 2,
    amount_won: 20_000,
    supply_won: 18_182,
    vat_won: 1_818,
    rental_ids: [one, two],
  });
  const pendingTooMany = await extendAll(h, long.slice(0, 0).concat(one));
  t.equal(codeOf(pendingTooMany), 'extension_unavailable');
  await pay(h, made.json().order_no);
  t.match(await mac(h, two), { ends_at: iso(START + 2 * DAY) });
  await order(h, { start: iso(START + 40 * DAY) });
  const limit = await extendAll(h, [one, two]);
  t.same([limit.statusCode, codeOf(limit)], [429, 'too_many_pending_orders']);
  t.equal(codeOf(await extend(h, one, 24)), 'too_many_pending_orders');
  t.ok(await pay(h, other));
});

t.test('the same extension twice under one Idempotency-Key is one order', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 1);
  const [id = ''] = await rent(h, host);
  const send = (path: string, body: object) =>
    h.call('POST', path, { headers: { 'idempotency-key': `k${path}` }, body });
  for (const [path, body] of [
    [`/rentals/${id}/extend`, { hours: 24 }],
    ['/rentals/extend', { rental_ids: [id], hours: 24 }],
  ] as const) {
    const first = await send(path, body);
    const again = await send(path, body);
    t.equal(again.body, first.body);
    t.equal(again.headers['idempotent-replayed'], 'true');
    await advance(h, 30 * MINUTE);
  }
});

t.test('advised requests succeed', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 1);
  const [id = ''] = await rent(h, host);
  const advice = async () => (await h.call('GET', '/status')).json().advice;
  await advance(h, 1000);
  const [first] = await advice();
  t.match(first, { kind: 'extend_recommended', rental_id: id, reason: 'less_than_24_hours' });
  const [next] = first.next;
  t.equal((await h.call(next.method, next.path.replace('/api/v1', ''), { body: next.body })).statusCode, 200);
  await extend(h, id, 24);
  t.same(await advice(), [], 'an extension is on its way');
});
