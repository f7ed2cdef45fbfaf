// Estimates of how long builds take, from earlier builds.
import fc from 'fast-check';
import t from 'tap';
import { estimateStarts, expectedEndOf, type RunningBuild } from '../../control-plane/builds/domain/estimates.js';
import { expectedRunMs } from '../../control-plane/builds/domain/run-times.js';
import { defaultLimits as limits } from '../../control-plane/platform/domain/limits.js';
import { HOUR, MINUTE, macAt, NOW, waiting } from '../harness/macs-and-builds.js';

t.test('estimates use the median, or the median of longer builds once that is exceeded', async (t) => {
  const table: [times: number[], elapsed: number, expected: number | null][] = [
    [[], 0, null],
    [[7], 0, 7],
    [[3, 1], 0, 2],
    [[9, 1, 5], 0, 5],
    [[10, 1, 2, 9], 0, 6],
    [[9, 1, 5], 4, 5],
    [[9, 1, 5], 5, 9],
    [[9, 1, 5, 7], 6, 8],
    [[9, 1, 5], 9, null],
    [[9, 1, 5], 100, null],
  ];
  for (const [times, elapsed, expected] of table) {
    t.equal(expectedRunMs(times, elapsed), expected, `${times} after ${elapsed}`);
  }
  fc.assert(
    fc.property(fc.array(fc.nat(1_000), { maxLength: 10 }), fc.nat(1_200), (times, elapsed) => {
      const run = expectedRunMs(times, elapsed);
      return run === null ? times.every((time) => time <= elapsed) : run > elapsed;
    }),
  );
});

t.test('starts are estimated from history, or from timeouts without history', async (t) => {
  const history = new Map([
    ['fast', [4 * MINUTE, 6 * MINUTE, 5 * MINUTE]],
    ['slow', [3 * HOUR]],
  ]);
  const busy = macAt('rt_busy', { state: 'building' });
  const run = (more: Partial<RunningBuild>): RunningBuild => ({
    buildId: 'r',
    keyId: null,
    rentalId: 'rt_busy',
    deadlineAt: NOW + HOUR,
    attemptStartedAt: NOW - MINUTE,
    ...more,
  });
  const starts = (running: RunningBuild) => {
    const queued = [
      waiting('a', 1, { historyKey: 'fast' }),
      waiting('b', 2, { historyKey: 'slow' }),
      waiting('c', 3),
      waiting('d', 4),
    ];
    const found = estimateStarts({ now: NOW, macs: [busy], running: [running], queued, limits, history });
    return ['a', 'b', 'c', 'd'].map((id) => ((found.get(id) ?? 0) - NOW) / MINUTE);
  };
  t.same(starts(run({ historyKey: 'fast' })), [4, 9, 69, 129], 'nothing takes longer than its time limit');
  t.same(starts(run({ historyKey: 'unknown' })), [60, 65, 125, 185]);
  t.same(starts(run({})), [60, 65, 125, 185]);
  t.same(
    starts(run({ historyKey: 'fast', attemptStartedAt: NOW - HOUR })),
    [60, 65, 125, 185],
    'longer than any before',
  );
  t.equal(expectedEndOf(run({ historyKey: 'slow' }), history, NOW), NOW + HOUR, 'never behind its deadline');
  t.equal(expectedEndOf(run({ historyKey: 'fast', attemptStartedAt: null }), history, NOW), null);
});
