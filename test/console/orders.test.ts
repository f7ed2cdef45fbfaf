// What the console says about orders, and what it makes of an address.
import t from 'tap';
import type { Order } from '../../client/types.js';
import { isPast, noteOf, phaseOf, stepsOf } from '../../control-plane/console/pages/order/progress.js';
import { localTime, parseRentSearch, startOf } from '../../control-plane/console/pages/rent/search.js';

const statuses = ['awaiting_payment', 'paid', 'provisioning', 'ready', 'expired', 'canceled'] as const;
const START = '2026-03-02T00:00:00.000Z';
const END = '2026-03-03T00:00:00.000Z';
const paid = {
  kind: 'rental',
  status: 'paid',
  end_reason: null,
  rentals_start_at: null,
  rentals_ended_at: null,
} as const;
const states = (change: Partial<Order>) =>
  stepsOf({ ...paid, ...change }, phaseOf({ ...paid, ...change }))
    .map(({ name, state }) => `${name} ${state}`)
    .join(', ');

t.test('the steps of an order', async (t) => {
  t.same(
    statuses.map((status) => states({ status })),
    [
      'paid now, preparing later, ready later',
      'paid done, preparing now, ready later',
      'paid done, preparing now, ready later',
      'paid done, preparing done, ready done',
      '',
      '',
    ],
  );
  t.equal(states({ kind: 'extension' }), 'paid done, longer now');
  t.equal(states({ kind: 'extension', status: 'ready' }), 'paid done, longer done');
  t.equal(states({ rentals_start_at: START }), 'paid done, begins now, preparing later, ready later');
  t.equal(states({ status: 'ready', rentals_ended_at: END }), 'paid done, preparing done, ended done');
  t.equal(states({ kind: 'extension', status: 'ready', rentals_ended_at: END }), 'paid done, longer done, ended done');
  t.equal(states({ status: 'ready', end_reason: 'refunded_by_operator' }), '', 'nothing of it is ready');
  t.same(statuses.filter(isPast), ['ready', 'expired', 'canceled']);
});

t.test('an order after its rentals have ended, were refunded, or before they begin', async (t) => {
  const refunded = 'refunded_by_operator';
  for (const [change, phase] of [
    [{ status: 'ready' }, 'ready'],
    [{ status: 'ready', rentals_ended_at: END }, 'ended'],
    [{ status: 'ready', kind: 'extension', rentals_ended_at: END }, 'ended'],
    [{ status: 'ready', rentals_ended_at: END, end_reason: refunded }, 'refunded'],
    [{ status: 'canceled', rentals_ended_at: END, end_reason: refunded }, 'canceled'],
    [{ status: 'awaiting_payment' }, 'awaiting_payment'],
    [{ status: 'paid', rentals_start_at: START }, 'reserved'],
    [{ status: 'provisioning', rentals_start_at: START }, 'reserved'],
    [{ status: 'provisioning' }, 'provisioning'],
    [{ status: 'awaiting_payment', kind: 'extension', rentals_start_at: START }, 'awaiting_payment'],
    [{ status: 'paid', kind: 'extension', rentals_start_at: START }, 'paid'],
  ] as const) {
    t.equal(phaseOf({ ...paid, ...change }), phase, JSON.stringify(change));
  }
});

t.test('what is said about an order, and about its money', async (t) => {
  const cases: [Partial<Order>, string | null, boolean, object][] = [
    [{}, 'paid', false, { note: 'mayClose', money: null }],
    [{ status: 'awaiting_payment' }, 'confirming', true, { note: 'confirming', money: null }],
    [{ rentals_start_at: START }, 'paid', false, { note: 'begins', money: null }],
    [{ status: 'ready' }, 'paid', false, { note: 'ready', money: null }],
    [{ status: 'ready', rentals_ended_at: END }, 'paid', false, { note: 'ended', money: null }],
    [{ status: 'ready', kind: 'extension' }, 'paid', false, { note: 'extended', money: null }],
    [{ status: 'ready', end_reason: 'refunded_by_operator' }, 'cancelled', false, { note: 'refunded', money: 'back' }],
    [{ status: 'expired' }, null, false, { note: 'expired', money: 'none' }],
    [{ status: 'expired' }, 'late', false, { note: 'expired', money: 'back' }],
    [{ status: 'canceled' }, 'pending', false, { note: 'canceled', money: 'none' }],
    [{ status: 'canceled', end_reason: 'no_capacity' }, 'cancelled', false, { note: 'noCapacity', money: 'back' }],
  ];
  for (const [change, payment, confirming, expected] of cases) {
    const found = noteOf({ ...paid, ...change }, payment === null ? null : { status: payment as never }, confirming);
    t.same(found, expected, JSON.stringify([change, payment]));
  }
});

t.test('the order that an address describes', async (t) => {
  const nothing = { tier: null, units: 1, days: 1, start: 'now', xcode: null };
  t.same(parseRentSearch({}), nothing);
  t.same(parseRentSearch({ units: '-3', days: '7.5', start: 'tomorrow' }), nothing, 'what it does not understand');
  t.same(parseRentSearch({ tier: 'm4', units: '1000', days: '7', xcode: '16.1', start: '2026-03-01T09:30' }), {
    tier: 'm4',
    units: 100,
    days: 7,
    xcode: '16.1',
    start: '2026-03-01T09:30',
  });
  const at = new Date(2026, 2, 1, 9, 5).getTime();
  t.equal(localTime(at), '2026-03-01T09:05');
  t.equal(startOf('2026-03-01T09:05', at - 1), new Date(at).toISOString());
  t.equal(startOf('2026-03-01T09:05', at), null, 'it has passed');
  t.equal(startOf('now', at), 'now');
});
