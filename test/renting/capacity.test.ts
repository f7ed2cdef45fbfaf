// The calendar of slots against a plain list of intervals, after any orders, payments, extensions, cancellations, ends and
// delays.
import fc from 'fast-check';
import t from 'tap';
import { DAY_MS, HOUR_MS } from '../../control-plane/platform/domain/durations.js';
import { defaultLimits as limits } from '../../control-plane/platform/domain/limits.js';
import { createCalendar } from '../../control-plane/renting/domain/calendar.js';
import {
  allot,
  conflictAfter,
  daysUntil,
  orderable,
  orderableUnpaid,
  orderWindow,
  reschedule,
} from '../../control-plane/renting/domain/capacity.js';
import type { CalendarHost, Occupation, Window } from '../../control-plane/renting/domain/occupation.js';
import { HOUR, NOW } from '../harness/macs-and-builds.js';
import { m4 } from '../harness/samples.js';

const host = (hostId: string, slots: number, given: Partial<CalendarHost> = {}): CalendarHost => ({
  hostId,
  tier: 'm4',
  inService: true,
  connected: true,
  blocked: false,
  holdsImage: true,
  xcodes: null,
  shared: false,
  slotIds: Array.from({ length: slots }, (_, i) => `${hostId}.${i + 1}`),
  ...given,
});
const occupation = (
  id: string,
  accountId: number,
  slotId: string,
  startsAt: number,
  endsAt: number,
  given: Partial<Occupation> = {},
): Occupation => ({
  id,
  accountId,
  slotId,
  startsAt,
  endsAt,
  movable: false,
  extends: null,
  xcode: null,
  ...given,
});
const demand = (accountId: number, hours = 24, startAt: number | null = null, now = NOW) => ({
  accountId,
  hours,
  startAt,
  now,
  xcode: null,
});
const overlap = (a: Window, b: Window) => a.startsAt < b.endsAt && a.endsAt > b.startsAt;

/** The same question, asked of every slot one after the other. */
function freeSlots(
  hosts: readonly CalendarHost[],
  taken: readonly Occupation[],
  accountId: number,
  window: Window,
  now: number,
): string[] {
  return hosts
    .filter((one) => one.inService && ((one.connected && !one.blocked) || window.startsAt > now))
    .flatMap((one) =>
      one.slotIds.filter((slotId) =>
        taken.every(
          (other) =>
            !overlap(other, window) ||
            (other.slotId !== slotId &&
              (one.shared || other.accountId === accountId || !one.slotIds.includes(other.slotId))),
        ),
      ),
    );
}

t.test('an order holds enough time whenever it is paid', async (t) => {
  t.same(orderWindow(null, 24, NOW, limits), {
    startsAt: NOW,
    endsAt: NOW + limits.pay_link_ms + 24 * HOUR,
  });
  const ahead = NOW + 3 * DAY_MS;
  t.same(orderWindow(ahead, 48, NOW, limits), { startsAt: ahead, endsAt: ahead + 48 * HOUR });
  t.same(orderWindow(NOW + 60_000, 24, NOW, limits).endsAt, NOW + limits.pay_link_ms + 24 * HOUR);
});

t.test('what can be ordered', async (t) => {
  const calendar = createCalendar();
  const left = (accountId: number, hours = 24, startAt: number | null = null) =>
    orderable(calendar, m4, demand(accountId, hours, startAt), limits);

  t.equal(left(1), 0, 'no hosts');
  calendar.put(host('h1', 2), []);
  t.equal(left(1), 2);
  t.equal(orderable(calendar, { ...m4, salesOpen: false }, demand(1), limits), 0, 'sales closed');
  t.equal(orderable(calendar, { ...m4, tier: 'm2' }, demand(1), limits), 0, 'another tier');

  calendar.place(occupation('rt_1', 1, 'h1.1', NOW - HOUR, NOW + 23 * HOUR));
  t.equal(left(1), 1, 'the other slot of a host of its own');
  t.equal(left(2), 0, 'a host serves one account at a time');
  t.equal(left(2, 24, NOW + DAY_MS), 2, 'after the other account has gone');

  calendar.place(occupation('rt_2', 2, 'h1.2', NOW + 3 * DAY_MS, NOW + 5 * DAY_MS, { movable: true }));
  t.equal(left(1), 1, 'a pass fits before the reservation of another account');
  t.equal(left(1, 72), 0, 'three do not');
  t.equal(left(2, 24, NOW + DAY_MS), 2, 'its own reservation leaves it the host before');

  calendar.put(host('h2', 2, { shared: true }), [occupation('rt_3', 3, 'h2.1', NOW, NOW + DAY_MS)]);
  t.equal(left(2), 1, 'a shared host');
  calendar.put(host('h3', 4, { connected: false }), []);
  t.equal(left(2), 1, 'a host that is away sells nothing now');
  t.equal(left(4, 24, NOW + DAY_MS), 2 + 2 + 4, 'but later');
  calendar.put(host('h3', 4, { inService: false }), []);
  t.equal(left(4, 24, NOW + DAY_MS), 2 + 2);
  calendar.put(host('h2', 2, { tier: 'm2', shared: true }), []);
  t.equal(left(4, 24, NOW + DAY_MS), 2, 'a host that is sold as something else now');
  calendar.remove('rt_1');
  calendar.remove('rt_2');
  t.equal(left(9), 2);
});

