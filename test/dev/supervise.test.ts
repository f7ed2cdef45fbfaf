// Which ends of a half `cidermill dev` answers with another start, with real processes and a clock that never waits.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { supervise } from '../../control-plane/dev/supervise.js';
import { type Clock, systemClock } from '../../shared/clock.js';
import { createLog } from '../../shared/log.js';

const impatient: Clock = {
  ...systemClock,
  monotonic: () => 0,
  setTimeout: (fn) => systemClock.setTimeout(fn, 0),
};

function half(t: Test, source: string) {
  const module = join(t.testdir(), 'half.mjs');
  writeFileSync(module, source);
  let starts = 0;
  const supervised = supervise({
    name: 'half',
    module,
    clock: impatient,
    log: createLog('test', 'silent'),
    env: () => ({ ...process.env, START: String(starts) }),
    permanent: [78],
    onStart: () => void starts++,
    onMessage: () => undefined,
  });
  t.teardown(() => supervised.stop(5_000));
  return { gaveUp: supervised.gaveUp, starts: () => starts };
}

t.test('a half that exits with a permanent error is not restarted', async (t) => {
  const { gaveUp, starts } = half(t, 'process.exit(78)');
  t.equal(await gaveUp, 78);
  t.equal(starts(), 1);
});

t.test('a half that keeps exiting is given up after ten starts, not counting exits by a signal', async (t) => {
  const { gaveUp, starts } = half(
    t,
    "if (Number(process.env.START) < 3) process.kill(process.pid, 'SIGKILL'); else process.exit(1);",
  );
  t.equal(await gaveUp, 1);
  t.equal(starts(), 13);
});
