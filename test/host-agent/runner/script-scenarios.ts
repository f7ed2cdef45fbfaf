// Scenarios of scripts that have the same end in every kind of Mac.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Test } from 'tap';
import { listProcesses } from '../../../host-agent/driver/process-table.js';
import type { StopReason } from '../../../shared/protocol/index.js';
import { sha256 } from '../../harness/sha256.js';
import { everyNth } from '../../harness/soak.js';
import type { Rig } from './rig.js';

// Another run of these tests on the same machine has sleepers of its own.
export const NAP = String(100_000 + process.pid);
export const nap = (script: string) => script.replaceAll('4321', NAP);

/** Processes of this machine that carry the build's mark or run the given command. */
export async function survivors(mark: string, word = 'no such word'): Promise<number[]> {
  const all = await listProcesses();
  const commandOf = (pid: number) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
    } catch {
      // It has just ended.
      return '';
    }
  };
  return all.filter(({ pid, carries }) => carries(mark) || commandOf(pid).includes(word)).map(({ pid }) => pid);
}

const endings: [script: string, exit: number, reason: string | null, fault: string | null][] = [
  ['true', 0, null, null],
  ['exit 0', 0, null, null],
  ['false', 1, 'script_failed', 'customer'],
  ['exit 7', 7, 'script_failed', 'customer'],
  ['exit 255', 255, 'script_failed', 'customer'],
  ['echo before; false; echo not reached', 1, 'script_failed', 'customer'],
  ['false | true', 1, 'script_failed', 'customer'],
  ['nosuchcommand', 127, 'command_not_found', 'customer'],
  ['/etc/passwd', 126, 'not_executable', 'customer'],
  ['kill -TERM $$', 143, 'script_failed', 'customer'],
  ['kill -KILL $$', 137, 'killed', 'unknown'],
  ['kill -SEGV $$', 139, 'script_failed', 'customer'],
  ['sh -c "kill -KILL \\$\\$"', 137, 'killed', 'unknown'],
  ['kill -TERM 0', 143, 'script_failed', 'customer'],
  ['kill -KILL 0', 137, 'killed', 'unknown'],
  ['kill -TERM $PPID; exit 3', 3, 'script_failed', 'customer'],
  ['kill -HUP $PPID; exit 4', 4, 'script_failed', 'customer'],
  ['#!/bin/sh\nexit 5', 5, 'script_failed', 'customer'],
  ['#!/bin/cat\nprinted as it is', 0, null, null],
  ['#!/no/such/interpreter', 127, 'command_not_found', 'customer'],
  ['if then', 2, 'script_failed', 'customer'],
  ['', 0, null, null],
  // The terminal's own settings cannot hide the end mark.
  ['stty olcuc opost <&1; exit 6', 6, 'script_failed', 'customer'],
  ['stty sane <&1; exit 8', 8, 'script_failed', 'customer'],
  ['stty raw <&1; exit 9', 9, 'script_failed', 'customer'],
];

/** The exit code of a script is the exit code of its build. */
export async function scriptsEnd(t: Test, rig: Pick<Rig, 'run'>, nth = 1): Promise<void> {
  for (const [script, exit, reason, fault] of everyNth(nth, endings)) {
    const { result, log } = await rig.run(script);
    const { outcome, exit_code, reason_code, step } = result;
    t.same(
      { outcome, exit_code, reason_code, step, fault: result.fault },
      { outcome: 'exited', exit_code: exit, reason_code: reason, step: 'script', fault },
      script,
    );
    t.equal(result.log.possibly_truncated, false, 'whole log');
    t.equal(result.log.sha256, sha256(log));
    t.equal(result.log.bytes, Buffer.byteLength(log));
    t.equal(result.summary === null, exit === 0);
    t.notMatch(log, 'not reached');
  }
}

const stayers: [name: string, script: string][] = [
  ['a background process', 'sleep 4321 &'],
  ['nohup', 'nohup sleep 4321 >/dev/null 2>&1 &'],
  ['a session of its own', 'setsid sleep 4321 &'],
  ['a double fork', '(setsid sh -c "sleep 4321 & exit" &) ; sleep 0.1'],
  ['one that ignores SIGTERM and SIGHUP', 'sh -c \'trap "" TERM HUP; while :; do sleep 4321; done\' & sleep 0.1'],
  ['a session that ignores SIGTERM', 'setsid sh -c \'trap "" TERM HUP; while :; do sleep 4321; done\' & sleep 0.1'],
  ['a cleared environment in the work folder', 'env -i "$(command -v setsid)" sleep 4321 & sleep 0.1'],
  ['one that is stopped', 'sleep 4321 & kill -STOP $!'],
  ['one that keeps printing', 'setsid timeout 60 sh -c "while :; do echo noise; done" & sleep 0.1'],
  [
    'one that spawns others without end',
    // With an end, for the day on which the test itself is killed.
    'setsid sh -c "for i in $(seq 1000); do sleep 4321 & sleep 0.01; done" & sleep 0.2',
  ],
];

