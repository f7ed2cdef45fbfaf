// Money, periods, and why a Mac cannot be extended: whole tables, without a database.
import fc from 'fast-check';
import t from 'tap';
import { defaultLimits as limits } from '../../control-plane/platform/domain/limits.js';
import { type ExtensionFacts, extensionOf, extensionRefusal } from '../../control-plane/renting/domain/extension.js';
import {
  hasSettled,
  type OrderEvent,
  orderStatuses,
  orderTransitions,
} from '../../control-plane/renting/domain/order.js';
import { checkOrderHours, isPeriod, priceOf, splitVat } from '../../control-plane/renting/domain/pricing.js';
import { toNotify } from '../../control-plane/renting/domain/waitlist.js';
import { HOUR, MINUTE, macAt, NOW } from '../harness/macs-and-builds.js';

t.test('VAT inside a total is (2·total + 11) div 22', async (t) => {
  const table: [number, number][] = [
    [0, 0],
    [5, 0],
    [6, 1],
    [10, 1],
    [11, 1],
    [16, 1],
    [17, 2],
    [10_000, 909],
    [40_000, 3_636],
    [110_000, 10_000],
    [124_644, 11_331],
  ];
  for (const [total, vat] of table) t.same(splitVat(total), { supplyWon: total - vat, vatWon: vat }, `${total}`);
  const property = fc.property(fc.integer({ min: 0, max: 2 ** 50 }), (total) => {
    const { supplyWon, vatWon } = splitVat(total);
    // Within half a won of an eleventh, and never a won more or less in all.
    return supplyWon + vatWon === total && Math.abs(11 * vatWon - total) <= 6;
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 1000 }));
});

t.test('time is bought in whole passes, and the lines of a price add up', async (t) => {
  for (const hours of [24, 48, 720, 2400]) t.ok(isPeriod(hours), `${hours}`);
  for (const hours of [0, -24, 12, 25, 24.5, 1e300, Number.NaN]) t.notOk(isPeriod(hours), `${hours}`);
  const check =
    (hours: number, maxDays = 30) =>
    () =>
      checkOrderHours(hours, { maxDays }, limits);
  t.doesNotThrow(check(720));
  t.throws(check(744), { code: 'invalid_period' });
  t.throws(check(96, 3), { code: 'invalid_period' }, 'the tier allows less');
  const property = fc.property(
    fc.integer({ min: 0, max: 10 ** 9 }),
    fc.integer({ min: 1, max: 30 }),
    fc.integer({ min: 1, max: 100 }),
    (unitPriceWon, days, units) => {
      const { amountWon, breakdown } = priceOf(unitPriceWon, days * 24, units);
      return (
        amountWon === unitPriceWon * days * units &&
        breakdown.reduce((sum, line) => sum + line.amount_won, 0) === amountWon
      );
    },
  );
  t.doesNotThrow(() => fc.assert(property));
});

t.test('every status and event of an order; those without a way out are final', async (t) => {
  const events = Object.keys(orderTransitions.paid) as OrderEvent[];
  const lines = orderStatuses.flatMap((status) =>
    events.map((event) => `${status} ${event}: ${orderTransitions[status][event]}`),
  );
  const possible = lines.filter((line) => !line.endsWith('null'));
  t.same(possible, [
    'awaiting_payment pay: paid',
    'awaiting_payment expire: expired',
    'awaiting_payment cancel: canceled',
    'paid fulfill: ready',
    'paid provision: provisioning',
    'paid cancel: canceled',
    'provisioning ready: ready',
    'provisioning cancel: canceled',
  ]);
  for (const status of orderStatuses) {
    t.equal(hasSettled(status), !possible.some((line) => line.startsWith(`${status} `)), status);
  }
});

const alone: ExtensionFacts = { conflictAt: null, pendingOrderNo: null };

