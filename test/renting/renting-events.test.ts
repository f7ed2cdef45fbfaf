// Webhooks of rentals, orders and the waitlist: each event once, signed and as the reference says.
import t from 'tap';
import { verifyWebhook, WebhookVerificationError } from '../../client/verify-webhook.js';
import { bodyFor } from '../../control-plane/events/domain/chat-message.js';
import { createOrderRefunds } from '../../control-plane/payments/app/order-refunds.js';
import { rentingEventTypes } from '../../control-plane/renting/domain/event.js';
import { checkSent, register, startReceiver } from '../events/webhook-rig.js';
import { startHarness } from '../harness/harness.js';
import { addHost, HOUR, order, pay, putM4, rent } from '../harness/renting.js';
import { MINUTE } from './orders-rig.js';

/** Those whose deliveries the scenarios below count. */
const EVENTS = rentingEventTypes.filter((type) => !/^rental\.(?:un)?available$/.test(type));

interface Told {
  event_type: string;
  sequence: number;
  build: null;
  rental?: { id: string; ends_at: string | null; order_no: string };
  order?: { order_no: string; status: string; refunded_won: number; rental_ids: string[] };
  waitlist?: { tier: string; units: number };
}

async function renting(t: Parameters<typeof startHarness>[0], slots = 1) {
  const h = await startHarness(t, { receivers: true });
  const host = await addHost(h, slots);
  const receiver = await startReceiver(t);
  await register(h, receiver, { events: EVENTS });
  await h.workers.idle();
  const told = () =>
    receiver.got.map(({ text }) => JSON.parse(text) as Told).filter(({ event_type }) => event_type !== 'webhook.test');
  return { h, host, receiver, told, types: () => told().map(({ event_type }) => event_type) };
}

t.test('a rental from its payment to its end, extended shortly before', async (t) => {
  const { h, host, told, types } = await renting(t);
  const [rentalId = ''] = await rent(h, host);
  t.same(types(), ['order.paid', 'rental.started']);
  const [paid, started] = told();
  t.match(paid, { sequence: 1, build: null, order: { status: 'provisioning', rental_ids: [rentalId] } });
  t.match(started, { sequence: 1, rental: { id: rentalId, order_no: paid?.order?.order_no } });

  await h.pass(23 * HOUR - 1000);
  t.equal(types().length, 2, 'more than an hour is left');
  await h.pass(2000);
  t.same(types().slice(2), ['rental.ends_soon']);

  const extension = await h.call('POST', `/rentals/${rentalId}/extend`, { body: { hours: 24 } });
  await pay(h, extension.json().order_no);
  t.same(types().slice(3).sort(), ['order.paid', 'rental.extended']);
  const extended = told().find(({ event_type }) => event_type === 'rental.extended');
  t.equal(Date.parse(extended?.rental?.ends_at ?? '') - Date.parse(started?.rental?.ends_at ?? ''), 24 * HOUR);

  await h.pass(24 * HOUR);
  t.same(types().slice(5), ['rental.ends_soon'], 'the new end is announced, too');
  await h.pass(HOUR);
  t.same(types().slice(6), ['rental.ended']);
  const ofRental = told().filter(({ rental }) => rental?.id === rentalId);
  t.same(
    ofRental.map(({ sequence }) => sequence),
    [1, 2, 3, 4, 5],
  );
  await checkSent(t, h);
});

t.test('an unpaid order expires; the Mac is offered to the waitlist; a refund has one event', async (t) => {
  const { h, host, told, types } = await renting(t);
  const held = await order(h);
  const waiting = await h.call('POST', '/waitlist', { key: h.other.key, body: { tier: 'm4' } });
  t.equal(waiting.statusCode, 201, waiting.body);
  const mine = await h.call('POST', '/waitlist', { body: { tier: 'm4', units: 1 } });
  t.equal(mine.statusCode, 201, mine.body);
  await h.pass(HOUR);
  t.same(types(), ['order.expired'], 'the older entry of another account is served first');
  t.match(told()[0], { order: { order_no: held.order_no, status: 'expired', rental_ids: [] } });
  await h.pass(2 * HOUR);
  t.same(types(), ['order.expired', 'waitlist.available']);
  t.match(told()[1], { waitlist: { tier: 'm4', units: 1 } });

  const [rentalId = ''] = await rent(h, host);
  const { order_no: orderNo } = told().find(({ event_type }) => event_type === 'order.paid')?.order ?? {};
  await createOrderRefunds({ ...h.orderDeps, store: h.store }).refund(orderNo ?? '');
  await h.workers.idle();
  t.same(types().slice(4).sort(), ['order.refunded', 'rental.ended']);
  const refunded = told().find(({ event_type }) => event_type === 'order.refunded');
  t.match(refunded, { order: { order_no: orderNo, refunded_won: 10_000, rental_ids: [rentalId] } });
  await checkSent(t, h);
});

