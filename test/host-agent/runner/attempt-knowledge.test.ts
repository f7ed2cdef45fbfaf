// What a build knows about its attempt, and who else can read it.
import { lstatSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { attemptName } from '../../../host-agent/contract/attempt-folder.js';
import { createResultSigner, readSignedResult } from '../../../host-agent/contract/signed-result.js';
import { BUILD_PROGRAM } from '../../../host-agent/daemon/build-program.js';
import { lossResult } from '../../../host-agent/daemon/lost-build.js';
import { createSuspectMacs, isSuspect } from '../../../host-agent/daemon/suspect-build.js';
import { createLocalDriver } from '../../../host-agent/driver/local.js';
import { createAdvancingClock } from '../../../shared/clock.js';
import { createLog } from '../../../shared/log.js';
import { until } from '../../harness/until.js';
import { attemptsFolder, folderOf, openDaemon, openHouse } from './house.js';
import { newSpec, SLOT } from './rig.js';

const RESULT = lossResult({ cause: 'ended', stop: null }, null, [], 0);

t.test('a build does not learn the path of its attempt', async (t) => {
  const house = await openHouse(t);
  const daemon = openDaemon(t, house);
  const script = `
    env; pwd; echo "$0 $*"; ls -l /proc/self/fd /proc/self/cwd
    for pid in $$ $PPID $(ps -o ppid= -p $PPID); do
      tr '\\0' '\\n' </proc/$pid/environ; tr '\\0' ' ' </proc/$pid/cmdline
      ls -l /proc/$pid/cwd /proc/$pid/exe /proc/$pid/root
    done
    ls -ld "$HOME"/../*; umask; touch "$TMPDIR/x"; mkdir "$TMPDIR/d"; stat -c 'mode %a' "$TMPDIR"/?`;
  const spec = newSpec(script);
  await daemon.start(spec, []);
  t.match(await daemon.end(spec), { exit_code: 0 });
  const log = await daemon.log(spec);
  t.match(
    log,
    new RegExp(`${house.dataDir}/macs/${SLOT}/run/${attemptName(spec)}/script`),
    'the output contains the command line',
  );
  t.match(log, / \/proc\/\d+\/cwd -> \/\n/, 'the working folder of the build process does not reveal it');
  t.notMatch(log, attemptsFolder(house));
  t.notMatch(log, path.basename(attemptsFolder(house)));
  t.notMatch(log, path.join(house.dataDir, 'builds'));
  t.match(log, /^0022\nmode 755\nmode 644\n/m, 'it has the umask of a login shell');
});

t.test('a build inherits no file descriptor from the parent of the agent', async (t) => {
  const house = await openHouse(t);
  const file = path.join(house.dataDir, 'secret');
  writeFileSync(file, 'opened by the shell that started the agent');
  // A process between the daemon and the build process, with descriptors like those inherited from a shell.
  const program = path.join(house.dataDir, 'program.mjs');
  const stdio = `['ignore', 1, 2, 3, ...Array(37).fill('ignore'), openSync(${JSON.stringify(file)})]`;
  writeFileSync(
    program,
    `import { spawnSync } from 'node:child_process';
    import { openSync } from 'node:fs';
    const argv = [${JSON.stringify(BUILD_PROGRAM)}, ...process.argv.slice(2)];
    spawnSync(process.execPath, argv, { stdio: ${stdio} });`,
  );
  const daemon = openDaemon(t, house, {}, program);
  const spec = newSpec('for fd in 3 4 5 9 20 40 41 42; do if { : <&$fd; } 2>/dev/null; then echo "has $fd"; fi; done');
  await daemon.start(spec, []);
  t.match(await daemon.end(spec), { exit_code: 0 });
  t.notMatch(await daemon.log(spec), /^has /m);
});

t.test('only the user of the agent can access an attempt', async (t) => {
  const house = await openHouse(t);
  const daemon = openDaemon(t, house);
  const spec = newSpec(
    'mkdir -p "$CIDERMILL_ARTIFACTS/A.app"; echo 1 >"$CIDERMILL_ARTIFACTS/a"; echo 2 >"$CIDERMILL_ARTIFACTS/A.app/b"; ' +
      'echo up; until [ -e "$HOME/go" ]; do sleep 0.01; done',
  );
  const open = () =>
    readdirSync(path.join(house.dataDir, 'builds'), { recursive: true, withFileTypes: true })
      .map((entry) => path.join(entry.parentPath, entry.name))
      // The process of the build removes its socket when it exits.
      .filter((file) => ((lstatSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0);
  await daemon.start(spec, []);
  await until(async () => (await daemon.log(spec)).includes('up\n'), 'output of the script');
  t.ok(lstatSync(path.join(folderOf(house, spec), 'control')).isSocket());
  t.same(open(), [], 'while the build runs');
  const { home, runs } = createLocalDriver({ dataDir: house.dataDir }).paths(SLOT);
  writeFileSync(path.join(home, 'go'), '');
  t.equal((await daemon.end(spec)).artifacts.length, 2);
  t.same(open(), [], 'after the build has ended');
  t.same(readdirSync(runs), [], 'script and artifacts are deleted when it ends');
  await daemon.forget(spec);
});

t.test('a result is accepted if the build process has signed it', async (t) => {
  const signer = createResultSigner();
  const end = { result: RESULT, service: [[0, 9] as [number, number]] };
  const signed = JSON.parse(signer.sign(end));
  t.same(readSignedResult(signed, signer.key), end);
  t.same(
    readSignedResult(JSON.parse(signer.sign({ result: RESULT, service: null })), signer.key),
    { result: RESULT, service: null },
    'of a version that does not write the places',
  );
  const forged = { ...RESULT, outcome: 'exited', exit_code: 0 };
  const text = JSON.stringify(forged);
  for (const content of [
    forged,
    { ...signed, result: text },
    { result: text, signature: '' },
    { result: text },
    JSON.parse(createResultSigner().sign(end)),
    undefined,
    null,
    7,
    'x',
    { ...signed, signature: 'x' },
  ]) {
    t.equal(readSignedResult(content, signer.key), null, JSON.stringify(content)?.slice(0, 80));
  }
  for (const key of ['', 'x', createResultSigner().key]) t.equal(readSignedResult(signed, key), null);
  t.same(readSignedResult(RESULT, null), { result: RESULT, service: null }, 'a result of an older version');
  t.equal(readSignedResult({ outcome: 'exited' }, null), null);
});

t.test('a build of an older version is adopted and stays in its folder', async (t) => {
  const house = await openHouse(t);
  const first = openDaemon(t, house);
  const running = newSpec('echo up; until [ -e "$HOME/end" ]; do sleep 0.01; done');
  await first.start(running, []);
  await until(async () => (await first.log(running)).includes('up\n'), 'output of the script');
  await first.close();
  const { pid, boot } = JSON.parse(first.state(running));
  // An attempt of an older version has ended: its folder is in `builds` itself, its result is not signed.
  const ended = newSpec('true');
  const old = path.join(house.dataDir, 'builds', attemptName(ended));
  mkdirSync(old);
  writeFileSync(path.join(old, 'spec.json'), JSON.stringify(ended));
  writeFileSync(path.join(old, 'state.json'), JSON.stringify({ pid: 1 + 2 ** 22, boot }));
  writeFileSync(path.join(old, 'spool'), 'of the older version\n');
  writeFileSync(path.join(old, 'result.json'), JSON.stringify(RESULT));

  const next = openDaemon(t, house);
  await next.adopt();
  t.same(next.result(ended), RESULT);
  t.equal(await next.log(ended), 'of the older version\n');
  await next.forget(ended);
  t.notOk(lstatSync(old, { throwIfNoEntry: false }));
  t.equal(JSON.parse(next.state(running)).pid, pid, 'the running build stays in its folder');
  writeFileSync(path.join(house.dataDir, 'macs', SLOT, 'home', 'end'), '');
  t.match(await next.end(running), { exit_code: 0 });
});

t.test('attempts are found in every folder with a random name', async (t) => {
  const house = await openHouse(t);
  const first = openDaemon(t, house);
  const spec = newSpec('echo up');
  await first.start(spec, []);
  const result = await first.end(spec);
  await first.close();
  const moved = path.join(house.dataDir, 'builds', 'f'.repeat(16));
  renameSync(attemptsFolder(house), moved);
  mkdirSync(path.join(house.dataDir, 'builds', '0'.repeat(16)));
  const next = openDaemon(t, house);
  await next.adopt();
  t.same(await next.end(spec), result);
  await next.forget(spec);
  t.same(readdirSync(moved), []);
});

t.test('which results make a build suspect', async (t) => {
  const ends: [object, boolean][] = [
    [{ step: 'platform', reason_code: 'build_folder_changed' }, true],
    [{ step: 'platform', reason_code: 'internal_error' }, true],
    // Its process was killed after a stop was requested.
    [{ step: 'platform', reason_code: null }, true],
    // Not suspect if the machine is shutting down.
    [{ step: 'platform', reason_code: 'mac_lost' }, true],
    [{ step: 'platform', reason_code: 'host_disk_full' }, false],
    [{ step: 'prepare', reason_code: 'workspace_failed' }, false],
    [{ step: 'script', reason_code: 'script_failed' }, false],
    [{ step: 'script', reason_code: null }, false],
  ];
  for (const [end, suspect] of ends) t.equal(isSuspect({ ...RESULT, ...end }), suspect, JSON.stringify(end));
});

t.test('the signal of a shutdown makes a build suspect unless the machine is shutting down', async (t) => {
  const result = { ...RESULT, step: 'platform', reason_code: 'mac_lost' } as const;
  for (const [isOfThisBoot, stops, remade] of [
    [true, false, true],
    [true, true, false],
    [false, false, false],
  ]) {
    const clock = createAdvancingClock({ start: 0 });
    const discarded: string[] = [];
    let stopping = false;
    let idle: Promise<void> = Promise.resolve();
    const remake = createSuspectMacs({
      macs: {
        whileIdle(_slotId, work) {
          idle = work();
          return idle.then(() => true);
        },
      },
      driver: { kind: 'local', discardRecord: async (slotId) => void discarded.push(slotId) },
      builds: { isOfThisBoot: async () => isOfThisBoot === true },
      stopping: () => stopping,
      clock,
      log: createLog('test', 'fatal'),
    });
    remake({ build_id: 'rb_1', attempt: 1 }, SLOT, result);
    await clock.advance(100);
    t.same(discarded, [], 'not discarded while that is unknown');
    stopping = stops === true;
    await clock.advance(10_000);
    await idle;
    t.same(discarded, remade ? [SLOT] : [], JSON.stringify({ isOfThisBoot, stops }));
  }
});

t.test('a build in a virtual machine cannot reach the agent, so its Mac stays', async (t) => {
  const asked: string[] = [];
  for (const kind of ['tart', 'local'] as const) {
    const remake = createSuspectMacs({
      macs: { whileIdle: async () => asked.push(kind) > 0 },
      driver: { kind, discardRecord: async () => {} },
      builds: { isOfThisBoot: async () => true },
      stopping: () => false,
      clock: createAdvancingClock({ start: 0 }),
      log: createLog('test', 'fatal'),
    });
    for (const reason_code of ['mac_lost', 'internal_error', 'build_folder_changed']) {
      remake({ build_id: 'rb_1', attempt: 1 }, SLOT, { ...RESULT, step: 'platform', reason_code });
    }
  }
  t.same(asked, ['local', 'local', 'local']);
});