/** Processes that a script leaves running neither delay the build's end nor survive it. */
export async function leftoversEnd(t: Test, rig: Pick<Rig, 'run'>, nth = 1): Promise<void> {
  for (const [name, script] of everyNth(nth, stayers)) {
    const started = Date.now();
    const { result, mark } = await rig.run(nap(`${script}\necho done`), { limits: { leftoverGraceMs: 100 } });
    t.equal(result.exit_code, 0, name);
    t.same(result.warnings, []);
    t.same(await survivors(mark, `sleep\x00${NAP}`), [], `${name} is gone`);
    t.ok(Date.now() - started < 60_000);
  }
}

const killTable: [name: string, script: string, reason: StopReason, exit: number | null][] = [
  ['an obedient script', 'echo up; sleep 4321', 'cancelled_by_user', 143],
  ['one that cleans up', "trap 'echo cleaned; exit 3' TERM; echo up; sleep 4321 & wait", 'rental_ended', 3],
  ['one that exits with 0 on SIGTERM', "trap 'exit 0' TERM; echo up; sleep 4321 & wait", 'timeout', null],
  ['one that ignores SIGTERM', "trap '' TERM; echo up; while :; do sleep 0.05; done", 'cancelled_by_user', 137],
  ['one with a detached part', 'setsid sleep 4321 & echo up; sleep 4321', 'superseded', 143],
  ['one that is stopped', '(sleep 0.2; echo up) & kill -STOP $$', 'cancelled_by_user', 143],
  ['one that floods', 'echo up; yes', 'cancelled_by_user', 143],
];

/** A stopped build gets SIGTERM, a grace period, and SIGKILL; no process survives. */
export async function stopsEnd(t: Test, rig: Pick<Rig, 'run'>, nth = 1): Promise<void> {
  for (const [name, script, reason, exit] of everyNth(nth, killTable)) {
    const { result, log, mark } = await rig.run(nap(script), {
      spec: { kill_grace_ms: 400, log: { head_bytes: 100_000, tail_bytes: 1000 } },
      meanwhile: ({ halt, log }) => log().includes('up\n') && halt.request(reason),
    });
    const { outcome, stop_reason, exit_code, reason_code } = result;
    t.same(
      { outcome, stop_reason, reason_code },
      { outcome: 'stopped', stop_reason: reason, reason_code: reason === 'timeout' ? 'timeout' : null },
      name,
    );
    t.equal(exit_code, exit, `${name}: exit code`);
    t.same(await survivors(mark, `sleep\x00${NAP}`), [], `${name} is gone`);
    t.match(log, /\n\[cidermill\] stopped: /);
    t.equal(log.includes('cleaned'), name.includes('cleans'), 'what it prints on SIGTERM is in the log');
  }
}

/** Artifacts: regular files, within the limits, masked in name, scanned in content. */
export async function artifactsKept(t: Test, rig: Pick<Rig, 'run'>): Promise<void> {
  const secrets = [{ name: 'TOKEN', value: 'hunter-2-hunter-2' }];
  const script = [
    'cd "$CIDERMILL_ARTIFACTS"; mkdir -p a/b; echo one >a/b/1.txt; echo two >2.txt; : >empty',
    'echo "key=$TOKEN" >a/leak.txt; echo x >"$TOKEN.log"; echo y >"$(printf \'ctl\\001\\n\')"',
    'ln -s /etc/passwd link; ln -s a/b folder-link; mkfifo pipe; ln 2.txt "$HOME/hard"',
    'chmod 0 2.txt; mkdir locked; echo z >locked/z; chmod 0555 locked',
  ].join('\n');
  const { result, folder } = await rig.run(script, { secrets });
  const names = result.artifacts.map(({ name }) => name);
  t.same(names, ['***.log', '2.txt', 'a/b/1.txt', 'a/leak.txt', 'ctl\ufffd', 'empty', 'locked/z']);
  result.artifacts.forEach(({ name, bytes, sha256: hash }, n) => {
    const content = readFileSync(path.join(folder, 'kept', String(n)));
    t.same({ bytes, hash }, { bytes: content.length, hash: sha256(content) }, name);
  });
  t.same([...result.warnings].sort(), [
    'Left out of the artifacts: folder-link, link, because they are symbolic links that do not point to a file inside the folder.',
    'Left out of the artifacts: pipe, because they are neither files nor folders, or are nested too deeply.',
    'The artifact a/leak.txt contains the value of the secret TOKEN.',
  ]);

  const limited = await rig.run(
    'cd $CIDERMILL_ARTIFACTS; for i in 1 2 3 4; do echo $i >$i; done; head -c 99 /dev/zero >0',
    {
      spec: { artifacts: { max_files: 3, max_bytes: 50 } },
    },
  );
  t.same(
    limited.result.artifacts.map(({ name }) => name),
    ['1', '2', '3'],
    'a smaller one still fits',
  );
  t.match(limited.result.warnings, [/^2 of 5 artifacts were left out/]);

  const replaced = await rig.run('rmdir "$CIDERMILL_ARTIFACTS"; ln -s /etc "$CIDERMILL_ARTIFACTS"');
  t.same(replaced.result.artifacts, [], 'the folder may have become a link');
  t.match(replaced.result, { outcome: 'exited', exit_code: 0 });
  const failed = await rig.run('echo report >$CIDERMILL_ARTIFACTS/report; exit 3');
  t.same(
    failed.result.artifacts.map(({ name }) => name),
    ['report'],
    'a failed build keeps its artifacts too',
  );
}
