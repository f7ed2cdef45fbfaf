import t from 'tap';
import { createThroughput, quantile } from '../../control-plane/start/domain/throughput.js';

t.test('quantiles are values that occurred', async (t) => {
  t.equal(quantile([], 0.5), null);
  t.equal(quantile([7], 0.95), 7);
  t.equal(quantile([1, 2, 3, 4], 0.5), 2);
  t.equal(
    quantile(
      Array.from({ length: 100 }, (_, i) => i + 1),
      0.95,
    ),
    95,
  );
});

t.test('spans are divided among the steps, and the future does not count', async (t) => {
  const found = createThroughput({ from: 100, to: 160, step: 20 }, 150);
  found.addMac({ from: 0, to: null });
  found.addSlot({ from: 110, to: 130 });
  found.addBuild({ createdAt: 90, startedAt: 95, endedAt: 125, status: 'succeeded' });
  found.addBuild({ createdAt: 100, startedAt: 130, endedAt: null, status: 'running' });
  // Before and after the range.
  found.addBuild({ createdAt: 1, startedAt: 2, endedAt: 99, status: 'failed' });
  found.addBuild({ createdAt: 1, startedAt: 160, endedAt: null, status: 'running' });
  const none = { succeeded: 0, failed: 0 };
  t.same(found.result().steps, [
    { at: 100, builds: 0, ...none, buildMs: 20, macMs: 20, slotMs: 10, waitP50: null, waitP95: null },
    { at: 120, builds: 1, ...none, buildMs: 15, macMs: 20, slotMs: 10, waitP50: 30, waitP95: 30 },
    { at: 140, builds: 0, ...none, buildMs: 10, macMs: 10, slotMs: 0, waitP50: null, waitP95: null },
  ]);
});

t.test('the 95th percentile of a range is that of all its builds, not the highest of its steps', async (t) => {
  const found = createThroughput({ from: 0, to: 2_000, step: 1_000 }, 2_000);
  t.equal(found.result().waitP95, null);
  const add = (startedAt: number, wait: number) =>
    found.addBuild({ createdAt: startedAt - wait, startedAt, endedAt: startedAt, status: 'succeeded' });
  for (let n = 0; n < 99; n++) add(100, n % 10);
  add(1_500, 900);
  const { steps, waitP95 } = found.result();
  t.same([waitP95, ...steps.map((step) => step.waitP95)], [9, 9, 900]);
});
