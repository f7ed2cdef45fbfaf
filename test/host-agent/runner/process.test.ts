// Builds in separate processes, under daemons that come and go.
// Runs in: soak
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { attemptName } from '../../../host-agent/contract/attempt-folder.js';
import { listProcesses } from '../../../host-agent/driver/process-table.js';
import { createAdvancingClock, systemClock } from '../../../shared/clock.js';
import type { BuildSecret, BuildSpec } from '../../../shared/protocol/index.js';
import { commandLines } from '../../harness/processes.js';
import { sha256 } from '../../harness/sha256.js';
import { runs } from '../../harness/soak.js';
import { until } from '../../harness/until.js';
import { attemptsFolder, folderOf, type House, markOf, openDaemon, openHouse, pidOf } from './house.js';
import { newSpec, SLOT, tempFolder } from './rig.js';

/** Of a log whose script does not imitate the service. */
const marksAreRight = (lines: { text: string; isService: boolean }[]) =>
  lines.some(({ isService }) => isService) &&
  lines.every(({ text, isService }) => isService === text.startsWith('[cidermill] '));

const ofBuild = async (mark: string) => (await listProcesses()).filter(({ carries }) => carries(mark)).length;

t.test('a build from its start until it is forgotten', async (t) => {
  const house = await openHouse(t);
  const daemon = openDaemon(t, house);
  await daemon.adopt();
  t.same(daemon.facts(), []);
  const spec = newSpec('echo hello; echo artifact >$CIDERMILL_ARTIFACTS/a.txt; exit 3');
  await Promise.all([daemon.start(spec, []), daemon.start(spec, [])]);
  await daemon.start(spec, []);
  t.match(daemon.facts(), [{ build_id: spec.build_id, attempt: 1 }], 'started once, however often it is asked for');
  t.equal(daemon.slotOf(spec), SLOT);
  const result = await daemon.end(spec);
  t.match(result, { outcome: 'exited', exit_code: 3, reason_code: 'script_failed', step: 'script' });
  t.same(daemon.result(spec), result);
  const log = await daemon.log(spec);
  t.match(log, /\nhello\n\[cidermill\] The script ended with exit code 3/);
  t.ok(marksAreRight(await daemon.sources(spec)));
  t.same({ bytes: result.log.bytes, sha: result.log.sha256 }, { bytes: Buffer.byteLength(log), sha: sha256(log) });
  t.equal(daemon.reported.get(attemptName(spec)), result.log.bytes, 'the whole length was reported');
  t.match(daemon.facts(), [{ state: 'finished', log_bytes: result.log.bytes }]);
  t.ok(daemon.facts_told.some(({ state, last_output_at }) => state === 'running' && last_output_at !== null));
  t.equal(readFileSync(daemon.artifactFile(spec, 'a.txt'), 'utf8'), 'artifact\n');
  t.throws(() => daemon.artifactFile(spec, 'b.txt'), RangeError);
  t.equal(await daemon.readLog(spec, result.log.bytes + 10, Buffer.alloc(100)), 0, 'nothing beyond the end');
  t.match(house.asked, [`/link/v1/builds/${spec.build_id}/1/manifest`]);

  await daemon.start(spec, []);
  t.same(daemon.result(spec), result, 'an attempt that has ended is not run again');
  await daemon.forget(spec);
  t.same(daemon.facts(), []);
  t.equal(daemon.slotOf(spec), null);
  t.same(readdirSync(attemptsFolder(house)), []);
  await daemon.forget(spec);

  const again = newSpec('true', { build_id: spec.build_id, attempt: 2 });
  await daemon.start(again, []);
  t.match(await daemon.end(again), { exit_code: 0 });
  await t.rejects(async () => daemon.start(newSpec('true', { build_id: '../x' }), []), RangeError);
});

t.test('a build is stopped through its daemon; a running build cannot be forgotten', async (t) => {
  const house = await openHouse(t);
  const daemon = openDaemon(t, house);
  const spec = newSpec('setsid sleep 4331 & echo up; sleep 4331', { kill_grace_ms: 20_000 });
  const starting = daemon.start(spec, []);
  await starting;
  await until(() => (daemon.reported.get(attemptName(spec)) ?? 0) > 0, 'it prints');
  await t.rejects(daemon.forget(spec), /has not ended/);
  daemon.stop(spec, 'rental_ended');
  daemon.stop(spec, 'cancelled_by_user');
  t.match(await daemon.end(spec), { outcome: 'stopped', stop_reason: 'rental_ended', exit_code: 143 });
  t.equal(await ofBuild(markOf(house, spec)), 0);
  daemon.stop(spec, 'cancelled_by_user');
  daemon.stop(newSpec('true'), 'cancelled_by_user');

  const early = newSpec('echo never', { clean_tree: true });
  house.hold();
  const begun = daemon.start(early, []);
  daemon.stop(early, 'cancelled_by_user');
  await begun;
  t.match(
    await daemon.end(early),
    { outcome: 'stopped', step: /^(prepare|source)$/, exit_code: null },
    'stopped while it starts',
  );
});

