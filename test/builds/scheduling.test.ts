// Which build is next, on which Mac, and the estimates of both, without a database.
import fc from 'fast-check';
import t from 'tap';
import { estimateStarts, type RunningBuild } from '../../control-plane/builds/domain/estimates.js';
import { fits, freeMacFor, nextAssignment, waitReasonOf } from '../../control-plane/builds/domain/placement.js';
import {
  estimateNeedsQueue,
  placeOfNewest,
  placesOf,
  runningPerKey,
} from '../../control-plane/builds/domain/places.js';
import {
  inQueueOrder,
  priorityClass,
  type QueuedBuild,
  queueClassOf,
} from '../../control-plane/builds/domain/queue.js';
import type { Mac } from '../../control-plane/macs/domain/mac.js';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';
import { adviceFor } from '../../control-plane/renting/domain/advice.js';
import { extensionOf } from '../../control-plane/renting/domain/extension.js';
import type { RentalWithMac } from '../../control-plane/renting/domain/rental.js';
import { HOUR, MINUTE, macAt, NOW, waiting } from '../harness/macs-and-builds.js';

const limits = { ...defaultLimits, concurrent_builds: 3 };
const order = (builds: QueuedBuild[], now = NOW) => inQueueOrder(builds, now, limits).map((b) => b.buildId);
const running = (buildId: string, rentalId: string, given: Partial<RunningBuild> = {}): RunningBuild => ({
  buildId,
  rentalId,
  keyId: 'key_1',
  deadlineAt: NOW + HOUR,
  ...given,
});

t.test('queue order: priority, then requeued builds, then creation', async (t) => {
  const builds = [
    waiting('old', 1),
    waiting('again', 5, { requeued: true }),
    waiting('urgent', 4, { priority: 1 }),
    waiting('urgent-again', 6, { priority: 1, requeued: true }),
    waiting('new', 7),
  ];
  t.same(order(builds), ['urgent-again', 'urgent', 'again', 'old', 'new']);
});

t.test('after an hour a build of priority 0 counts as one of priority 1', async (t) => {
  const old = waiting('old', 1, { createdAt: NOW - HOUR });
  const young = waiting('young', 2, { createdAt: NOW - HOUR + 1 });
  const urgent = waiting('urgent', 3, { priority: 1 });
  t.equal(priorityClass(old, NOW, limits), 1);
  t.equal(priorityClass(young, NOW, limits), 0);
  t.same(order([urgent, young, old]), ['old', 'urgent', 'young']);
});

t.test('a Mac takes a build depending on pin, Xcode and the end of its rental', async (t) => {
  const mac = macAt('rt_1');
  const table: [string, Mac, Partial<QueuedBuild>, boolean][] = [
    ['any', mac, {}, true],
    ['pinned here', mac, { pinnedRentalId: 'rt_1' }, true],
    ['pinned elsewhere', mac, { pinnedRentalId: 'rt_2' }, false],
    ['an Xcode of the tier', mac, { xcode: '16.1' }, true],
    ['an Xcode it has not', mac, { xcode: '15.0' }, false],
    ['building', macAt('rt_1', { state: 'building' }), {}, false],
    ['preparing', macAt('rt_1', { state: 'preparing', readyAt: null }), {}, false],
    ['resetting', macAt('rt_1', { state: 'resetting' }), {}, false],
    ['host away', macAt('rt_1', { hostTakesBuilds: false }), {}, false],
    ['a minute before its end', macAt('rt_1', { endsAt: NOW + MINUTE }), {}, true],
    ['at its end', macAt('rt_1', { endsAt: NOW }), {}, false],
  ];
  for (const [name, given, need, takes] of table) {
    t.equal(freeMacFor(waiting('rb', 1, need), [given], NOW) !== null, takes, name);
  }
  const short = macAt('rt_short', { createdAt: NOW - 5, endsAt: NOW + 30 * MINUTE });
  const long = macAt('rt_long', { createdAt: NOW - 4 });
  t.equal(freeMacFor(waiting('rb', 1), [short, long], NOW)?.rentalId, 'rt_long', 'room for the whole timeout');
  t.equal(freeMacFor(waiting('rb', 1, { timeoutMin: 1 }), [short, long], NOW)?.rentalId, 'rt_short');
});

