// Builds that delete or change the folder of their attempt end at once, as a failure of the platform, with their log.
// Runs in: soak
import { lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { lossResult } from '../../../host-agent/daemon/lost-build.js';
import { listProcesses } from '../../../host-agent/driver/process-table.js';
import type { BuildResult, BuildSpec } from '../../../shared/protocol/index.js';
import { sha256 } from '../../harness/sha256.js';
import { casesOf, everyNth } from '../../harness/soak.js';
import { until } from '../../harness/until.js';
import { attemptsFolder, FIND_ATTEMPT, folderOf, markOf, openDaemon, openHouse } from './house.js';
import { newSpec } from './rig.js';

const limits = { folderCheckMs: 100 };
const FORGED: BuildResult = {
  ...lossResult({ cause: 'ended', stop: null }, { bytes: 0, sha256: sha256('') }, [], 0),
  outcome: 'exited',
  exit_code: 0,
  reason_code: null,
  fault: null,
};

/** What a script does to its attempt's folder `$d`, and whether its log can be restored. */
const damages: Readonly<Record<string, readonly [script: string, log: 'whole' | 'lost']>> = {
  'the folder removed': ['rm -rf "$d"', 'whole'],
  'the folder replaced by a link': ['rm -rf "$d"; ln -s /tmp "$d"', 'whole'],
  'the folder replaced by a file': ['rm -rf "$d"; echo >"$d"', 'whole'],
  'the folder recreated': ['rm -rf "$d"; mkdir "$d"', 'whole'],
  'the folder filled with junk': ['for i in 1 2 3; do echo junk >"$d/junk $i"; mkdir "$d/.$i"; done', 'whole'],
  'the folder without permissions': ['chmod 0 "$d"', 'whole'],
  'the folder of all builds removed': ['rm -rf "$(dirname "$d")"', 'whole'],
  'the folder with a random name replaced by a link': [
    'b=$(dirname "$d"); rm -rf "$TMPDIR/b"; mv "$b" "$TMPDIR/b"; ln -s "$TMPDIR/b" "$b"',
    'whole',
  ],
  'the folder of all builds replaced by a link': [
    'b=$(dirname "$(dirname "$d")"); rm -rf "$TMPDIR/b"; mv "$b" "$TMPDIR/b"; ln -s "$TMPDIR/b" "$b"',
    'whole',
  ],
  'the log removed': ['rm "$d/spool"', 'whole'],
  'the log replaced by a folder': ['rm "$d/spool"; mkdir "$d/spool"; echo x >"$d/spool/x"', 'whole'],
  'the log replaced by a link': ['rm "$d/spool"; ln -s /etc/passwd "$d/spool"', 'whole'],
  'the log replaced by a pipe': ['rm "$d/spool"; mkfifo "$d/spool"', 'whole'],
  'the log replaced by its copy': ['cp "$d/spool" "$d/x"; mv "$d/x" "$d/spool"', 'whole'],
  'the log without permissions': ['chmod 0 "$d/spool"', 'whole'],
  'the log truncated': [': >"$d/spool"', 'lost'],
  'the log made longer': ['echo more >>"$d/spool"', 'lost'],
  'a folder in place of the result': ['mkdir "$d/result.json" "$d/result.json.new"', 'whole'],
  'a pipe in place of the result': ['mkfifo "$d/result.json" "$d/result.json.new"', 'whole'],
  'a link in place of the result': ['ln -s /etc/passwd "$d/result.json"', 'whole'],
  'a forged result': [`echo '${JSON.stringify(FORGED)}' >"$d/result.json"`, 'whole'],
  'the order removed': ['rm "$d/spec.json"', 'whole'],
  'the order replaced in place': [
    'n=$(wc -c <"$d/spec.json"); head -c $n /dev/zero | dd of="$d/spec.json" conv=notrunc',
    'whole',
  ],
  'the state made a folder': ['rm "$d/state.json"; mkdir "$d/state.json"', 'whole'],
  'the control socket removed': ['rm "$d/control"', 'whole'],
  'the control socket replaced': ['rm "$d/control"; echo >"$d/control"', 'whole'],
};

const platform = {
  outcome: 'failed',
  step: 'platform',
  reason_code: 'build_folder_changed',
  fault: 'platform',
};
// A killed process may or may not have detected the change before.
const lost = { ...platform, reason_code: /^(internal_error|build_folder_changed)$/ };

async function checkLog(t: Test, daemon: ReturnType<typeof openDaemon>, spec: BuildSpec, name: string, log: string) {
  const result = await daemon.end(spec);
  t.equal(result.log.lost ?? false, log === 'lost', `${name}: ${log} log`);
  if (log === 'lost') return;
  const text = await daemon.log(spec);
  t.match(text, /\nbefore\n/, name);
  t.match(text, /\n\[cidermill\] The folder in which the host keeps this build was changed/, name);
  t.same({ bytes: result.log.bytes, sha256: result.log.sha256 }, { bytes: text.length, sha256: sha256(text) }, name);
}

const ends = [
  'the folder of all builds replaced by a link',
  'the log replaced by a link',
  'the log truncated',
  'a pipe in place of the result',
  'a forged result',
  'the control socket replaced',
];
const goesOn = ['the folder recreated', 'the log made longer'];

for (const [ending, after, folderCheckMs, names] of [
  ['whose script ends then', 'exit 3', 600_000, ends],
  ['whose script goes on', 'sleep 4341', 100, goesOn],
] as const) {
  t.test(`a build ${ending} is the platform's failure`, async (t) => {
    const house = await openHouse(t);
    for (const [name, [script, log]] of casesOf(damages, names)) {
      const daemon = openDaemon(t, house, { ...limits, folderCheckMs });
      const spec = newSpec(`echo before; ${FIND_ATTEMPT}; sleep 0.05; ${script}; ${after}`);
      await daemon.start(spec, []);
      const result = await daemon.end(spec);
      t.match(result, platform, name);
      t.ok((after === 'exit 3' ? [3] : [137, 143]).includes(result.exit_code ?? -1), name);
      await checkLog(t, daemon, spec, name, log);
      await daemon.close();

      const next = openDaemon(t, house, limits);
      await next.adopt();
      t.same(await next.end(spec), result, `${name}: the next daemon finds the same`);
      await next.forget(spec);
      t.same(readdirSync(attemptsFolder(house)), [], name);
      await next.close();
    }
  });
}

t.test('if the build process dies of it, the build still ends', async (t) => {
  const house = await openHouse(t);
  const names = ['the log replaced by a pipe', 'the folder removed'];
  for (const [name, [script]] of casesOf(damages, names)) {
    const daemon = openDaemon(t, house, limits);
    const kill = 'kill -KILL $(ps -o ppid= -p $PPID)';
    const spec = newSpec(`echo before; ${FIND_ATTEMPT}; sleep 0.05; ${script}; ${kill}; sleep 4342`);
    await daemon.start(spec, []);
    const result = await daemon.end(spec);
    t.match(result, lost, name);
    t.same(daemon.result(spec), result, name);
    const mark = markOf(house, spec);
    t.equal((await listProcesses()).filter(({ carries }) => carries(mark)).length, 0, name);
    await daemon.forget(spec);
    t.same(readdirSync(attemptsFolder(house)), [], name);
    await daemon.close();
  }
});

t.test('a script can delete or replace the files that it knows', async (t) => {
  const house = await openHouse(t);
  const daemon = openDaemon(t, house, limits);
  const scripts = [
    'rm -rf "$a"',
    'rm -rf "$a"; echo x >"$a"',
    'rm -rf "$a"; mkfifo "$a"',
    'rm -rf "$(dirname "$a")"',
    'rm "$0"',
    'rm -rf "$(dirname "$(dirname "$a")")"',
    'd=$(dirname "$(dirname "$a")"); rm -rf "$d"; ln -s /etc "$d"',
    'rm -rf "$HOME" "$TMPDIR" "$PWD"; cd /',
  ];
  for (const script of everyNth(2, scripts)) {
    const spec = newSpec(`a=$CIDERMILL_ARTIFACTS; ${script}; sleep 0.3`);
    await daemon.start(spec, []);
    t.match(await daemon.end(spec), { outcome: 'exited', exit_code: 0, artifacts: [] }, script);
  }
});

t.test('a running build is found again when its result or socket was replaced', async (t) => {
  const house = await openHouse(t);
  const slow = { ...limits, folderCheckMs: 600_000 };
  const spec = newSpec('echo up; sleep 4343');
  const first = openDaemon(t, house, slow);
  await first.start(spec, []);
  await until(async () => (await first.log(spec)).includes('up\n'), 'it prints');
  await first.close();
  writeFileSync(path.join(folderOf(house, spec), 'result.json'), JSON.stringify(FORGED));
  const second = openDaemon(t, house, slow);
  await second.adopt();
  t.match(second.facts(), [{ state: 'running' }], 'a result counts only when its process has gone');
  await second.close();

  rmSync(path.join(folderOf(house, spec), 'result.json'));
  rmSync(path.join(folderOf(house, spec), 'control'));
  const third = openDaemon(t, house, slow);
  await third.adopt();
  t.match(await third.end(spec), lost);
  const mark = markOf(house, spec);
  t.equal((await listProcesses()).filter(({ carries }) => carries(mark)).length, 0, 'out of reach is out of life');
});

t.test('a build whose result cannot be written is ended all the same', async (t) => {
  const house = await openHouse(t);
  const unchecked = { ...limits, folderCheckMs: 600_000 };
  const daemon = openDaemon(t, house, { ...unchecked, settleAttempts: 2, settleRetryMs: 1 });
  const spec = newSpec('sleep 0.1; d=$(cd "$HOME/../../.." && pwd); rm -rf "$d"; echo >"$d"; exit 3');
  await daemon.start(spec, []);
  t.match(await daemon.end(spec), { ...lost, log: { lost: true } });
  rmSync(house.dataDir);
  mkdirSync(house.dataDir);
  await daemon.forget(spec);
});

t.test('a build process that ignores a stop is killed, and the build counts as stopped', async (t) => {
  const house = await openHouse(t);
  const daemon = openDaemon(t, house, { ...limits, stopMs: 1, killRoundsMs: 300 });
  const spec = newSpec('echo up; sleep 4344', { kill_grace_ms: 0 });
  await daemon.start(spec, []);
  await until(async () => (await daemon.log(spec)).includes('up\n'), 'it prints');
  const { pid } = JSON.parse(String(await daemon.state(spec)));
  process.kill(pid, 'SIGSTOP');
  daemon.stop(spec, 'rental_ended');
  t.match(await daemon.end(spec), { outcome: 'stopped', stop_reason: 'rental_ended', step: 'platform' });
  t.match(await daemon.log(spec), /up\n/);
});

t.test('a log that disappears after the end is reported as lost', async (t) => {
  const house = await openHouse(t);
  const ended = async () => {
    const daemon = openDaemon(t, house, limits);
    const spec = newSpec('echo something');
    await daemon.start(spec, []);
    await daemon.end(spec);
    return { daemon, spec, spool: path.join(folderOf(house, spec), 'spool') };
  };
  for (const spoil of [
    (spool: string) => rmSync(spool),
    (spool: string) => truncateSync(spool),
    (spool: string) => {
      rmSync(spool);
      mkdirSync(spool);
    },
    (spool: string) => {
      rmSync(spool);
      symlinkSync('/etc/passwd', spool);
    },
  ]) {
    const { daemon, spec, spool } = await ended();
    spoil(spool);
    t.equal(await daemon.readLog(spec, 0, Buffer.alloc(100)), 0, 'nothing can be read, and nothing is thrown');
    await daemon.forget(spec);
    t.notOk(lstatSync(path.dirname(spool), { throwIfNoEntry: false }));
    await daemon.close();
  }
});