t.test(
  'a daemon that is closed or killed at any moment leaves its builds running, and its successor finds them',
  async (t) => {
    const house = await openHouse(t);
    const first = openDaemon(t, house);
    const lines = (n: number) => Array.from({ length: n }, (_, i) => `line ${i + 1}\n`).join('');
    const closed = newSpec('for i in $(seq 1 300); do echo line $i; sleep 0.002; done');
    await first.start(closed, []);
    await first.close();

    const moments = [0, 1, 2, 3, 4, 5].filter((n) => n % runs(3, 1) === 0);
    const specs: BuildSpec[] = [];
    for (const n of moments) {
      const spec = newSpec('for i in $(seq 1 300); do echo line $i; sleep 0.001; done');
      specs.push(spec);
      const daemon = await daemonProcess(t, house);
      daemon.give(spec);
      // From before the takeover to the middle of the output.
      if (n < 3) await new Promise((resolve) => setTimeout(resolve, n * 4));
      else if (n < 4) await daemon.hears('started');
      else await daemon.hears('output');
      daemon.child.kill('SIGKILL');
      await once(daemon.child, 'exit');
    }

    const last = openDaemon(t, house);
    await last.adopt();
    for (const spec of [closed, ...specs]) {
      // A build that was not taken over is started by the next desire; one that was is not started twice.
      await last.start(spec, []);
      const result = await last.end(spec);
      t.match(result, { outcome: 'exited', exit_code: 0, log: { possibly_truncated: false } });
      const log = await last.log(spec);
      t.equal(log.slice(log.indexOf('line 1\n')), lines(300));
      t.equal(result.log.sha256, sha256(log));
    }
    t.equal(last.facts().length, moments.length + 1);
    await until(async () => (await buildProcesses(house)) <= 1, 'only a warm process is left');
  },
);

t.test('a build that ran and ended after its daemon looked for attempts keeps its result', async (t) => {
  const house = await openHouse(t);
  const late = openDaemon(t, house);
  await late.adopt();
  const earlier = openDaemon(t, house);
  const spec = newSpec('echo once; exit 3');
  await earlier.start(spec, []);
  const result = await earlier.end(spec);
  await late.start(spec, []);
  t.same(await late.end(spec), result);
  t.match(result, { outcome: 'exited', exit_code: 3 });
  t.same(await late.sources(spec), await earlier.sources(spec));
  t.ok(marksAreRight(await late.sources(spec)), "the places of the service's lines are on disk too");
});

interface DaemonProcess {
  child: ChildProcess;
  give(spec: BuildSpec, secrets?: BuildSecret[]): void;
  hears(type: string): Promise<void>;
}

async function daemonProcess(t: Test, house: House): Promise<DaemonProcess> {
  const file = fileURLToPath(new URL('./daemon.js', import.meta.url));
  const child = spawn(process.execPath, [file, house.dataDir, house.siteUrl], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  const heard: string[] = [];
  createInterface(child.stdout).on('line', (line) => heard.push(JSON.parse(line).type));
  const hears = (type: string) => until(() => heard.includes(type), `the daemon says ${type}`);
  await hears('ready');
  return {
    child,
    hears,
    give: (spec, secrets = []) => void child.stdin.write(`${JSON.stringify({ spec, secrets })}\n`),
  };
}

/** Returns the running build processes of this house, warm ones included. */
async function buildProcesses(house: House): Promise<number> {
  const errors = path.join(house.dataDir, 'build-processes.log');
  let count = 0;
  for (const { pid } of await listProcesses()) {
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('host-agent/runner/main.js')) {
        if (execFileSync('readlink', [`/proc/${pid}/fd/2`], { encoding: 'utf8' }).trim() === errors) count++;
      }
    } catch {
      // It has just ended.
    }
  }
  return count;
}