t.test('why a Mac cannot be extended: the first reason that applies', async (t) => {
  const mac = { hours: 48, endsAt: NOW + 48 * HOUR };
  const short = { hours: 24, endsAt: NOW + 5 * MINUTE };
  const table: [string, Parameters<typeof macAt>[1], Partial<ExtensionFacts>, number, string | null][] = [
    ['nothing in the way', mac, {}, 24, null],
    ['up to the cap', mac, {}, 28 * 24, null],
    ['beyond the cap', mac, {}, 29 * 24, 'rental_duration_limit'],
    ["beyond the tier's cap", { ...mac, maxDays: 3 }, {}, 48, 'rental_duration_limit'],
    ['building', { ...mac, state: 'building' }, {}, 24, null],
    ['resetting', { ...mac, state: 'resetting' }, {}, 24, null],
    ['reserved', { ...mac, state: 'reserved', readyAt: null }, {}, 24, 'rental_not_active'],
    [
      'reserved, and more',
      { ...short, state: 'reserved', readyAt: null },
      { pendingOrderNo: 'RT-1' },
      24,
      'rental_not_active',
    ],
    ['preparing', { ...mac, state: 'preparing', readyAt: null }, {}, 24, null],
    ['preparing beyond its provisional end', { ...short, state: 'preparing', readyAt: null }, {}, 24, null],
    ['ten minutes', { ...mac, endsAt: NOW + 10 * MINUTE }, {}, 24, null],
    ['less than ten minutes', { ...mac, endsAt: NOW + 10 * MINUTE - 1 }, {}, 24, 'extension_deadline'],
    ['too late, and pending', short, { pendingOrderNo: 'RT-1' }, 24, 'extension_deadline'],
    ['pending', mac, { pendingOrderNo: 'RT-1' }, 24, 'extension_pending'],
    ['pending, and too long', mac, { pendingOrderNo: 'RT-1' }, 720, 'extension_pending'],
    ['up to the reservation', mac, { conflictAt: NOW + 72 * HOUR }, 24, null],
    ['into the reservation', mac, { conflictAt: NOW + 72 * HOUR - 1 }, 24, 'reservation_conflict'],
    ['too long, and into the reservation', mac, { conflictAt: NOW + 72 * HOUR }, 720, 'rental_duration_limit'],
  ];
  for (const [name, given, facts, hours, wanted] of table) {
    t.equal(extensionRefusal(macAt('rt_1', given), { ...alone, ...facts }, hours, NOW, limits), wanted, name);
  }
});

t.test('the extension shown for a Mac agrees with the result of an order', async (t) => {
  const property = fc.property(
    fc.record({
      days: fc.integer({ min: 1, max: 30 }),
      leftMs: fc.integer({ min: 0, max: 30 * 24 * HOUR }),
      maxDays: fc.integer({ min: 1, max: 40 }),
      conflictMs: fc.option(fc.integer({ min: 0, max: 40 * 24 * HOUR })),
      pending: fc.boolean(),
      state: fc.constantFrom('reserved' as const, 'preparing' as const, 'ready' as const, 'building' as const),
    }),
    ({ days, leftMs, maxDays, conflictMs, pending, state }) => {
      const readyAt = state === 'ready' || state === 'building' ? NOW - HOUR : null;
      const mac = macAt('rt_1', { hours: days * 24, endsAt: NOW + leftMs, maxDays, state, readyAt });
      const facts = {
        conflictAt: conflictMs === null ? null : mac.endsAt + conflictMs,
        pendingOrderNo: pending ? 'RT-1' : null,
      };
      const { canExtend, maxExtendDays } = extensionOf(mac, facts, NOW, limits);
      const allowed = (n: number) => extensionRefusal(mac, facts, n * 24, NOW, limits) === null;
      if (canExtend !== allowed(1) || canExtend !== maxExtendDays > 0) return false;
      return (maxExtendDays === 0 || allowed(maxExtendDays)) && !allowed(maxExtendDays + 1);
    },
  );
  t.doesNotThrow(() => fc.assert(property, { numRuns: 2000 }));
});

t.test('which waitlist entries are notified', async (t) => {
  const entry = (entryId: string, accountId: number, units: number) => ({ entryId, accountId, units });
  const waiting = [entry('a', 1, 3), entry('b', 2, 1), entry('c', 3, 2), entry('d', 4, 1)];
  const told = (free: (accountId: number) => number, promised = 0) =>
    toNotify(waiting, free, promised)
      .map(({ entryId }) => entryId)
      .join('');
  t.equal(
    told(() => 0),
    '',
  );
  t.equal(
    told(() => 2),
    'bd',
  );
  t.equal(
    told(() => 3),
    'a',
  );
  t.equal(
    told(() => 4),
    'ab',
  );
  t.equal(
    told(() => 9),
    'abcd',
  );
  t.equal(
    told(() => 4, 2),
    'bd',
    'what has been promised is not promised again',
  );
  t.equal(
    told((account) => (account === 3 ? 2 : 0)),
    'c',
    'a host that only one account may have',
  );
});
