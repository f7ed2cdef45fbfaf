// Steps of the machine's clock: when they count, and who hears of them.
import t from 'tap';
import { createAdvancingClock } from '../../shared/clock.js';
import { createSteadyClock, watchSteps } from '../../shared/steady-clock.js';

const HOUR = 3_600_000;

t.test('a steady clock follows a step on request, and small corrections at once', async (t) => {
  const base = createAdvancingClock({ start: 1_000_000 });
  const clock = createSteadyClock(base);
  await base.advance(500);
  t.equal(clock.now(), 1_000_500);
  base.step(-HOUR);
  t.equal(clock.now(), 1_000_500);
  t.equal(clock.pendingStep(), -HOUR);
  clock.follow(-HOUR);
  t.equal(clock.pendingStep(), 0);
  t.equal(clock.now(), 1_000_500 - HOUR);
  t.equal(clock.monotonic(), base.monotonic(), 'spans saw nothing');
  base.step(300);
  t.equal(clock.pendingStep(), 0, 'what NTP does every day');
  t.equal(clock.now(), base.now());
  base.step(5);
  clock.pendingStep();
  t.equal(clock.now(), base.now() - 5, 'rounding');
});

t.test('a step is noticed within a second or so', async (t) => {
  const clock = createAdvancingClock({ start: 0 });
  const steps: number[] = [];
  const stop = watchSteps(clock, (ms) => steps.push(ms));
  await clock.advance(HOUR);
  t.same(steps, [], 'time that passes is none');
  clock.step(HOUR);
  await clock.advance(1_000);
  clock.step(-HOUR);
  await clock.advance(1_000);
  t.same(steps, [HOUR, -HOUR]);
  stop();
  clock.step(HOUR);
  await clock.advance(10_000);
  t.equal(steps.length, 2);
});

t.test('timers of a clock do not notice a step', async (t) => {
  const clock = createAdvancingClock({ base: createAdvancingClock({ start: 0 }) });
  const fired: number[] = [];
  clock.setTimeout(() => fired.push(clock.monotonic()), 1_000);
  clock.step(HOUR);
  await clock.advance(999);
  t.same(fired, []);
  await clock.advance(1);
  t.same(fired, [1_000]);
});