t.test('why a build waits', async (t) => {
  const reason = (build: Partial<QueuedBuild>, macs: Mac[], busy: RunningBuild[] = []) =>
    waitReasonOf(waiting('rb', 9, build), macs, runningPerKey(busy), limits);
  const ready = macAt('rt_ready');
  const busy = macAt('rt_busy', { state: 'building' });
  const preparing = macAt('rt_preparing', { state: 'preparing', readyAt: null });
  const resetting = macAt('rt_resetting', { state: 'resetting' });
  const away = macAt('rt_away', { hostTakesBuilds: false });
  const reserved = macAt('rt_reserved', { state: 'reserved', readyAt: null });
  const three = ['a', 'b', 'c'].map((id) => running(id, `rt_${id}`));
  t.equal(reason({}, []), 'waiting_for_rental');
  t.equal(reason({}, [reserved]), 'waiting_for_rental');
  t.equal(reason({ pinnedRentalId: 'rt_reserved' }, [reserved, ready]), 'waiting_for_rental');
  t.equal(reason({ xcode: '9.9' }, [ready, busy]), 'xcode_unavailable');
  t.equal(reason({}, [busy, preparing]), 'mac_busy');
  t.equal(reason({ pinnedRentalId: 'rt_busy' }, [busy, ready]), 'pinned_mac_busy');
  t.equal(reason({}, [preparing, resetting]), 'mac_preparing');
  t.equal(reason({}, [resetting]), 'mac_in_maintenance');
  t.equal(reason({}, [away]), 'mac_in_maintenance');
  t.equal(reason({}, [ready], three), 'concurrency_limit');
  t.equal(reason({ keyId: 'key_2' }, [ready], three), null, 'about to start');
});

t.test('estimates use up every timeout before, on the Macs that can take the build', async (t) => {
  const busy = macAt('rt_busy', { state: 'building' });
  const free = macAt('rt_free');
  const preparing = macAt('rt_prep', { state: 'preparing', readyAt: null });
  const starts = (macs: Mac[], queued: QueuedBuild[], run: RunningBuild[] = []) =>
    Object.fromEntries(estimateStarts({ now: NOW, macs, running: run, queued, limits }));
  const inAnHour = running('r', 'rt_busy', { keyId: 'key_9' });
  t.same(starts([busy, free], [waiting('a', 1), waiting('b', 2), waiting('c', 3)], [inAnHour]), {
    a: NOW,
    b: NOW + HOUR,
    c: NOW + HOUR,
  });
  t.same(
    starts([busy, free], [waiting('a', 1, { pinnedRentalId: 'rt_busy' }), waiting('b', 2)], [inAnHour]),
    { a: NOW + HOUR, b: NOW },
    'a pin waits for its Mac, others do not wait for it',
  );
  t.same(starts([preparing], [waiting('a', 1)]), { a: null }, 'readiness unknown');
  t.same(starts([preparing, free], [waiting('a', 1), waiting('b', 2)]), { a: NOW, b: NOW + HOUR });
  t.same(starts([], [waiting('a', 1)]), { a: null });
  t.same(
    starts(
      [macAt('rt_1', { endsAt: NOW + 90 * MINUTE })],
      ['a', 'b', 'c'].map((id, i) => waiting(id, i)),
    ),
    {
      a: NOW,
      b: NOW + HOUR,
      c: null,
    },
  );
  const past = running('r', 'rt_busy', { deadlineAt: NOW - 5, keyId: null });
  t.same(starts([busy], [waiting('a', 1)], [past]), { a: NOW }, 'an overdue build is about to be stopped');
  const many = Array.from({ length: 5 }, (_, i) => macAt(`rt_${i}`));
  const five = Array.from({ length: 5 }, (_, i) => waiting(`b${i}`, i));
  t.same(
    Object.values(starts(many, five)).sort(),
    [NOW, NOW, NOW, NOW + HOUR, NOW + HOUR],
    'a key at its limit waits for one of its own builds',
  );
});

