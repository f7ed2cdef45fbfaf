// When a change of a Mac that failed is tried again. The clock is the test's.
import t from 'tap';
import { createChangeFailures } from '../../../host-agent/daemon/macs/change-failures.js';
import { NotInstalledError } from '../../../host-agent/driver/driver.js';
import { defaultDaemonLimits } from '../../../host-agent/limits.js';
import { createAdvancingClock } from '../../../shared/clock.js';
import { createLog } from '../../../shared/log.js';
import { desiredMac } from '../../harness/desired-mac.js';

const HOUR = 3_600_000;
const wanted = desiredMac({ revision: 2 });
const refusal = new NotInstalledError('no such Xcode here');

t.test('a refused change blocks a Mac that works, never the making of one that was lost since', async (t) => {
  const cases = [
    { error: refusal, worked: true, works: true, blocks: true, why: 'it would be refused again' },
    { error: refusal, worked: true, works: false, blocks: false, why: 'it was lost since, so it is made anew' },
    { error: refusal, worked: false, works: false, blocks: false, why: 'it never worked: it is tried again' },
    { error: new Error('busy'), worked: true, works: true, blocks: false, why: 'not refused yet' },
  ];
  for (const { error, worked, works, blocks, why } of cases) {
    const clock = createAdvancingClock({});
    let retries = 0;
    const failures = createChangeFailures({
      retry: () => void retries++,
      clock,
      limits: () => defaultDaemonLimits,
      log: createLog('test', 'silent'),
    });
    failures.add('slot_1', { action: 'change', desired: wanted, works: worked }, error);
    const isFinal = error === refusal && worked;
    t.equal(failures.blocks('slot_1', wanted, worked), true, `${why}: not before its time`);
    await clock.advance(HOUR);
    t.equal(retries, isFinal ? 0 : 1, why);
    t.equal(failures.blocks('slot_1', wanted, works), blocks, why);
    t.equal(failures.blocks('slot_1', desiredMac({ revision: 3 }), true), false, 'another desire is tried at once');
    t.same([...failures.entries()], [], 'and clears the failure');
    failures.close();
  }
});

t.test('errors of the file system say what keeps a Mac from being made', (t) => {
  const failures = createChangeFailures({
    retry: () => undefined,
    clock: createAdvancingClock({}),
    limits: () => defaultDaemonLimits,
    log: createLog('test', 'silent'),
  });
  const errno = (code: string, syscall = 'mkdir') => Object.assign(new Error(`${code}: ${syscall}`), { code, syscall });
  const unmounted = errno('ENOENT');
  for (const [error, code] of [
    [unmounted, 'not_writable'],
    [new Error('cannot make the Mac', { cause: unmounted }), 'not_writable'],
    ...['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ELOOP', 'EIO', 'ENXIO', 'ENODEV', 'ESTALE'].map(
      (one) => [errno(one), 'not_writable'] as const,
    ),
    [errno('ENOSPC'), 'disk_full'],
    [errno('EDQUOT'), 'disk_full'],
    [errno('ENOENT', 'spawn tart'), 'failed'],
    [new Error('something else'), 'failed'],
  ] as const) {
    failures.add('slot_1', { action: 'make', desired: wanted, works: false }, error);
    t.equal(failures.entries().get('slot_1')?.errorCode, code, error.message);
  }
  failures.close();
  t.end();
});
