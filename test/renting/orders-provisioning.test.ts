// From a paid order to its Macs: reservations, hosts that fail or are slow, refunds.
// Runs in: soak
import t from 'tap';
import { createOrderRefunds } from '../../control-plane/payments/app/order-refunds.js';
import { START, startHarness } from '../harness/harness.js';
import { addHost, codeOf, DAY, HOUR, iso, order, pay, rent } from '../harness/renting.js';
import { free, MINUTE, macs, status } from './orders-rig.js';

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
  const times = async () => {
    const { rentals_start_at, rentals_ended_at } = (await h.call('GET', `/orders/${order_no}`)).json();
    return { rentals_start_at, rentals_ended_at };
  };
  t.same(await times(), { rentals_start_at: iso(start), rentals_ended_at: null });
  const [{ rental_id }] = await macs(h);
  t.match((await h.call('GET', `/rentals/${rental_id}`)).json(), { mac_state: null, op: null });
  t.same(await host.rentalIds(), []);

  t.equal(await free(h), 1, 'a pass fits before it');
  t.equal(codeOf(await h.call('POST', '/orders', { body: { tier: 'm4', hours: 48 } })), 'no_capacity');

  await h.pass(2 * DAY);
  t.match(await macs(h), [{ state: 'preparing' }]);
  t.equal(await status(h, order_no), 'provisioning');
  t.same(await host.rentalIds(), [rental_id]);
  await h.pass(20 * MINUTE);
  await host.mac(rental_id, 'ready');
  t.match(await macs(h), [{ starts_at: iso(start + 20 * MINUTE), ends_at: iso(start + 2 * DAY + 20 * MINUTE) }]);
  t.equal(await status(h, order_no), 'ready');
  t.same(await times(), { rentals_start_at: null, rentals_ended_at: null });
  const seen: (string | undefined)[] = [];
  h.wake.on('orders', (_, about) => void seen.push(about?.id));
  await h.pass(2 * DAY);
  t.same(await times(), { rentals_start_at: null, rentals_ended_at: iso(h.clock.now()) });
  t.ok(seen.length > 0, 'open pages read the order again');
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
    await h.pass(3 * HOUR - 1);
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
    await h.pass(DAY);
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
  t.same(await h.refunds(), [{ orderNo: order_no, accountId: h.org.id, amountWon: 10_000, reason: 'no_capacity' }]);
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
    await h.pass(h.limits.provision_give_up_ms);
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

t.test('an order of two Macs that are not made in time leaves no slot taken', async (t) => {
  const h = await startHarness(t, { limits: { provision_attempts: 1 } });
  await addHost(h, 2);
  const { order_no } = await order(h, { units: 2 });
  await pay(h, order_no);
  await h.pass(h.limits.provision_give_up_ms);
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
  await h.pass(h.limits.provision_give_up_ms);
  t.equal(await status(h, canceled.order_no), 'canceled');
  const reserved = { state: 'reserved', starts_at };
  t.match(await macs(h), [reserved, reserved]);
  t.equal((await macs(h)).length, 2);
});

t.test('two reservations that are due at once: the one that gives way begins where it was moved to', async (t) => {
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
});

t.test('when a host is removed, its Macs are recreated on another one with their remaining time', async (t) => {
  const h = await startHarness(t);
  const one = await addHost(h, 1);
  const [rentalId = ''] = await rent(h, one, { hours: 48 });
  const two = await addHost(h, 1);
  const [{ ends_at }] = await macs(h);
  await h.pass(HOUR);
  await h.hosts.change(one.hostId, 'remove');
  await h.workers.idle();
  t.same(await two.rentalIds(), [rentalId]);
  t.match(await macs(h), [{ rental_id: rentalId, state: 'preparing', ends_at }]);
  await two.mac(rentalId, 'ready');
  t.match(await macs(h), [{ state: 'ready', ends_at }]);
});

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