t.test('which slots an order gets', async (t) => {
  const slots = (hosts: [CalendarHost, Occupation[]][], units: number, ask = demand(1)) => {
    const calendar = createCalendar();
    for (const [one, taken] of hosts) calendar.put(one, taken);
    const given = allot(calendar, m4, units, ask, limits);
    return 'refused' in given ? given.refused : [...given.slotIds].sort().join(' ');
  };
  const mine = occupation('rt_1', 1, 'a.1', NOW - HOUR, NOW + DAY_MS);
  const later = occupation('rt_2', 2, 'b.1', NOW + 2 * DAY_MS, NOW + 4 * DAY_MS, { movable: true });
  const cases: [string, [CalendarHost, Occupation[]][], number, string][] = [
    [
      'beside a Mac of its own first',
      [
        [host('a', 2), [mine]],
        [host('b', 1), []],
      ],
      1,
      'a.2',
    ],
    [
      'a host with just so many slots',
      [
        [host('a', 1), []],
        [host('b', 2), []],
        [host('c', 3), []],
      ],
      2,
      'b.1 b.2',
    ],
    [
      'hosts that are used up',
      [
        [host('a', 4), []],
        [host('b', 2), []],
        [host('c', 1), []],
      ],
      3,
      'b.1 b.2 c.1',
    ],
    [
      'the smallest host, if one is left half used',
      [
        [host('a', 4), []],
        [host('b', 2), []],
      ],
      1,
      'b.1',
    ],
    [
      'the tightest gap',
      [
        [host('a', 1), []],
        [host('b', 1), [later]],
      ],
      1,
      'b.1',
    ],
    [
      'hosts that hold the image, whatever their sizes',
      [
        [host('a', 1, { holdsImage: false }), []],
        [host('b', 3), []],
      ],
      1,
      'b.1',
    ],
    [
      'then those that do not',
      [
        [host('a', 2, { holdsImage: false }), []],
        [host('b', 1), []],
        [host('c', 1, { holdsImage: false }), []],
      ],
      2,
      'b.1 c.1',
    ],
    [
      'beside a Mac of its own also without the image',
      [
        [host('a', 2, { holdsImage: false }), [mine]],
        [host('b', 1), []],
      ],
      1,
      'a.2',
    ],
    [
      'hosts that cannot create Macs are left out',
      [
        [host('a', 1, { blocked: true }), []],
        [host('b', 1, { holdsImage: false }), []],
      ],
      1,
      'b.1',
    ],
    [
      'all or none',
      [
        [host('a', 1), []],
        [host('b', 1), []],
      ],
      3,
      'no_capacity',
    ],
  ];
  for (const [name, hosts, units, wanted] of cases) t.equal(slots(hosts, units), wanted, name);
  const closed = allot(createCalendar(), { ...m4, salesOpen: false }, 1, demand(1), limits);
  t.same(closed, { refused: 'sales_closed' });
});

t.test('by how much a Mac can be extended where it is', async (t) => {
  const calendar = createCalendar();
  const mac = occupation('rt_1', 1, 'a.1', NOW, NOW + DAY_MS);
  const rental = { rentalId: 'rt_1', slotId: 'a.1', accountId: 1, endsAt: mac.endsAt };
  const days = () => daysUntil(conflictAfter(calendar, rental), mac.endsAt);
  calendar.put(host('a', 2), [mac]);
  t.equal(days(), null);
  calendar.place(occupation('own', 1, 'a.2', NOW, NOW + 9 * DAY_MS));
  t.equal(days(), null, 'its own Mac beside it');
  calendar.place(occupation('hold:1', 2, 'a.2', NOW + 9 * DAY_MS, NOW + 10 * DAY_MS, { movable: true }));
  t.equal(days(), 8, "another account's turn on the host");
  calendar.place(occupation('rt_2', 1, 'a.1', NOW + 3 * DAY_MS + HOUR, NOW + 5 * DAY_MS, { movable: true }));
  t.equal(days(), 2, 'its own reservation of the slot');
  calendar.place(occupation('rt_2', 1, 'a.1', NOW + DAY_MS, NOW + 5 * DAY_MS, { movable: true }));
  t.equal(days(), 0);
});

