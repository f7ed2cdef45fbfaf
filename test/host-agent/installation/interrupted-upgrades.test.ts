// Agents that are killed, and disks that are full, at the steps of an upgrade.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { readTrial } from '../../../host-agent/installation/trial.js';
import { currentVersion, installedVersions } from '../../../host-agent/installation/versions.js';
import { asked, runs } from '../../harness/soak.js';
import { until } from '../../harness/until.js';
import { openRig } from './upgrade-rig.js';

/** Upgrades with a fault in an agent; returns false when there are fewer steps. */
async function interrupted(t: Test, version: string, kind: 'kill' | 'full', step: number): Promise<boolean> {
  const rig = await openRig(t);
  const faulted = join(rig.prefix, 'faulted');
  Object.assign(rig.env, { SMALL_FAULT: `${version} ${kind} ${step}`, SMALL_FAULTED: faulted });
  const last = () => rig.reports().at(-1);
  const over = () => {
    const { state = '', attempt = null } = last() ?? {};
    return /^(idle|failed|rolled_back)$/.test(state) && attempt !== null;
  };
  rig.want(rig.pack('2.0.0'));
  rig.launchd.start();
  await until(() => over() || (kind === 'full' && existsSync(faulted)), 'the upgrade');
  if (!existsSync(faulted)) {
    await rig.launchd.stop();
    t.match(last(), { runs: '2.0.0', state: 'idle' }, `${version}, ${kind}: without a fault`);
    return false;
  }
  const what = `${version}, ${kind} at step ${step}`;
  if (kind === 'full') {
    // The disk stays full until it has been noticed; then there is room again, and the operator asks once more.
    await until(() => over() || last()?.runs === '2.0.0', `${what}: it is noticed`);
    const program = join(rig.paths.current, 'bin/cidermill');
    t.match(execFileSync(program, ['--version'], { encoding: 'utf8' }), /^[12]\.0\.0\n$/, what);
    rmSync(faulted);
    Object.assign(rig.env, { SMALL_FAULT: '' });
    rig.want({ ...rig.pack('2.0.0'), attempt: 'up_again' });
    rig.launchd.kill();
  }
  const done = () => last()?.runs === '2.0.0' && last()?.state === 'idle' && readTrial(rig.paths) === null;
  await until(done, `${what}: the new version works; ${JSON.stringify(rig.reports().slice(-3))}`);
  await rig.launchd.stop();
  t.equal(currentVersion(rig.paths), '2.0.0', what);
  t.same(installedVersions(rig.paths), ['1.0.0', '2.0.0'], what);
  const unfinished = readdirSync(rig.paths.versions).filter((name) => /^\.(new|old)/.test(name));
  t.same(unfinished, [], what);
  return true;
}

/** The agent, the fault, its steps by default, and every how many steps in a soak run, which begins at any of them. */
const plans = [
  ['1.0.0', 'kill', [41], 10],
  ['2.0.0', 'kill', [], 4],
  ['1.0.0', 'full', [], 10],
  ['2.0.0', 'full', [], 4],
] as const;
for (const [version, kind, few, every] of plans) {
  t.test(`version ${version}: ${kind}`, async (t) => {
    if (runs(0, 1) === 0) {
      for (const step of few) t.ok(await interrupted(t, version, kind, step));
      return;
    }
    const distance = Math.ceil(every / asked);
    let step = 1 + Math.floor(Math.random() * distance);
    while (await interrupted(t, version, kind, step)) step += distance;
    t.ok(step > 5, `${step} steps`);
  });
}