t.test(
  "a build whose process is killed fails as the platform's fault, with its log so far and nothing left behind",
  async (t) => {
    const house = await openHouse(t);
    const daemon = openDaemon(t, house);
    const script = '(setsid sleep 4332 &); echo "before the end"; sleep 4332';
    const watched = newSpec(script);
    await daemon.start(watched, []);
    await until(async () => (await daemon.log(watched)).includes('before the end'), 'it prints');
    process.kill(pidOf(house, watched), 'SIGKILL');
    const result = await daemon.end(watched);
    t.match(result, {
      outcome: 'failed',
      step: 'platform',
      reason_code: 'internal_error',
      fault: 'platform',
      log: { possibly_truncated: true },
    });
    const log = await daemon.log(watched);
    t.match(log, /before the end\n\[cidermill\] The process that ran the build on the host ended unexpectedly/);
    t.equal(result.log.sha256, sha256(log));
    t.ok(marksAreRight(await daemon.sources(watched)));
    t.equal(await ofBuild(markOf(house, watched)), 0);

    // The same while no daemon is there, and over a restart of the machine.
    const unwatched = newSpec(script);
    const rebooted = newSpec(script);
    for (const spec of [unwatched, rebooted]) {
      await daemon.start(spec, []);
      await until(async () => (await daemon.log(spec)).includes('before the end'), 'it prints');
    }
    await daemon.close();
    for (const spec of [unwatched, rebooted]) process.kill(pidOf(house, spec), 'SIGKILL');
    writeFileSync(path.join(folderOf(house, rebooted), 'state.json'), JSON.stringify({ pid: 1, boot: 'another' }));
    const next = openDaemon(t, house);
    await next.adopt();
    t.match(next.result(unwatched), { outcome: 'failed', reason_code: 'internal_error' });
    t.match(next.result(rebooted), { outcome: 'failed', reason_code: 'mac_lost', summary: /restarted/ });
    for (const spec of [unwatched, rebooted]) t.equal(await ofBuild(markOf(house, spec)), 0);
    t.match(next.result(watched), result, 'and the first is as it was');
    t.ok(marksAreRight(await next.sources(watched)));
    // Nobody knows what the build has written to its log since, so only the new line is the service's.
    const own = (await next.sources(unwatched)).filter(({ isService }) => isService);
    t.match(own, [{ text: /ended unexpectedly/ }]);
  },
);

t.test('a build process that hangs is killed, and its build fails in the same way', async (t) => {
  const house = await openHouse(t);
  const clock = createAdvancingClock({ base: systemClock });
  const limits = { hungMs: 40_000 };
  const daemon = openDaemon(t, house, limits, undefined, clock);
  const script = '(setsid sleep 4334 &); echo "before the end"; sleep 4334';
  const [hangs, hangsUnwatched, goesOn] = [newSpec(script), newSpec(script), newSpec(script)];
  for (const spec of [hangs, hangsUnwatched, goesOn]) {
    await daemon.start(spec, []);
    await until(async () => (await daemon.log(spec)).includes('before the end'), 'it prints');
  }
  const stopped = (spec: BuildSpec) => process.kill(pidOf(house, spec), 'SIGSTOP');
  const livingOn = async () => {
    await answers(house, goesOn);
    t.match(daemon.facts().find(({ build_id }) => build_id === goesOn.build_id)?.state, 'running');
  };

  stopped(hangs);
  for (let period = 0; period < 4; period++) {
    await clock.advance(10_000);
    await livingOn();
    t.notOk(daemon.result(hangs), 'not before its time');
  }
  await clock.advance(10_000);
  const result = await daemon.end(hangs);
  t.match(result, {
    outcome: 'failed',
    step: 'platform',
    reason_code: 'internal_error',
    fault: 'platform',
    summary: /stopped answering and was ended\. The build can be run again unchanged/,
    log: { possibly_truncated: true },
  });
  t.match(await daemon.log(hangs), /before the end\n\[cidermill\] The process that ran the build .* stopped/);
  t.equal(await ofBuild(markOf(house, hangs)), 0);
  await livingOn();

  // It hangs already when a daemon finds it: it accepts the connection and sends nothing.
  stopped(hangsUnwatched);
  await daemon.close();
  const next = openDaemon(t, house, limits, undefined, clock);
  const adopted = next.adopt();
  await until(() => next.facts().length === 3, 'the builds are found');
  for (let period = 0; period < 5; period++) {
    await answers(house, goesOn);
    await clock.advance(10_000);
  }
  await adopted;
  t.match(await next.end(hangsUnwatched), { outcome: 'failed', summary: /stopped answering/ });
  t.equal(await ofBuild(markOf(house, hangsUnwatched)), 0);
  next.stop(goesOn, 'cancelled_by_user');
  t.match(await next.end(goesOn), { outcome: 'stopped', stop_reason: 'cancelled_by_user' });
});

