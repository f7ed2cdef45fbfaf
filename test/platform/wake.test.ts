import t from 'tap';
import { createWake } from '../../control-plane/platform/wake.js';
import { createAdvancingClock } from '../../shared/clock.js';

t.test('a waiter is woken only by its topic and key', async (t) => {
  const clock = createAdvancingClock({ start: 0 });
  const wake = createWake(clock);
  const mine = wake.wait('build', 'rb_1', 60_000);
  const other = wake.wait('build', 'rb_2', 1_000);
  wake.wake('build', 'rb_3');
  wake.wake('build-log', 'rb_1');
  wake.wake('build', 'rb_1');
  t.equal(await mine, true);
  await clock.advance(1_200);
  t.equal(await other, false, 'the other ran into its time limit');
});

t.test('a waiter is resolved immediately when its signal aborts', async (t) => {
  const wake = createWake(createAdvancingClock({ start: 0 }));
  const gone = new AbortController();
  const parked = wake.wait('build', 'rb_1', 60_000, gone.signal);
  gone.abort();
  t.equal(await parked, false);
  t.equal(await wake.wait('build', 'rb_1', 60_000, gone.signal), false, 'already gone');
});

t.test('listeners receive every key until they unsubscribe', async (t) => {
  const wake = createWake(createAdvancingClock({ start: 0 }));
  const heard: string[] = [];
  const off = wake.on('host', (key) => heard.push(key));
  wake.wake('host', 'h1');
  wake.wake('host');
  off();
  wake.wake('host', 'h2');
  t.same(heard, ['h1', '']);
});

t.test('2,000 waiters share one timer', async (t) => {
  const inner = createAdvancingClock({ start: 0 });
  let live = 0;
  let most = 0;
  const wake = createWake({
    ...inner,
    setTimeout(fn, ms) {
      live++;
      most = Math.max(most, live);
      return inner.setTimeout(() => {
        live--;
        fn();
      }, ms);
    },
  });
  const parked = Array.from({ length: 2_000 }, (_, i) => wake.wait('build', `rb_${i}`, 30_000));
  await inner.advance(29_000);
  t.equal(most, 1);
  await inner.advance(1_100);
  t.equal((await Promise.all(parked)).filter(Boolean).length, 0);
  t.equal(live, 0, 'with nobody parked no timer runs');
});

t.test('close resolves all waiters with false', async (t) => {
  const wake = createWake(createAdvancingClock({ start: 0 }));
  const parked = wake.wait('order', 'RT-1', 60_000);
  wake.close();
  t.equal(await parked, false);
  t.equal(await wake.wait('order', 'RT-1', 60_000), false);
});

t.test('wakeAll wakes every listener and every waiter', async (t) => {
  const wake = createWake(createAdvancingClock({ start: 0 }));
  const heard: string[] = [];
  wake.on('host', (key) => heard.push(`host:${key}`));
  wake.on('scheduler', (key) => heard.push(`scheduler:${key}`));
  const parked = [wake.wait('build', 'rb_1', 60_000), wake.wait('order', 'RT-1', 60_000)];
  wake.wakeAll();
  t.same(await Promise.all(parked), [true, true]);
  t.same(heard, ['host:', 'scheduler:']);
});