const arbitraryBuild = (index: number) =>
  fc
    .record({
      priority: fc.integer({ min: 0, max: 1 }),
      requeued: fc.boolean(),
      age: fc.integer({ min: 0, max: 120 }),
      pinned: fc.constantFrom(null, 'rt_0', 'rt_1', 'rt_gone'),
      xcode: fc.constantFrom(null, '16.2', '15.0'),
      key: fc.constantFrom('key_1', 'key_2', null),
      minutes: fc.integer({ min: 1, max: 360 }),
    })
    .map(({ age, pinned, key, minutes, ...rest }) =>
      waiting(`rb_${index}`, index, {
        ...rest,
        createdAt: NOW - age * MINUTE,
        pinnedRentalId: pinned,
        keyId: key,
        timeoutMin: minutes,
      }),
    );
const arbitraryQueue = fc
  .integer({ min: 1, max: 14 })
  .chain((n) => fc.tuple(...Array.from({ length: n }, (_, i) => arbitraryBuild(i))))
  .map((builds) => {
    // Creation rises with the sequence.
    const times = builds.map((build) => build.createdAt).sort((a, b) => a - b);
    return builds.map((build, i) => ({ ...build, createdAt: times[i] ?? NOW }));
  });
const arbitraryMacs = fc
  .array(
    fc.record({
      state: fc.constantFrom('ready' as const, 'building' as const, 'preparing' as const, 'resetting' as const),
      hostTakesBuilds: fc.boolean(),
      hours: fc.integer({ min: 0, max: 20 }),
      xcodes: fc.constantFrom(['16.2'], ['15.0', '16.2'], []),
    }),
    { maxLength: 4 },
  )
  .map((macs) =>
    macs.map(({ hours, xcodes, ...mac }, i) =>
      macAt(`rt_${i}`, { ...mac, endsAt: NOW + hours * HOUR, xcodeVersions: xcodes }),
    ),
  );
const runningOn = (macs: Mac[]) =>
  macs.flatMap((mac, i) => (mac.state === 'building' ? [running(`run_${i}`, mac.rentalId)] : []));

t.test('positions are a permutation of the queue, and raising the priority never costs a place', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(arbitraryQueue, arbitraryMacs, fc.nat(), (queued, macs, pick) => {
        const state = { macs, running: runningOn(macs), queued };
        const places = placesOf(state, NOW, limits);
        const positions = [...places.values()].map((place) => place.queuePosition);
        const fifo = queued.map((build) => places.get(build.buildId)?.fifoPosition);
        const wanted = queued.map((_, i) => i);
        if (JSON.stringify(positions) !== JSON.stringify(wanted.map((i) => i + 1))) return false;
        if (JSON.stringify(fifo) !== JSON.stringify(wanted)) return false;

        const chosen = queued[pick % queued.length];
        if (!chosen) return false;
        const raised = queued.map((build) => (build === chosen ? { ...build, priority: 1 } : build));
        const after = placesOf({ ...state, queued: raised }, NOW, limits).get(chosen.buildId);
        const before = places.get(chosen.buildId);
        return after !== undefined && before !== undefined && after.queuePosition <= before.queuePosition;
      }),
    ),
  );
});

t.test('the place of the newest build is the same from counts as from the whole queue', async (t) => {
  fc.assert(
    fc.property(arbitraryQueue, arbitraryMacs, fc.integer({ min: 1, max: 20 }), (queued, macs, estimated) => {
      const some = { ...limits, estimated_builds: estimated };
      const newest = { ...queued.at(-1)!, requeued: false };
      const others = queued.slice(0, -1);
      const state = { macs, running: runningOn(macs), queued: [...others, newest] };
      const urgent = others.filter((build) => priorityClass(build, NOW, some) === 1).length;
      const turn = priorityClass(newest, NOW, some) === 1 ? urgent : others.length;
      const before = { created: others.length, turn };
      const known = estimateNeedsQueue(newest, before, macs, some) ? state : { ...state, queued: [] };
      t.same(placeOfNewest(newest, before, known, NOW, some), placesOf(state, NOW, some).get(newest.buildId));
    }),
  );
});