t.test('a Mac that is ready late delays the reservations behind it', async (t) => {
  const at = (days: number) => NOW + days * DAY_MS;
  const late = occupation('rt_1', 1, 'a.1', NOW + HOUR, at(1) + HOUR);
  const next = occupation('rt_2', 2, 'a.1', at(1), at(2), { movable: true });
  const after = occupation('hold:3', 3, 'a.1', at(2), at(4), { movable: true });
  const running = occupation('rt_1', 1, 'a.1', NOW, at(1));
  const change = (others: [CalendarHost, Occupation[]][]) => {
    const calendar = createCalendar();
    calendar.put(host('a', 1), [running, next, after]);
    for (const [one, taken] of others) calendar.put(one, taken);
    return reschedule(calendar, late, 'm4', NOW).filter((one) => one.id !== 'rt_1');
  };
  t.same(change([[host('b', 1), []]]), [{ ...next, slotId: 'b.1' }], 'to another slot, where there is one');
  t.same(
    change([]),
    [
      { ...next, startsAt: at(1) + HOUR, endsAt: at(2) + HOUR },
      { ...after, startsAt: at(2) + HOUR, endsAt: at(4) + HOUR },
    ],
    'later, with its whole time',
  );
  const calendar = createCalendar();
  const hold = occupation('hold:9', 1, 'a.1', at(1), at(3), { extends: 'rt_1' });
  calendar.put(host('a', 1), [running, hold]);
  t.same(reschedule(calendar, late, 'm4', NOW), [late, { ...hold, startsAt: at(1) + HOUR, endsAt: at(3) + HOUR }]);
});

// A story of orders and Macs, told in random order.
type Step =
  | { do: 'order'; account: number; units: number; days: number; startDays: number }
  | { do: 'pay' | 'expire' | 'end' | 'cancel'; nth: number }
  | { do: 'extend'; nth: number; days: number }
  | { do: 'ready'; nth: number; lateHours: number }
  | { do: 'wait'; hours: number }
  | { do: 'host'; nth: number; connected: boolean; blocked: boolean; inService: boolean };

const nth = fc.nat(20);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('order' as const),
      account: fc.integer({ min: 1, max: 3 }),
      units: fc.integer({ min: 1, max: 3 }),
      days: fc.integer({ min: 1, max: 4 }),
      startDays: fc.integer({ min: 0, max: 5 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('pay' as const, 'expire' as const, 'end' as const, 'cancel' as const),
      nth,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('extend' as const), nth, days: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('ready' as const),
      nth,
      lateHours: fc.integer({ min: 0, max: 30 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 40 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('host' as const),
      nth,
      connected: fc.boolean(),
      blocked: fc.boolean(),
      inService: fc.boolean(),
    }),
  },
);