/** Resolves when the build's process has handled everything that it received. */
async function answers(house: House, spec: BuildSpec): Promise<void> {
  const socket = createConnection(path.join(folderOf(house, spec), 'control'));
  let heard = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    heard += text;
  });
  for (let pings = 1; pings <= 2; pings++) {
    socket.write('{"type":"ping"}\n');
    await until(() => heard.split('"pong"').length > pings, 'a pong');
  }
  socket.destroy();
}

t.test('a machine that shuts down ends its builds as lost, with a reason', async (t) => {
  const house = await openHouse(t);
  const daemon = openDaemon(t, house);
  const spec = newSpec("trap '' TERM; echo up; while :; do sleep 0.1; done", { kill_grace_ms: 60_000 });
  await daemon.start(spec, []);
  await until(async () => (await daemon.log(spec)).includes('up'), 'it prints');
  process.kill(pidOf(house, spec), 'SIGTERM');
  t.match(await daemon.end(spec), { outcome: 'failed', reason_code: 'mac_lost', fault: 'platform' });
  t.equal(await ofBuild(markOf(house, spec)), 0);
});

t.test('folders that no process owns are deleted, so that the build can be started', async (t) => {
  const house = await openHouse(t);
  const spec = newSpec('echo ran');
  const builds = path.join(house.dataDir, 'builds', '0123456789abcdef');
  const folder = path.join(builds, attemptName(spec));
  mkdirSync(path.join(builds, `.new-${attemptName(spec)}.999999`, 'artifacts'), { recursive: true });
  mkdirSync(path.join(builds, '.gone-rb_old.1', 'artifacts'), { recursive: true });
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'spec.json'), '{"build_id":');
  const daemon = openDaemon(t, house);
  await daemon.adopt();
  t.same(readdirSync(builds), []);
  t.same(daemon.facts(), []);
  await daemon.start(spec, []);
  t.match(await daemon.end(spec), { exit_code: 0 });
});