t.test('a build at the end of the queue changes no estimate before it', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(arbitraryQueue, arbitraryMacs, arbitraryBuild(99), (queued, macs, last) => {
        const base = { now: NOW, macs, running: runningOn(macs), limits };
        const before = estimateStarts({ ...base, queued });
        const after = estimateStarts({ ...base, queued: [...queued, last] });
        return queued.every(({ buildId }) => before.get(buildId) === after.get(buildId));
      }),
    ),
  );
});

t.test('estimates are never before now, never on a Mac that cannot take the build, never two at a time', async () => {
  fc.assert(
    fc.property(arbitraryQueue, arbitraryMacs, (queued, macs) => {
      const run = runningOn(macs);
      const starts = estimateStarts({ now: NOW, macs, running: run, queued, limits });
      const open = (at: number) =>
        queued.filter((b) => {
          const start = starts.get(b.buildId);
          return typeof start === 'number' && start <= at && at < start + b.timeoutMin * MINUTE;
        }).length + run.filter((b) => at < (b.deadlineAt ?? 0)).length;
      return queued.every((build) => {
        const start = starts.get(build.buildId);
        if (typeof start !== 'number') return start === null;
        return start >= NOW && macs.some((mac) => fits(mac, build) && start < mac.endsAt) && open(start) <= macs.length;
      });
    }),
  );
});

t.test('the heads of the queue classes decide as the whole queue does', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(arbitraryQueue, arbitraryMacs, (queued, macs) => {
        const perKey = runningPerKey(runningOn(macs));
        const heads = new Map<string, QueuedBuild>();
        for (const build of [...queued].sort((a, b) => b.seq - a.seq)) {
          heads.set(`${queueClassOf(build)}/${build.priority}/${build.requeued}`, build);
        }
        const whole = nextAssignment(queued, macs, perKey, NOW, limits);
        const few = nextAssignment([...heads.values()], macs, perKey, NOW, limits);
        return whole?.build.buildId === few?.build.buildId && whole?.mac.rentalId === few?.mac.rentalId;
      }),
      { numRuns: 300 },
    ),
  );
});

t.test('advice has requests that can be sent as they are', async (t) => {
  const left = (hours: number, id = 'rt_1') => macAt(id, { hours: 24, endsAt: NOW + hours * HOUR });
  const alone = { conflictAt: null, pendingOrderNo: null };
  const rented = (macs: RentalWithMac[]) =>
    macs.map((mac) => ({ mac, extension: extensionOf(mac, alone, NOW, limits) }));
  const kinds = (macs: RentalWithMac[], queued: number) =>
    adviceFor(rented(macs), queued, NOW).map(({ kind, rental_id }) => (rental_id ? `${kind} ${rental_id}` : kind));
  t.same(kinds([left(24)], 3), []);
  t.same(kinds([left(23.99)], 0), ['extend_recommended rt_1']);
  t.same(kinds([left(0.99)], 0), ['extend_recommended rt_1', 'expiring_soon rt_1']);
  t.same(kinds([left(0.1)], 0), ['expiring_soon rt_1'], 'too late to extend');
  t.same(kinds([left(24)], 4), ['queue_backlog']);
  t.same(kinds([left(24), left(24, 'rt_2')], 6), []);
  t.same(kinds([], 9), ['no_active_mac']);
  t.same(kinds([macAt('rt_1', { state: 'reserved', readyAt: null })], 0), ['no_active_mac']);
  t.match(adviceFor(rented([left(2)]), 0, NOW)[0], {
    remaining_s: 7200,
    reason: 'less_than_24_hours',
    quote_hint: { days: 1, amount_won: 10_000 },
    next: [{ method: 'POST', path: '/api/v1/rentals/rt_1/extend/quote', body: { hours: 24 } }],
  });
});
