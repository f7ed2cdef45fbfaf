// The whole life of a Mac of lume, as the self-test of a host runs it: builds, an Xcode, resets, removal.
import t from 'tap';
import { runTrial, type TrialStep } from '../../host-agent/doctor/trial.js';
import { systemClock } from '../../shared/clock.js';
import { createLog } from '../../shared/log.js';
import { openLumeHost } from '../harness/vm/lume-host.js';
import { lumeRig } from '../host-agent/driver/lume-rig.js';

t.test('a Mac of lume passes the self-test', async (t) => {
  const host = await openLumeHost(t);
  const rig = lumeRig(host);
  // Build processes find lume by the environment of this one.
  const before = { ...process.env };
  Object.assign(process.env, { HOME: host.env.HOME, PATH: `${host.env.PATH}:${process.env.PATH}` });
  t.teardown(() => Object.assign(process.env, { HOME: before.HOME, PATH: before.PATH }));
  const steps: TrialStep[] = [];
  await runTrial({
    driver: rig.open(),
    dataDir: rig.dataDir,
    mac: { image: 'ghcr.io/acme/macos:26' },
    clock: systemClock,
    log: createLog('trial', 'silent'),
    progress: () => undefined,
    report: (step) => steps.push(step),
  });
  t.ok(steps.length >= 7);
  for (const { name, status, detail } of steps) t.equal(status, 'passed', `${name}: ${detail}`);
  t.equal(host.ranTwice(), null);
  t.equal(host.sentTelemetry(), false);
});
