// `doctor --try` on the local driver: every step, and the errors of a faulty Mac.
// Runs in: soak
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { runTrial } from '../../../host-agent/doctor/trial.js';
import type { MacDriver } from '../../../host-agent/driver/driver.js';
import { createLocalDriver } from '../../../host-agent/driver/local.js';
import { systemClock } from '../../../shared/clock.js';
import { createLog } from '../../../shared/log.js';
import { tempFolder } from '../runner/rig.js';

const log = createLog('trial', 'error');

const trial = (dataDir: string, driver: MacDriver, report: Parameters<typeof runTrial>[0]['report'] = () => {}) =>
  runTrial({ driver, dataDir, mac: { image: null }, clock: systemClock, log, report });

t.test('every step passes on this machine, and no files are left', async (t) => {
  const dataDir = tempFolder(t);
  const driver = createLocalDriver({ dataDir, applicationsDir: join(dataDir, 'none') });
  const seen: string[] = [];
  const steps = await trial(dataDir, driver, ({ name, status, detail }) => {
    seen.push(`${status} ${name}: ${detail}`);
  });
  t.same(
    steps.map(({ status }) => status),
    ['passed', 'passed', 'passed', 'passed', 'skipped', 'passed', 'passed', 'passed'],
    seen.join('\n'),
  );
  t.equal(seen.length, steps.length, 'each step was reported');
  t.same(readdirSync(join(dataDir, 'macs')), []);
});

t.test('a Mac that cannot be created: its error, the other steps are not run, and it is removed', async (t) => {
  const dataDir = tempFolder(t);
  const driver = createLocalDriver({ dataDir });
  const broken = { ...driver, create: () => Promise.reject(new Error('no room for a clone')) };
  const steps = await trial(dataDir, broken);
  t.match(steps[0], { status: 'failed', detail: 'no room for a clone' });
  t.same(new Set(steps.slice(1, -1).map(({ status }) => status)), new Set(['not_run']));
  t.match(steps.at(-1), { status: 'passed' });
  t.notOk(existsSync(join(dataDir, 'macs', 'trial')));
});

t.test('a reset that leaves files of the tenant fails the trial', async (t) => {
  const dataDir = tempFolder(t);
  const driver = createLocalDriver({ dataDir });
  const lazy = { ...driver, emptyWork: async () => {} };
  const steps = await trial(dataDir, lazy);
  t.match(steps[5], { name: /keeps caches/, status: 'failed', detail: /exit code 1, expected 0/ });
});