t.test('no slot is sold twice for the same time; free slots can be ordered, half of them before payment', async (t) => {
  const property = fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
    const hosts = [host('a', 2), host('b', 2, { shared: true }), host('c', 1), host('d', 3)];
    const calendar = createCalendar();
    for (const one of hosts) calendar.put(one, []);
    // The expected state: everything that was ordered, kept separately from the calendar.
    const book = new Map<string, Occupation>();
    const started = new Set<string>();
    let now = NOW;
    let ids = 0;
    const write = (one: Occupation) => {
      book.set(one.id, one);
      calendar.place(one);
    };
    const strike = (id: string) => {
      book.delete(id);
      calendar.remove(id);
    };
    const pickFrom = (which: (one: Occupation) => boolean, n: number) => {
      const some = [...book.values()].filter(which);
      return some[n % Math.max(1, some.length)];
    };
    const settle = (changed: Occupation) => {
      for (const one of reschedule(calendar, changed, 'm4', now)) book.set(one.id, one);
    };
    const isHold = (one: Occupation) => one.id.startsWith('hold:');

    for (const one of steps) {
      switch (one.do) {
        case 'order': {
          const startAt = one.startDays === 0 ? null : now + one.startDays * DAY_MS;
          const ask = demand(one.account, one.days * 24, startAt, now);
          const free = orderable(calendar, m4, ask, limits);
          const given = allot(calendar, m4, one.units, ask, limits);
          const window = orderWindow(startAt, one.days * 24, now, limits);
          const naive = freeSlots(hosts, [...book.values()], one.account, window, now);
          const held = new Set(
            [...book.values()]
              .filter((other) => isHold(other) && other.extends === null)
              .filter((other) => other.accountId === one.account && overlap(other, window))
              .map((other) => other.slotId),
          ).size;
          const most = Math.max(1, Math.floor((naive.length + held) / 2));
          if (free !== naive.length) throw new Error(`reported ${free} free slots, expected ${naive.length}`);
          const expected = free < one.units ? 'no_capacity' : held + one.units > most ? 'unpaid_share' : 'none';
          const refused = 'refused' in given ? given.refused : 'none';
          if (refused !== expected) throw new Error(`refused: ${refused}, expected: ${expected}`);
          const possible = orderableUnpaid(calendar, m4, ask, limits);
          if (possible >= one.units !== (expected === 'none')) throw new Error(`${possible} can be ordered`);
          if ('refused' in given) break;
          if (new Set(given.slotIds).size !== one.units) throw new Error('wrong number of slots');
          for (const slotId of given.slotIds) {
            if (!naive.includes(slotId)) throw new Error(`${slotId} is not free`);
            const { startsAt, endsAt } = given.window;
            write(occupation(`hold:${++ids}`, one.account, slotId, startsAt, endsAt, { movable: true }));
          }
          break;
        }
        case 'pay': {
          const hold = pickFrom(isHold, one.nth);
          if (!hold) break;
          strike(hold.id);
          if (hold.extends !== null) {
            const rental = book.get(hold.extends);
            if (rental) write({ ...rental, endsAt: hold.endsAt });
            break;
          }
          const length = Math.floor((hold.endsAt - hold.startsAt) / DAY_MS) * DAY_MS;
          const startsAt = Math.max(hold.startsAt, Math.min(now, hold.endsAt - length));
          const movable = startsAt > now;
          const id = `rt_${++ids}`;
          if (!movable) started.add(id);
          settle({ ...hold, id, startsAt, endsAt: startsAt + length, movable });
          break;
        }
        case 'expire': {
          const hold = pickFrom(isHold, one.nth);
          if (hold) strike(hold.id);
          break;
        }
        case 'end':
        case 'cancel': {
          const rental = pickFrom((other) => !isHold(other) && other.movable === (one.do === 'cancel'), one.nth);
          if (!rental) break;
          strike(rental.id);
          for (const other of [...book.values()]) if (other.extends === rental.id) strike(other.id);
          break;
        }
        case 'extend': {
          const rental = pickFrom((other) => !isHold(other) && !other.movable, one.nth);
          if (!rental || [...book.values()].some((other) => other.extends === rental.id)) break;
          const conflictAt = conflictAfter(calendar, { ...rental, rentalId: rental.id });
          const endsAt = rental.endsAt + one.days * DAY_MS;
          if (conflictAt !== null && conflictAt < endsAt) break;
          write({ ...rental, id: `hold:${++ids}`, startsAt: rental.endsAt, endsAt, extends: rental.id });
          break;
        }
        case 'ready': {
          const rental = pickFrom((other) => started.has(other.id), one.nth);
          if (!rental) break;
          started.delete(rental.id);
          const by = one.lateHours * HOUR_MS;
          settle({ ...rental, startsAt: rental.startsAt + by, endsAt: rental.endsAt + by });
          break;
        }
        case 'wait':
          now += one.hours * HOUR_MS;
          break;
        case 'host': {
          const i = one.nth % hosts.length;
          const { connected, blocked, inService } = one;
          hosts[i] = { ...hosts[i]!, connected, blocked, inService };
          const there = [...book.values()].filter((other) => hosts[i]!.slotIds.includes(other.slotId));
          calendar.put(hosts[i], there);
        }
      }
      checkBook(hosts, book, [...calendar.occupations()]);
    }
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 1000 }));
});

function checkBook(
  hosts: readonly CalendarHost[],
  book: ReadonlyMap<string, Occupation>,
  calendar: Occupation[],
): void {
  const all = [...book.values()];
  if (calendar.length !== all.length) throw new Error('the calendar has forgotten something');
  for (const one of all) {
    const on = hosts.find((other) => other.slotIds.includes(one.slotId));
    for (const other of all) {
      if (one.id >= other.id || !overlap(one, other)) continue;
      if (one.slotId === other.slotId) throw new Error(`${one.id} and ${other.id} share ${one.slotId}`);
      const sameHost = on?.slotIds.includes(other.slotId);
      if (sameHost && !on?.shared && one.accountId !== other.accountId) {
        throw new Error(`${one.id} and ${other.id} of two accounts share the host ${on?.hostId}`);
      }
    }
  }
}
