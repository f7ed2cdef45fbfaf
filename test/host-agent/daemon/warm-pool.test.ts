// When the warm pool starts processes. The process here only reports whether it was started warm.
import { once } from 'node:events';
import { join } from 'node:path';
import t from 'tap';
import { type BuildChild, createWarmPool } from '../../../host-agent/daemon/warm-pool.js';
import { createAdvancingClock } from '../../../shared/clock.js';

const PROGRAM = `
  import { writeSync } from 'node:fs';
  import { Socket } from 'node:net';
  writeSync(3, process.argv[3] ?? 'cold');
  new Socket({ fd: 3 }).on('close', () => process.exit()).resume();`;

t.test('a process taken from the warm pool is replaced after refillMs, or soon after a build has ended', async (t) => {
  const folder = t.testdir({ 'program.mjs': PROGRAM });
  const clock = createAdvancingClock({ start: 0 });
  const warmPool = createWarmPool({
    count: () => 1,
    refillMs: () => 5_000,
    clock,
    errorFile: join(folder, 'errors'),
    program: join(folder, 'program.mjs'),
  });
  t.teardown(() => warmPool.close());
  const boot = async (child: BuildChild) => {
    const [said] = await once(child.socket, 'data');
    child.socket.destroy();
    return String(said);
  };
  t.equal(await boot(warmPool.take()), 'warm');
  await clock.advance(4_999);
  t.equal(await boot(warmPool.take()), 'cold', 'the next process does not start while a new build needs the CPU');
  await clock.advance(1);
  t.equal(await boot(warmPool.take()), 'warm');
  warmPool.refillAfterBuild();
  await clock.advance(199);
  t.equal(await boot(warmPool.take()), 'cold', 'the end of a build is reported first');
  await clock.advance(1);
  t.equal(await boot(warmPool.take()), 'warm');
});
