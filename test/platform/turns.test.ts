// Turns on the main thread: which is next, and which wait. The test sets the time that each takes.
import fc from 'fast-check';
import t from 'tap';
import { createTurns, type Turns } from '../../control-plane/platform/app/turns.js';
import { createFairQueue } from '../../control-plane/platform/domain/fair-queue.js';

/** Turns whose work takes as long as it says. */
function timed() {
  let now = 0;
  const turns = createTurns({ stopwatch: () => now });
  const order: string[] = [];
  const work = (party: string, ms: number, then = () => {}) => ({
    party,
    run() {
      order.push(party);
      now += ms;
      then();
    },
  });
  return { turns, order, work };
}

const turned = () => new Promise<void>((resolve) => setImmediate(resolve));

async function settled(turns: Turns): Promise<void> {
  const waiting = () => Number(Object.values(turns.gauges[0]?.read() ?? {})[0]);
  while (waiting() > 0) await turned();
}

t.test('a quiet party is next, however much work of a busy one waits', async (t) => {
  const { turns, order, work } = timed();
  for (let i = 0; i < 60; i++) turns.enter(work('loud', 20), 'new');
  await turned();
  turns.enter(work('quiet', 1), 'new');
  const before = order.length;
  await settled(turns);
  t.equal(order.length, 61);
  t.ok(order.indexOf('quiet') - before <= 1, `after ${order.indexOf('quiet') - before} turns of the loud one`);
});

t.test('a party that has hardly used the thread does not wait for those that have', async (t) => {
  const { turns, order, work } = timed();
  for (let i = 0; i < 10; i++) turns.enter(work('loud', 20), 'new');
  await turned();
  await turned();
  const before = order.length;
  turns.enter(work('quiet', 20), 'new');
  turns.enter(work('quiet', 20), 'begun');
  t.same(order.slice(before), ['quiet', 'quiet'], 'at once, in the same round');
  turns.enter(work('quiet', 20), 'new');
  turns.enter(work('quiet', 20), 'new');
  turns.enter(work('loud', 20), 'begun');
  t.equal(order.length, before + 3, 'it has used 60 ms, so it waits like any other');
  await settled(turns);
  t.equal(order.length, 15);
});

t.test('parties that both want more share the thread by time, not by number of requests', async (t) => {
  const { turns, order, work } = timed();
  for (let i = 0; i < 100; i++) turns.enter(work('dear', 20), 'new');
  for (let i = 0; i < 400; i++) turns.enter(work('cheap', 2), 'new');
  await settled(turns);
  const half = order.slice(0, order.lastIndexOf('cheap') + 1);
  const dear = half.filter((one) => one === 'dear').length;
  t.ok(dear >= 35 && dear <= 45, `${dear} of 20 ms beside 400 of 2 ms`);
});

t.test('a round ends after a few milliseconds, so that sockets are read in between', async (t) => {
  const { turns, order, work } = timed();
  for (let i = 0; i < 10; i++) turns.enter(work('loud', 20), 'new');
  t.same(order, ['loud'], 'the first begins at once, the others wait');
  await turned();
  await turned();
  t.equal(order.length, 2, 'one of 20 ms in a round');
});

t.test('a turn goes on through steps for the length of a round', async (t) => {
  let now = 0;
  const turns = createTurns({ stopwatch: () => now });
  const seen: boolean[] = [];
  const work = {
    party: 'one',
    run() {
      for (const ms of [0, 0.4, 0.4, 0.4]) {
        now += ms;
        seen.push(turns.mayGoOn(work));
      }
    },
  };
  turns.enter(work, 'new');
  t.same(seen, [true, true, true, false]);
  t.equal(turns.mayGoOn({ party: 'one', run() {} }), false, 'it is not the turn of other work');
  await settled(turns);
});

t.test('an idle service runs work at once', async (t) => {
  const { turns, order, work } = timed();
  turns.enter(work('one', 0.4), 'new');
  turns.enter(work('two', 0.4), 'new');
  t.same(order, ['one', 'two']);
});

t.test('a gate holds new work back, not what has begun', async (t) => {
  const { turns, order, work } = timed();
  let open = false;
  turns.addGate((party) => party !== 'held' || open);
  turns.enter(work('held', 1), 'new');
  turns.enter(work('other', 1), 'new');
  turns.again(work('held', 1));
  for (let i = 0; i < 5; i++) await turned();
  t.same(order.sort(), ['held', 'other']);
  open = true;
  turns.reconsider();
  await settled(turns);
  t.equal(order.filter((one) => one === 'held').length, 2);
});

t.test('a step ends the turn, also when no other work waits', async (t) => {
  const { turns, work } = timed();
  const steps: string[] = [];
  turns.enter(
    work('one', 1, () => {
      void turns.next('one').then(() => steps.push('later'));
    }),
    'new',
  );
  setImmediate(() => steps.push('sockets'));
  await settled(turns);
  await turned();
  t.same(steps, ['sockets', 'later']);
});

t.test('the queue gives back everything once; debts do not outlive those who wait', async () => {
  const action = fc.oneof(
    fc.record({
      do: fc.constant('add' as const),
      party: fc.constantFrom('a', 'b', 'c'),
      begun: fc.boolean(),
    }),
    fc.record({ do: fc.constant('next' as const), cost: fc.integer({ min: 0, max: 30 }) }),
    fc.record({ do: fc.constant('remove' as const), nth: fc.nat() }),
  );
  fc.assert(
    fc.property(fc.array(action, { maxLength: 100 }), (actions) => {
      const queue = createFairQueue<{ party: string }>();
      const inside: { party: string }[] = [];
      for (const one of actions) {
        if (one.do === 'add') {
          const item = { party: one.party };
          inside.push(item);
          queue.add(one.party, item, one.begun ? 'begun' : 'new');
        } else if (one.do === 'remove') {
          const [item] = inside.splice(one.nth % Math.max(1, inside.length), 1);
          if (item) queue.remove(item.party, item);
        } else {
          const item = queue.next(() => true);
          if ((item === null) !== (inside.length === 0)) return false;
          if (item === null) continue;
          if (!inside.includes(item)) return false;
          inside.splice(inside.indexOf(item), 1);
          queue.charge(item.party, one.cost);
        }
        if (queue.waiting() !== inside.length) return false;
      }
      while (queue.next(() => true) !== null) inside.pop();
      return inside.length === 0;
    }),
  );
});