t.test('every kind of event arrives at a receiver, signed, with the body of the reference', async (t) => {
  const h = await startHarness(t, { receivers: true });
  const host = await addHost(h, 1);
  const receiver = await startReceiver(t);
  const { secret } = await register(h, receiver, { events: rentingEventTypes });
  await order(h);
  await h.call('POST', '/waitlist', { body: { tier: 'm4' } });
  await h.pass(HOUR);
  const [rental = ''] = await rent(h, host);
  await host.mac(rental, 'preparing');
  await host.mac(rental, 'failed', { error: 'EROFS', error_code: 'not_writable' });
  await host.mac(rental, 'ready');
  const { order_no: extension } = (await h.call('POST', `/rentals/${rental}/extend`, { body: { hours: 24 } })).json();
  await pay(h, extension);
  await h.pass(48 * HOUR + MINUTE);
  await rent(h, host);
  const [newest] = (await h.call('GET', '/orders')).json().orders;
  await createOrderRefunds({ ...h.orderDeps, store: h.store }).refund(newest.order_no);
  await h.workers.idle();

  for (const kind of rentingEventTypes) {
    const arrived = receiver.got.filter(({ headers }) => headers['x-svc-event'] === kind);
    t.not(arrived.length, 0, `${kind} arrives`);
    for (const { headers, text } of arrived) {
      const now = Number(headers['x-svc-timestamp']) * 1000;
      t.match(await verifyWebhook(text, headers, secret, { now }), { event_type: kind }, `${kind} is signed`);
      await t.rejects(verifyWebhook(`${text} `, headers, secret, { now }), WebhookVerificationError);
      t.equal(h.api.conformance.checkWebhook(headers, text), null, `${kind} is as documented`);
    }
  }
});

t.test('events that nobody subscribed to are not sent, and old ones are deleted', async (t) => {
  const h = await startHarness(t, { receivers: true, limits: { builds_kept_ms: 30 * HOUR } });
  const host = await addHost(h, 1);
  const receiver = await startReceiver(t);
  await register(h, receiver);
  await rent(h, host);
  t.equal(receiver.got.length, 1, 'the test');
  const kinds = 'SELECT DISTINCT subject_kind FROM events ORDER BY 1';
  t.same(await h.store.all(kinds), [{ subject_kind: 'order' }, { subject_kind: 'rental' }]);
  await h.pass(40 * HOUR);
  t.same(await h.store.all('SELECT event_type FROM events ORDER BY seq'), [
    { event_type: 'rental.ends_soon' },
    { event_type: 'rental.ended' },
  ]);
});

t.test('each Mac of an order is announced once, however often its end is checked', async (t) => {
  const { h, host, types } = await renting(t, 2);
  await putM4(h);
  await rent(h, host, { units: 2 });
  await h.pass(23.5 * HOUR);
  await h.workers.named('rental-end').run(new Set());
  await h.workers.idle();
  t.equal(types().filter((type) => type === 'rental.ends_soon').length, 2, 'one for each Mac');
});

t.test('a chat service gets a line of text with a link to the order', async (t) => {
  const slack = 'https://hooks.slack.com/services/T/B/x';
  const said = (event_type: string, part: object) =>
    JSON.parse(bodyFor(slack, JSON.stringify({ event_type, build: null, stall: null, ...part }))).text;
  const order = {
    order_no: 'RT-1',
    amount_won: 20_000,
    refunded_won: 5_000,
    pay_url: 'https://c.test/pay/RT-1',
  };
  const rental = { id: 'rt_1', name: 'Release', tier: 'm4', ends_at: '2026-03-01T00:00:00.000Z' };
  t.equal(said('order.paid', { order }), 'Order paid: RT-1, 20000 won\n<https://c.test/pay/RT-1|Open the order>');
  t.match(said('order.refunded', { order }), /^Order refunded: RT-1, 5000 of 20000 won\n/);
  t.equal(said('rental.ends_soon', { rental }), 'Rental ends soon: Release (rt_1), m4, until 2026-03-01T00:00:00.000Z');
  t.equal(said('rental.ended', { rental: { ...rental, ends_at: null } }), 'Rental ended: Release (rt_1), m4, no end');
  t.equal(
    said('waitlist.available', { waitlist: { id: 'wl_1', tier: 'm4', units: 2 } }),
    'Waitlist available: 2 of m4 can be ordered',
  );
});
