// Processes without any trace of the build: no environment, session, terminal or folder.
// Runs in: soak
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import t from 'tap';
import { listProcesses } from '../../../host-agent/driver/process-table.js';
import { hasSubreaper, subreaperWarning, withSubreaper } from '../../../host-agent/system/subreaper.js';
import { runs } from '../../harness/soak.js';
import { until } from '../../harness/until.js';
import { openDaemon, openHouse } from './house.js';
import { newSpec, tempFolder } from './rig.js';

// Another run of these tests on the same machine has sleepers of its own.
const NAP = String(200_000 + process.pid);

function sleepers(): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1') === `sleep\0${NAP}\0`;
    } catch {
      // No process, or one that has just ended.
      return false;
    }
  });
}

const strays: [name: string, script: string][] = [
  ['a daemon without environment and session', `env -i setsid bash -c 'cd /; (sleep ${NAP} &)'`],
  ['one without environment in the session of the script', `env -i bash -c 'cd /; (sleep ${NAP} &)'`],
  ['three generations', `env -i setsid bash -c 'cd /; (setsid bash -c "(setsid sleep ${NAP} &)" &)'`],
  [
    'one that is started again and again',
    `env -i setsid bash -c 'cd /; (while :; do setsid sleep ${NAP} & read -t 0.05 <> <(:); done &)' >/dev/null 2>&1`,
  ],
];

const endings: [name: string, rest: string, stop: boolean][] = [
  ['ends by itself', 'true', false],
  ['is cancelled', 'sleep 4351', true],
  ['kills its wrapper', 'kill -KILL $PPID; sleep 4352', false],
  ['kills the process that runs it', 'kill -KILL $(ps -o ppid= -p $PPID); sleep 4353', false],
];

t.test('no process of a build outlives it', async (t) => {
  const house = await openHouse(t);
  const daemon = openDaemon(t, house, { leftoverGraceMs: 50 });
  for (const [e, [ending, rest, stop]] of endings.entries()) {
    // Every stray and every ending; in a long run every pair.
    for (const [name, script] of strays.filter((_, s) => (s + e) % runs(4, 1) === 0)) {
      const spec = newSpec(`${script}; sleep 0.1; echo up; ${rest}`, { kill_grace_ms: 200 });
      await daemon.start(spec, []);
      if (stop) {
        await until(async () => (await daemon.log(spec)).includes('up\n'), 'it is up');
        // On a busy machine a process becomes `sleep` only after the script has gone on.
        await until(() => sleepers().length > 0, 'there is something to end');
        daemon.stop(spec, 'cancelled_by_user');
      }
      const { warnings } = await daemon.end(spec);
      t.same(sleepers(), [], `${name}; the build ${ending}`);
      t.same(warnings, []);
      await daemon.forget(spec);
    }
  }
});

t.test('zombies of daemons do not pile up while the script runs', async (t) => {
  const house = await openHouse(t);
  const daemon = openDaemon(t, house);
  const spec = newSpec(
    [
      'for i in $(seq 50); do (setsid true &); done; sleep 0.3',
      'left() { ps -eo stat=,ppid= | grep -c "^Z.* $PPID$" || true; }',
      // On a busy machine some have only just ended.
      'for i in $(seq 50); do [ "$(left)" = 0 ] && break; sleep 0.2; done; left',
    ].join('\n'),
  );
  await daemon.start(spec, []);
  await daemon.end(spec);
  t.match(await daemon.log(spec), /^0\n/m);
});

t.test('the command is unchanged where there is no subreaper', async (t) => {
  const argv = ['/bin/sh', '-c', 'exit 0'];
  t.same(withSubreaper(argv).slice(-3), argv);
  t.equal(withSubreaper(argv).length > 3, hasSubreaper());
});

t.test('an agent warns where there is no subreaper', async (t) => {
  const machine = (platform: NodeJS.Platform, ...there: string[]) => ({
    platform,
    arch: 'x64',
    exists: (path: string) => there.includes(path),
  });
  t.match(subreaperWarning(machine('linux')), /not adopted.*install \/usr\/bin\/perl or \/usr\/bin\/python3/);
  t.equal(subreaperWarning(machine('linux', '/usr/bin/perl')), null);
  t.equal(subreaperWarning(machine('linux', '/usr/bin/python3')), null);
  t.equal(subreaperWarning(machine('darwin')), null, 'docs/security.md says what holds there');
});

t.test(
  'a process that is replaced by another program at this moment is not taken for one without environment',
  async (t) => {
    const folder = tempFolder(t);
    const child = spawn('/bin/bash', ['-c', 'while :; do /bin/true; done'], { cwd: folder });
    t.teardown(() => child.kill('SIGKILL'));
    const bare = spawn('/usr/bin/env', ['-i', '/bin/sleep', NAP], { cwd: folder });
    t.teardown(() => bare.kill('SIGKILL'));
    const work = realpathSync(folder);
    const without = async () =>
      (await listProcesses()).filter((entry) => entry.folder() === work && entry.lacks('PATH')).map(({ pid }) => pid);
    await until(async () => (await without()).includes(Number(bare.pid)), 'the one without environment is found');
    const found = new Set<number>();
    for (let n = 0; n < 500; n++) for (const pid of await without()) found.add(pid);
    t.same([...found], [bare.pid]);
  },
);
