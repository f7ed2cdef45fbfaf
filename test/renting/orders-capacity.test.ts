// When there are too few Macs, and that no slot is sold twice.
import t from 'tap';
import { createOrderRefunds } from '../../control-plane/payments/app/order-refunds.js';
import { START, startHarness } from '../harness/harness.js';
import { addHost, codeOf, DAY, iso, order, pay, putM4 } from '../harness/renting.js';
import { free, MINUTE, macs, status } from './orders-rig.js';

t.test('an unpaid order expires and frees its slots; a late payment is refused', async (t) => {
  const h = await startHarness(t);
  await addHost(h, 1);
  const { order_no } = await order(h);
  await h.pass(30 * MINUTE - 1);
  t.equal(await status(h, order_no), 'awaiting_payment');
  t.equal(await free(h), 0);
  await h.pass(1);
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
  await h.pass(45 * MINUTE);
  t.equal(await status(h, order_no), 'awaiting_payment');
  t.ok(await pay(h, order_no), 'it was: at its own time, not the link’s');
  t.match(await macs(h), [{ starts_at: iso(START + 45 * MINUTE) }]);
});

t.test('no_capacity: the reason, and what to do next', async (t) => {
  const h = await startHarness(t, { limits: { pending_orders: 2 } });
  const host = await addHost(h, 2);
  const want = (body: object = {}, key = h.keys.all) =>
    h.call('POST', '/orders', { key, body: { tier: 'm4', hours: 24, ...body } });

  const three = (await want({ units: 3 })).json().error;
  t.match(three, { code: 'no_capacity', message: 'The tier m4 has 2 Macs in all, and 2 are free now.' });
  const fewer = { action: 'order_fewer', method: 'POST', path: '/api/v1/orders' };
  t.match(three.next, [{ ...fewer, body: { tier: 'm4', hours: 24, units: 2 } }]);
  t.equal(three.next.length, 1, 'nobody waits for more than there are');

  await order(h);
  const two = await want({ units: 2 });
  t.same([two.statusCode, codeOf(two)], [409, 'no_capacity']);
  t.match(two.json().error, {
    fault: 'capacity',
    retryable: true,
    unpaid_orders: [{ units: 1 }],
    next: [
      { method: 'POST', path: '/api/v1/waitlist', body: { tier: 'm4', units: 2 } },
      { action: 'order_fewer', path: '/api/v1/orders', body: { tier: 'm4', hours: 24, units: 1 } },
    ],
  });
  const [next] = two.json().error.next;
  const followed = await h.call(next.method, next.path.replace('/api/v1', ''), { body: next.body });
  t.equal(followed.statusCode, 201, 'the suggestion can be sent as it stands');

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
  await h.pass(30 * MINUTE);
  await h.organizations.setPaymentsBlocked(await h.organizations.find(h.org.orgId), true);
  const blocked = await want();
  t.same([blocked.statusCode, codeOf(blocked)], [403, 'account_blocked']);
  t.equal(blocked.json().error.fault, 'payment');

  for (const status of ['draining', 'cordoned', 'removed']) {
    await h.store.transaction((tx) =>
      tx.run(`UPDATE hosts SET status = :status, calendar_revision = calendar_revision + 1 WHERE host_id = :id`, {
        status,
        id: host.hostId,
      }),
    );
    t.equal(await free(h, h.other.key), 0, status);
  }
});

t.test('no_capacity names the account’s own unpaid orders; one that is canceled makes room', async (t) => {
  const h = await startHarness(t);
  await addHost(h, 2);
  const held = await order(h);
  const status = (await h.call('GET', '/status')).json();
  t.same(status.unpaid_orders, [
    {
      order_no: held.order_no,
      kind: 'rental',
      tier: 'm4',
      units: 1,
      hours: 24,
      amount_won: 10_000,
      pay_url: held.pay_url,
      pay_expires_at: iso(START + 30 * MINUTE),
    },
  ]);
  t.same((await h.call('GET', '/status', { key: h.other.key })).json().unpaid_orders, []);
  const refused = await h.call('POST', '/orders', { body: { tier: 'm4', hours: 24, units: 2 } });
  const { error } = refused.json();
  t.match(error, {
    code: 'no_capacity',
    message: `${held.order_no} holds 1 Mac until`,
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

t.test('no_capacity does not name an unpaid order for another time, which holds nothing of it', async (t) => {
  const h = await startHarness(t);
  await addHost(h, 2);
  const later = await order(h, { start: iso(START + 30 * DAY) });
  const refusal = async (body: object) =>
    (await h.call('POST', '/orders', { body: { tier: 'm4', hours: 24, units: 3, ...body } })).json().error;
  const now = await refusal({});
  t.match(now, {
    code: 'no_capacity',
    message: 'The tier m4 has 2 Macs in all, and 2 are free now.',
    unpaid_orders: [],
  });
  t.notMatch(JSON.stringify(now), later.order_no);
  t.match((await refusal({ start: iso(START + 30 * DAY) })).message, `${later.order_no} holds 1 Mac until`);
  t.match((await refusal({ start: iso(START + 2 * DAY), hours: 720 })).message, `${later.order_no} holds 1 Mac until`);
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
  await h.pass(30 * MINUTE);
  await h.hosts.configure(host.hostId, { slots: 1 });
  t.equal(await free(h), 1);
  await order(h);
  await t.rejects(h.hosts.configure(host.hostId, { tier: 'm2' }), { code: 'host_state' });
  await h.hosts.configure(host.hostId, { slots: 2 });
  t.equal(await free(h), 1);
});

t.test('many orders at the same time never get the same slot', async (t) => {
  const h = await startHarness(t, { limits: { pending_orders: 1000 } });
  for (let i = 0; i < 5; i++) await addHost(h, 2);
  const body = { tier: 'm4', hours: 24 };
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, i) => h.call('POST', '/orders', { key: i % 2 ? h.keys.all : h.other.key, body })),
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
