// Upgrades through every process that takes part: the launcher, the version before, the new one, and what starts them.
// Runs in: soak
import { existsSync, readdirSync } from 'node:fs';
import t, { type Test } from 'tap';
import { readTrial } from '../../../host-agent/installation/trial.js';
import { currentVersion, installedVersions } from '../../../host-agent/installation/versions.js';
import { casesOf } from '../../harness/soak.js';
import { until } from '../../harness/until.js';
import type { Behavior } from './small-package.js';
import { openRig, type Rig } from './upgrade-rig.js';

/** Upgrades from 1.0.0 to 2.0.0 and returns the last report, once it says how that ended. */
async function upgrade(t: Test, behavior: Behavior) {
  const rig = await openRig(t);
  if (behavior === 'hangs' || behavior === 'lonely') rig.env.SMALL_TRIAL_MS = '1000';
  rig.want(rig.pack('2.0.0', behavior));
  rig.launchd.start();
  const over = () => /^(failed|rolled_back)$/.test(last(rig)?.state ?? '') || last(rig)?.runs === '2.0.0';
  const done = () => over() && last(rig)?.state !== 'trying';
  await until(done, 'the end of the upgrade');
  return { rig, report: last(rig), states: rig.reports().map(({ runs, state }) => `${runs} ${state}`) };
}
const last = (rig: Rig) => rig.reports().at(-1);
const leftovers = (rig: Rig) => readdirSync(rig.paths.versions).filter((name) => name.startsWith('.'));

t.test('a version that works stays, and the one before it is kept', async (t) => {
  const { rig, report, states } = await upgrade(t, 'good');
  t.match(report, { runs: '2.0.0', attempt: 'up_2.0.0', version: '2.0.0', state: 'idle', error: null });
  t.same(states, [
    '1.0.0 idle',
    '1.0.0 downloading',
    '1.0.0 installing',
    '1.0.0 restarting',
    '2.0.0 trying',
    '2.0.0 idle',
  ]);
  t.equal(currentVersion(rig.paths), '2.0.0');
  t.equal(readTrial(rig.paths), null);
  t.same(installedVersions(rig.paths), ['1.0.0', '2.0.0']);
  t.same(leftovers(rig), []);
});

const failures: Record<string, [Behavior, object]> = {
  'ends whenever it starts': ['crashes', { error: /^Version 2.0.0 ended 3 times before/ }],
  'does nothing at all': ['hangs', { error: /^Version 2.0.0 did not connect to the service within 1 s; 1.0.0/ }],
  'is not welcomed': ['lonely', { error: /^Version 2.0.0 did not connect to the service within 1 s; 1.0.0/ }],
};
for (const [what, [behavior, expected]] of casesOf(failures, ['does nothing at all'])) {
  t.test(`a version that ${what} is replaced by the one before`, async (t) => {
    const { rig, report } = await upgrade(t, behavior);
    const rolledBack = {
      runs: '1.0.0',
      attempt: 'up_2.0.0',
      version: '2.0.0',
      state: 'rolled_back',
      ...expected,
    };
    t.match(report, rolledBack);
    t.equal(currentVersion(rig.paths), '1.0.0');
    t.notOk(existsSync(`${rig.paths.root}/trial`));
    const { length } = rig.reports();
    rig.launchd.kill();
    await until(() => rig.reports().length > length, 'it runs again');
    t.match(last(rig), rolledBack, 'it still reports that, and does not try again');
  });
}