t.test('the value of a secret is only in the build: not on disk, not in arguments, at any time', async (t) => {
  const house = await openHouse(t);
  const daemon = openDaemon(t, house);
  const value = `needle-${process.pid}-geheim-0123456789`;
  const spec = newSpec(
    'echo "it is $MY_SECRET"; printf %s "$MY_SECRET" | base64; echo "$MY_SECRET" >"$CIDERMILL_ARTIFACTS/$MY_SECRET"; ' +
      'until [ -e "$HOME/go" ]; do sleep 0.02; done; exit 1',
  );
  const everywhere = (phase: string) => {
    for (const file of filesBelow(house.dataDir)) {
      const own = file.includes('/artifacts/') || file.includes('/kept/') || file.includes('/macs/');
      if (!own) t.notMatch(readFileSync(file, 'latin1'), value, `${phase}: ${path.basename(file)}`);
      t.notMatch(path.basename(file).includes(value) && !file.includes('/artifacts/'), true, `${phase}: names`);
    }
    t.notOk(commandLines().includes(value), `${phase}: arguments of all processes`);
  };
  house.hold();
  await daemon.start(spec, [{ name: 'MY_SECRET', value }]);
  await until(() => house.asked.length > 0, 'the sources are asked for');
  everywhere('source');
  t.notOk(
    readFileSync(`/proc/${pidOf(house, spec)}/environ`, 'latin1').includes(value),
    "not in its process's environment",
  );
  house.letGo();
  await until(async () => (await daemon.log(spec)).includes('it is ***'), 'it prints');
  everywhere('script');
  writeFileSync(path.join(house.dataDir, 'macs', SLOT, 'home', 'go'), '');
  const result = await daemon.end(spec);
  everywhere('end');
  t.notMatch(JSON.stringify(result), value);
  t.same(
    result.artifacts.map(({ name }) => name),
    ['***'],
  );
  t.match(await daemon.log(spec), /it is \*\*\*\n\*\*\*=*\n/);
  t.match(result.warnings, ['The artifact *** contains the value of the secret MY_SECRET.']);
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

t.test('a script inherits no descriptor of the service', async (t) => {
  const house = await openHouse(t);
  const daemon = openDaemon(t, house);
  const spec = newSpec('ls -l /proc/self/fd /proc/$PPID/fd');
  await daemon.start(spec, []);
  await daemon.end(spec);
  const log = await daemon.log(spec);
  t.match(log, / 1 -> \/dev\/pts\//);
  t.notMatch(log, house.dataDir);
  t.notMatch(log, 'socket:');
  t.notMatch(log, '/dev/ptmx');
});

t.test('a data folder that is too deep for the path of a socket', async (t) => {
  const deep = path.join(tempFolder(t), 'd'.repeat(100), 'e'.repeat(100));
  mkdirSync(deep, { recursive: true });
  const house = await openHouse(t, deep);
  const first = openDaemon(t, house);
  const spec = newSpec('echo up; sleep 0.5; echo down');
  await first.start(spec, []);
  await first.close();
  const second = openDaemon(t, house);
  await second.adopt();
  t.match(second.facts(), [{ state: 'running' }]);
  t.match(await second.end(spec), { exit_code: 0, reason_code: null });
  t.match(await second.log(spec), 'up\ndown\n');
});

t.test('changed limits apply to the next build', async (t) => {
  const house = await openHouse(t);
  const limits = { terminalColumns: 120 };
  const daemon = openDaemon(t, house, limits);
  const width = async () => {
    const spec = newSpec('stty size <&1');
    await daemon.start(spec, []);
    await daemon.end(spec);
    return /^\d+ (\d+)\s*$/m.exec(await daemon.log(spec))?.[1];
  };
  t.equal(await width(), '120');
  limits.terminalColumns = 99;
  t.equal(await width(), '99');
});

t.test('a warm process waits for the next build, and exits with its daemon', async (t) => {
  const house = await openHouse(t);
  const daemon = await daemonProcess(t, house);
  await until(async () => (await buildProcesses(house)) === 1, 'a warm process is up');
  daemon.child.kill('SIGKILL');
  await until(async () => (await buildProcesses(house)) === 0, 'it has ended');

  const none = openDaemon(t, house);
  t.equal(await buildProcesses(house), 0);
  const spec = newSpec('true');
  await none.start(spec, []);
  t.match(await none.end(spec), { exit_code: 0 }, 'without one it only takes longer');

  const two = openDaemon(t, house, { warmProcesses: 2, warmRefillMs: 0 });
  await until(async () => (await buildProcesses(house)) === 2, 'two warm processes');
  const next = newSpec('true');
  await two.start(next, []);
  await two.end(next);
  await until(async () => (await buildProcesses(house)) === 2, 'refilled');
  await two.close();
  await until(async () => (await buildProcesses(house)) === 0, 'closed');
});

/** Returns whether this user may mount a small disk. */
function mountSmallDisk(t: Test, folder: string): boolean {
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', folder]).status !== 0) return false;
  t.teardown(() => spawnSync('umount', ['-l', folder]));
  return true;
}

t.test('a full disk fails the build and nothing else', async (t) => {
  const dataDir = tempFolder(t);
  const mounted = mountSmallDisk(t, dataDir);
  const house = await openHouse(t, dataDir);
  // Without permission to mount, build processes get a quota for their log.
  const program = mounted ? undefined : fileURLToPath(new URL('./small-disk.js', import.meta.url));
  const daemon = openDaemon(t, house, {}, program);
  const flood = newSpec('echo begin; head -c 20000000 /dev/zero | tr "\\0" x; echo end; sleep 4333');
  await daemon.start(flood, []);
  const result = await daemon.end(flood);
  t.match(result, { outcome: 'failed', step: 'platform', reason_code: 'host_disk_full', fault: 'platform' });
  const log = await daemon.log(flood);
  t.equal(result.log.sha256, sha256(log));
  t.equal(result.log.bytes, log.length);
  t.match(log, /begin\nxxxx/);
  t.equal(await ofBuild(markOf(house, flood)), 0);

  const second = newSpec('echo runs');
  if (mounted) {
    const filler = path.join(dataDir, 'filler');
    t.throws(() => writeFileSync(filler, Buffer.alloc(4_000_000)), { code: 'ENOSPC' });
    const refused = await daemon.start(second, []).catch((error: unknown) => error);
    t.match(refused, { reasonCode: 'host_disk_full', fault: 'platform' });
    t.match(daemon.facts(), [{ build_id: flood.build_id, state: 'finished' }]);
    rmSync(filler);
  }
  await daemon.forget(flood);
  await daemon.start(second, []);
  t.match(await daemon.end(second), { outcome: 'exited', exit_code: 0 }, 'as soon as there is room, builds run again');
});
