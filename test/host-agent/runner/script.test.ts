// Scripts on real ptys: environment, output, exit, and that no process survives.
// Requires: python3
// Runs in: soak

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import t from 'tap';
import { buildFiles, processMark } from '../../../host-agent/contract/attempt-folder.js';
import { BuildStepError } from '../../../host-agent/contract/build-step-error.js';
import { folderNameOf } from '../../../host-agent/driver/work-folders.js';
import { makeSpawnHelperExecutable } from '../../../host-agent/runner/spawn-helper.js';
import { openTerminal } from '../../../host-agent/runner/terminal.js';
import { wrapperCommand } from '../../../host-agent/runner/wrapper.js';
import { buildWarning } from '../../../shared/messages/build-warnings.js';
import { hostFailure } from '../../../shared/messages/host-failures.js';
import type { BuildResult, BuildSpec } from '../../../shared/protocol/index.js';
import { listening } from '../../harness/listening.js';
import { sha256 } from '../../harness/sha256.js';
import { cases, runs } from '../../harness/soak.js';
import { until } from '../../harness/until.js';
import { openRig, SLOT, tempFolder } from './rig.js';
import { artifactsKept, leftoversEnd, NAP, nap, scriptsEnd, stopsEnd, survivors } from './script-scenarios.js';

t.test('the exit code of a script is the exit code of its build', async (t) => {
  await scriptsEnd(t, await openRig(t));
});

t.test("processes that a script leaves running neither delay the build's end nor survive it", async (t) => {
  await leftoversEnd(t, await openRig(t));
});

t.test('a stopped build gets SIGTERM, a grace period, and SIGKILL; no process survives', async (t) => {
  await stopsEnd(t, await openRig(t));
});

t.test('a script that stops its wrapper runs until the time limit, without an exit code', async (t) => {
  const rig = await openRig(t);
  // The signal that ends the build may come before the script has exited.
  const { result } = await rig.run('trap "" TERM; kill -STOP $PPID; echo up', {
    spec: { kill_grace_ms: 400 },
    meanwhile: ({ halt, log }) => log().includes('up\n') && halt.request('timeout'),
  });
  t.match(result, { outcome: 'stopped', stop_reason: 'timeout', reason_code: 'timeout', exit_code: null });
});

t.test('a script that kills its wrapper still ends, and its log is marked as possibly truncated', async (t) => {
  const rig = await openRig(t);
  for (const script of ['seq 1 3000; kill -KILL $PPID; sleep 60', 'seq 1 3000; kill -KILL $PPID $$']) {
    const { result, log, mark } = await rig.run(script);
    t.equal(result.exit_code, 137, script);
    t.equal(result.reason_code, 'killed');
    t.equal(result.log.possibly_truncated, true);
    t.match(log, /\n3000\n/, 'what it had printed before is there');
    t.same(await survivors(mark), []);
  }
});

t.test('the script gets its variables, its folders, and a terminal without input', async (t) => {
  const rig = await openRig(t);
  const paths = rig.driver.paths('s1');
  const script = [
    'set -u',
    'printf "%s|" "$CI" "$CIDERMILL_BUILD_ID" "$CIDERMILL_REPO" "$CIDERMILL_REF" "$CIDERMILL_COMMIT"',
    'printf "%s|" "$CIDERMILL_PR" "$CIDERMILL_RENTAL_ID" "$HOME" "$TMPDIR" "$PWD" "$TERM"; echo',
    'test -d "$CIDERMILL_ARTIFACTS" && ! printenv DEVELOPER_DIR && echo folders',
    'test -t 1 && test -t 2 && ! test -t 0 && echo terminal',
    'stty size <&1; read -r line || echo nothing to read',
  ].join('\n');
  const { log, spec, result } = await rig.run(script, {
    spec: { labels: { repo: 'o/r', ref: 'main', commit: 'abc', pr: 12 } },
    checkOutSources: async () => ({
      commit: 'f'.repeat(40),
      about: { title: 'Remove hidden-value from the tests', author: 'Ada' },
    }),
    secrets: [{ name: 'TOKEN', value: 'hidden-value' }],
  });
  const id = spec.build_id;
  const { home, tmp } = paths;
  const work = path.join(paths.work, folderNameOf('upload:ws_1:app'));
  t.match(
    log,
    `true|${id}|o/r|main|${'f'.repeat(40)}|12|rt_1|${home}|${tmp}|${work}|xterm-256color|\nfolders\nterminal\n`,
  );
  t.match(log, /\n50 200\nnothing to read\n/);
  t.equal(result.commit_sha, 'f'.repeat(40));
  t.same(result.commit_about, { title: 'Remove *** from the tests', author: 'Ada' }, 'masked like the log');
  const steps = result.steps ?? [];
  t.same(
    steps.map(({ step }) => step),
    ['prepare', 'source', 'xcode', 'script', 'artifacts'],
  );
  t.ok(steps.every(({ at }, i) => at >= (steps[i - 1]?.at ?? 0) && at <= result.ended_at));
});

t.test('why a host could not run a build is a message, without secrets', async (t) => {
  const rig = await openRig(t);
  const { result } = await rig.run('true', {
    secrets: [{ name: 'TOKEN', value: 'hidden-value' }],
    checkOutSources: async () => {
      const unreadable = { url: 'https://x.example/hidden-value', reason: '404' };
      const said = hostFailure('repository_unreadable', unreadable);
      throw new BuildStepError('source', 'clone_failed', 'customer', said);
    },
  });
  t.match(result, {
    reason_code: 'clone_failed',
    summary: /^The repository https:\/\/x\.example\/\*\*\* cannot be read \(404\)\./,
    summary_message: {
      code: 'repository_unreadable',
      params: { url: 'https://x.example/***', reason: '404' },
      text: result.summary,
    },
  });
});

t.test('warnings of the source step are on the build, and in the log before the script', async (t) => {
  const rig = await openRig(t);
  const { log, result } = await rig.run('echo begun', {
    secrets: [{ name: 'TOKEN', value: 'hidden-value' }],
    checkOutSources: async ({ warn }) => {
      warn(buildWarning('submodule_elsewhere', { path: 'a', url: 'https://x.example/hidden-value' }));
      return { commit: 'f'.repeat(40) };
    },
  });
  t.match(result.warnings, [/^The submodule a is empty: .*\*\*\*/]);
  t.match(result.warning_messages, [
    { code: 'submodule_elsewhere', params: { path: 'a', url: 'https://x.example/***' } },
  ]);
  t.equal(result.warnings.length, 1);
  t.equal(log.split('warning: The submodule a').length, 2, 'once');
  t.ok(log.indexOf('warning: The submodule') < log.indexOf('begun'));
  t.notMatch(log + JSON.stringify(result), /hidden-value/);
});

/** Programs that wait for input on a terminal; `fails`: the script must then fail. */
const asking: [name: string, script: string, log: RegExp][] = [
  ['a shell that reads the terminal', 'read -r answer </dev/tty || echo "no answer: $?"', /no answer: 1/],
  ['a shell that prompts', 'read -rp "Continue? " answer || echo "no answer: $?"', /no answer: 1/],
  ['a shell that reads what it prints on', 'read -r answer <&1 || echo "no answer: $?"', /no answer: 1/],
  ['one that writes to the terminal', '(echo hello >/dev/tty) 2>/dev/null || echo "no terminal"', /no terminal/],
  [
    'a pager',
    'cd "$(mktemp -d)"; git init -q . && git config user.name n && git config user.email e@e; for i in $(seq 200); do echo $i; done >f; git add f; git commit -qm m; git -c core.pager= log -p; git log -p | tail -1',
    /\+200/,
  ],
  [
    'an editor',
    'cd "$(mktemp -d)"; git init -q .; git config user.name n; git config user.email e@e; git commit --allow-empty || echo "exit $?"',
    /Aborting commit due to empty commit message/,
  ],
  ['Python', 'python3 -c "import getpass; getpass.getpass()" || echo "exit $?"', /EOFError[\s\S]*exit 1/],
  ['an #!-script', '#!/bin/sh\nread -r answer </dev/tty || echo "no answer"', /no answer/],
  ['a nested terminal session', 'bash -ic "read -r answer </dev/tty" || echo "no answer"', /no answer/],
  [
    'a passphrase',
    'cd "$(mktemp -d)"; ssh-keygen -q -t ed25519 -N secret -f k && ssh-keygen -y -f k || echo "no passphrase: $?"',
    /no passphrase: 255/,
  ],
];

t.test('a program that prompts fails or gets end of input at once', async (t) => {
  const rig = await openRig(t);
  const source = { kind: 'git', url: 'https://example.com/o/r', ref: null, commit: null, pr: null } as const;
  for (const [at, [name, script, expected]] of asking.entries()) {
    const specs = at % 2 === 0 ? [{}, { source }] : [{ source }, {}];
    for (const spec of specs.slice(0, runs(1, 2))) {
      const { result, log } = await rig.run(script, { spec: { timeout_ms: 30_000, ...spec } });
      t.match(result, { outcome: 'exited', exit_code: 0 }, name);
      t.match(log, expected, name);
    }
  }
});

t.test('git does not prompt for a name', async (t) => {
  const rig = await openRig(t);
  const server = createServer((_request, response) => {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
  });
  const port = await listening(t, server);
  const { result, log } = await rig.run(`git clone http://127.0.0.1:${port}/o/r.git`, {
    spec: { timeout_ms: 30_000 },
  });
  t.match(result, { outcome: 'exited', exit_code: 128 });
  t.match(log, /could not read Username.*terminal prompts disabled/);
});

t.test('PAGER and the like: set by the service, then by secrets, then by the script', async (t) => {
  const rig = await openRig(t);
  const names = ['PAGER', 'GIT_PAGER', 'GIT_TERMINAL_PROMPT', 'GIT_EDITOR'];
  const print = names.map((name) => `echo "${name}=$${name}"`).join('; ');
  const plain = await rig.run(print);
  t.equal(plain.log, 'PAGER=cat\nGIT_PAGER=cat\nGIT_TERMINAL_PROMPT=0\nGIT_EDITOR=true\n');
  const secrets = names.map((name) => ({ name, value: `v-${name}` }));
  const { log } = await rig.run(`${print.replaceAll('=$', '=${#')}`.replaceAll('"; ', '}"; ').replace(/"$/, '}"'), {
    secrets,
  });
  t.equal(log, names.map((name) => `${name}=${name.length + 2}\n`).join(''), 'a secret of that name wins');
  const own = await rig.run(`export PAGER=mine\n${print}`, { secrets });
  t.match(own.log, /^PAGER=mine$/m);
});

t.test('no process of the script starts before its sources are there', async (t) => {
  const rig = await openRig(t);
  const git = { kind: 'git', url: 'https://example.com/o/r', ref: null, commit: null, pr: null } as const;
  /** An attempt that is known before it runs, and the processes that carry its mark. */
  const attempt = (build_id: string, more: Partial<BuildSpec> = {}) => {
    const files = buildFiles(rig.driver.runs(SLOT), { build_id, attempt: 1 });
    return {
      spec: { build_id, ...more },
      processes: () => survivors(processMark(files)),
    };
  };

  for (const [name, more, commit] of [
    ['upload', {}, null],
    ['git', { source: git }, 'c'.repeat(40)],
  ] as const) {
    const { spec, processes } = attempt(`rb_${name}`, more);
    const { result, log } = await rig.run('echo "at $CIDERMILL_COMMIT"', {
      spec,
      async checkOutSources() {
        t.same(await processes(), [], name);
        return { commit };
      },
    });
    t.match([result.exit_code, log], [0, `at ${commit ?? ''}`]);
  }

  const lost = attempt('rb_lost');
  const failed = await rig.run('echo never', {
    spec: lost.spec,
    async checkOutSources() {
      throw new BuildStepError('source', 'source_unavailable', 'platform', 'They are gone.');
    },
  });
  t.match([failed.result.step, failed.result.reason_code], ['source', 'source_unavailable']);
  const stop = attempt('rb_stopped');
  const stopped = await rig.run('echo never', {
    spec: stop.spec,
    whenLaid: (halt) => halt.request('cancelled_by_user'),
  });
  t.equal(stopped.result.outcome, 'stopped');
  for (const { log } of [failed, stopped]) t.notMatch(log, 'never');
  for (const { processes } of [lost, stop]) t.same(await processes(), []);
});

t.test('output keeps its line ends, binary bytes, and the order of both streams', async (t) => {
  const rig = await openRig(t);
  const { folder } = await rig.run("printf 'a\\nb\\r\\n\\377\\000\\033[1mc\\n'; echo err >&2; printf 'no line end'");
  t.equal(readFileSync(path.join(folder, 'spool'), 'latin1'), 'a\nb\r\n\xff\0\x1b[1mc\nerr\nno line end');
});

t.test(
  'a login environment: profile files are read, but -e does not act on them, and no PATH entry is lost',
  async (t) => {
    const rig = await openRig(t);
    const { home } = rig.driver.paths('s1');
    const own = path.join(tempFolder(t), 'own bin');
    mkdirSync(own);
    writeFileSync(path.join(own, 'mytool'), '#!/bin/sh\necho found my tool\n', { mode: 0o755 });
    writeFileSync(
      path.join(home, '.bash_profile'),
      'false\nexport FROM_PROFILE=yes\nPATH=/from/profile:/usr/bin:/bin\nalias ls=rm\nset -o noglob\n',
    );
    const before = process.env.PATH;
    process.env.PATH = `${own}:/usr/bin:/only/*:/bin`;
    t.teardown(() => {
      process.env.PATH = before;
    });
    const shells = ['', '#!/usr/bin/env bash\n'];
    for (const shebang of shells) {
      const { log, result } = await rig.run(`${shebang}echo $FROM_PROFILE $PATH\nmytool\necho $- $SHELLOPTS`);
      t.equal(result.exit_code, 0);
      t.match(log, `yes /from/profile:/usr/bin:/bin:${own}:/only/*\nfound my tool\n`);
      t.equal(/pipefail/.test(log), shebang === '', 'only a script without an interpreter gets -eo pipefail');
    }
  },
);

t.test('variables that would change the wrapper itself reach only the script', async (t) => {
  const rig = await openRig(t);
  const trap = path.join(rig.dataDir, 'trap.sh');
  writeFileSync(trap, 'echo BASH_ENV was read by $0 >&2\n');
  const { log, result } = await rig.run('echo in the script', {
    secrets: [
      { name: 'BASH_ENV', value: trap },
      { name: 'SHELLOPTS', value: 'noexec' },
      { name: 'IFS', value: '0123456789' },
      { name: 'PS4', value: '$(touch /tmp/cidermill-never)' },
    ],
  });
  t.equal(result.exit_code, 0);
  t.notMatch(log, /was read by cidermill/);
});

t.test('the output is complete, every time, however busy the reader is', async (t) => {
  const rig = await openRig(t);
  const want = (n: number) => `${Array.from({ length: 1000 }, (_, i) => `${n}:${i} 67`).join('\n')}\n`;
  const script = (n: number) => `for ((i = 0; i < 1000; i++)); do echo "${n}:$i 67"; done`;
  const wrong: object[] = [];
  for (let n = 0; n < cases(2); n++) {
    const busy = n % 2 === 1;
    const { log, result } = await rig.run(script(n), {
      // The reader stands still for longer than node-pty waits for the last bytes of a process.
      writeTo: busy ? slowWriter(n % 4 === 1 ? 5 : 300) : undefined,
    });
    if (log !== want(n) || result.log.possibly_truncated) wrong.push({ n, result, end: log.slice(-200) });
  }
  t.same(wrong, []);

  const outputs: Promise<string>[] = [];
  const content = `${'0123456789'.repeat(1023)}\n`;
  const file = path.join(tempFolder(t), 'content');
  writeFileSync(file, content);
  for (let n = 0; n < cases(4); n++) {
    outputs.push(onTerminal(`cat ${file}`));
    if (outputs.length % 4 === 0) await Promise.all(outputs);
  }
  t.equal((await Promise.all(outputs)).filter((output) => output !== content).length, 0, 'outputs of 10 KB');
});

function slowWriter(ms: number) {
  const wait = new Int32Array(new SharedArrayBuffer(4));
  return (fd: number, bytes: Buffer, offset: number) => {
    Atomics.wait(wait, 0, 0, ms);
    writeFileSync(fd, bytes.subarray(offset));
    return bytes.length - offset;
  };
}

/** Runs a script on a terminal without the rest of a build. */
function onTerminal(script: string): Promise<string> {
  const [file = '', ...args] = wrapperCommand('-c', '', 60);
  return runOnTerminal(file, [...args, script]);
}

async function runOnTerminal(file: string, args: string[]): Promise<string> {
  const output: Buffer[] = [];
  const env = { PATH: process.env.PATH ?? '', HOME: '/nowhere' };
  const run = openTerminal(
    { file, args, env, cwd: '/' },
    { columns: 80, rows: 25, onOutput: (bytes) => output.push(Buffer.from(bytes)) },
  );
  run.begin();
  const { complete } = await run.ended;
  await run.release();
  return complete ? Buffer.concat(output).toString() : 'incomplete';
}

t.test("node-pty's helper program on macOS is made executable", async (t) => {
  const folder = tempFolder(t);
  const helper = path.join(folder, 'prebuilds', `darwin-${process.arch}`, 'spawn-helper');
  mkdirSync(path.dirname(helper), { recursive: true });
  writeFileSync(helper, '', { mode: 0o644 });
  makeSpawnHelperExecutable(folder, 'linux');
  t.equal(statSync(helper).mode & 0o777, 0o644);
  makeSpawnHelperExecutable(folder, 'darwin');
  t.equal(statSync(helper).mode & 0o777, 0o755);
});

t.test('terminals leave no file descriptor behind', async () => {
  const open = () => readdirSync('/proc/self/fd').length;
  // The wrapper's side of the protocol, without the login shell that takes most of its time.
  const leader = 'read -r mark terminal; printf "%s+\\n%s-0\\n" "$mark" "$mark"; read -r mark';
  const once = () => runOnTerminal('/bin/sh', ['-c', leader]);
  await once();
  const before = open();
  for (let n = 0; n < cases(2); n++) await Promise.all(Array.from({ length: 8 }, once));
  // Others may close meanwhile: files of this process's earlier tests.
  await until(() => open() <= before, 'all are closed');
});

t.test('a build that is stopped while its script starts ends at once', async (t) => {
  const rig = await openRig(t);
  for (let n = 0; n < 12; n += runs(4, 1)) {
    const { result } = await rig.run(nap('sleep 4321'), {
      whenLaid: (halt) => setTimeout(() => halt.request('cancelled_by_user'), n),
    });
    t.match(result, { outcome: 'stopped', stop_reason: 'cancelled_by_user' });
    t.ok(result.exit_code === null || result.exit_code === 143, `after ${n} ms: ${result.exit_code}`);
  }
});

t.test('the timeout applies in every step', async (t) => {
  const rig = await openRig(t);
  const scripted = await rig.run(nap('echo up; sleep 4321'), { spec: { timeout_ms: 700 } });
  t.match(scripted.result, {
    outcome: 'stopped',
    stop_reason: 'timeout',
    reason_code: 'timeout',
    fault: 'customer',
  });
  t.equal(scripted.result.summary, 'The build ran longer than its limit of 0.7 seconds and was stopped.');
  t.match(scripted.log, 'stopped: the time limit of this build is over');

  const sourced = await rig.run('echo never', {
    spec: { timeout_ms: 1000 },
    checkOutSources: ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  });
  t.match(sourced.result, { outcome: 'stopped', stop_reason: 'timeout', step: 'source', exit_code: null });
  t.equal(sourced.result.script_started_at, null);
});

t.test('a failed step reports the reason, with every secret masked', async (t) => {
  const rig = await openRig(t);
  const secrets = [{ name: 'TOKEN', value: 'hunter-2-hunter-2' }];
  const cases: [error: Error, expected: Partial<BuildResult>][] = [
    [
      new BuildStepError('source', 'clone_failed', 'customer', 'git said: hunter-2-hunter-2'),
      { step: 'source', reason_code: 'clone_failed', fault: 'customer', summary: 'git said: ***' },
    ],
    [
      new Error('of hunter-2-hunter-2'),
      {
        step: 'source',
        reason_code: 'internal_error',
        fault: 'platform',
        summary: 'The host could not run the build: of ***',
      },
    ],
    [
      Object.assign(new Error('write'), { code: 'ENOSPC' }),
      { step: 'platform', reason_code: 'host_disk_full', fault: 'platform' },
    ],
  ];
  for (const [error, expected] of cases) {
    const { result, log } = await rig.run('echo never', {
      secrets,
      checkOutSources: () => Promise.reject(error),
    });
    t.match(result, { outcome: 'failed', exit_code: null, script_started_at: null, ...expected });
    t.match(log, `[cidermill] ${result.summary}\n`, 'the log says the same');
    t.notMatch(log, 'hunter');
  }
  const long = new BuildStepError('source', 'clone_failed', 'customer', 'x'.repeat(2000));
  const { result } = await rig.run('true', { checkOutSources: () => Promise.reject(long) });
  t.equal(result.summary?.length, 600);
  const xcode = await rig.run('true', { spec: { xcode: '99.9' } });
  t.match(xcode.result, {
    outcome: 'failed',
    step: 'xcode',
    reason_code: 'xcode_missing',
    fault: 'platform',
  });
  await rig.driver.remove('s1');
  const gone = await rig.run('true');
  t.match(gone.result, {
    outcome: 'failed',
    step: 'prepare',
    reason_code: 'workspace_failed',
    fault: 'platform',
  });
});

t.test('secrets that exceed the environment limit fail the build by name and size', async (t) => {
  const rig = await openRig(t);
  const large = (name: string, bytes: number) => ({ name, value: 'v'.repeat(bytes) });
  const many = Array.from({ length: 60 }, (_, i) => large(`S${i}`, 64 * 1024));
  for (const secrets of [[large('ONE', 200 * 1024), { name: 'TOKEN', value: 'hunter-2' }], many]) {
    if (secrets !== many && process.platform !== 'linux') continue;
    for (const source of [undefined, { kind: 'git' as const, url: 'https://x', ref: null, commit: null, pr: null }]) {
      const spec = source === undefined ? {} : { source };
      const { result, log } = await rig.run('echo never', { secrets, spec });
      t.match(result, {
        outcome: 'failed',
        step: 'script',
        reason_code: 'environment_too_large',
        fault: 'customer',
        summary: /environment is too large .*take \d{6,7} bytes.*largest are (ONE \(204805|S10 \(65541) bytes\)/,
      });
      t.match(log, /environment is too large/);
      t.notMatch(log, 'never');
    }
  }
  const fitting = Array.from({ length: 8 }, (_, i) => large(`S${i}`, 64 * 1024 - 5));
  const { result } = await rig.run('test "$(printf %s "$S7" | wc -c)" -eq 65531', { secrets: fitting });
  t.match(result, { outcome: 'exited', exit_code: 0 }, 'what the service accepts fits');
});

t.test('a full disk ends the build as a failure of the platform, with what could be written', async (t) => {
  const rig = await openRig(t);
  let room = 5000;
  const { result, folder, mark } = await rig.run('for ((i = 0; ; i++)); do echo "line $i"; done', {
    writeTo(fd, bytes, offset) {
      if (room === 0) throw Object.assign(new Error('no room'), { code: 'ENOSPC' });
      const part = bytes.subarray(offset, offset + room);
      room -= part.length;
      writeFileSync(fd, part);
      return part.length;
    },
  });
  t.match(result, { outcome: 'failed', step: 'platform', reason_code: 'host_disk_full', fault: 'platform' });
  const spool = readFileSync(path.join(folder, 'spool'));
  t.equal(spool.length, 5000);
  t.same({ bytes: result.log.bytes, sha256: result.log.sha256 }, { bytes: 5000, sha256: sha256(spool) });
  t.same(await survivors(mark), []);
});

t.test('secrets are masked wherever a build prints them, over every boundary', async (t) => {
  const rig = await openRig(t);
  const value = 'sehr-geheim-0123456789';
  const script = [
    'printf "%s" "$S" | base64; printf "%s\\n" "$S" | sed "s/./&\\n/g" | tr -d "\\n"; echo',
    'for ((i = 0; i < 20000; i++)); do printf "%s.%d\\n" "$S" $i; done',
    'printf "%s" sehr-gehe; sleep 0.05; printf "%s\\n" im-0123456789',
    'printf "%s" sehr-',
  ].join('\n');
  const { log, result } = await rig.run(script, {
    secrets: [{ name: 'S', value }],
    limits: { outputBatchBytes: 4096 },
  });
  t.equal(result.exit_code, 0);
  t.notMatch(log, value);
  t.notMatch(log, Buffer.from(value).toString('base64').slice(0, 12));
  for (let n = 0; n < 20_000; n += 997) t.match(log, `\n***.${n}\n`);
  t.ok(log.endsWith('\n***\nsehr-'), 'the beginning of a secret that goes no further is given out at the end');
});

t.test('artifacts: regular files, within the limits, masked in name, scanned in content', async (t) => {
  await artifactsKept(t, await openRig(t));
});

t.test('a fork bomb is killed', async (t) => {
  const rig = await openRig(t);
  const bomb =
    'b() { for ((n = 0; n < 3; n++)); do (sleep 0.05; [ $1 -lt 4 ] && b $(($1 + 1)); sleep 4321) & done; }; b 0; wait';
  const { result, mark } = await rig.run(nap(`echo up; ${bomb}`), {
    spec: { kill_grace_ms: 200 },
    meanwhile: ({ halt, log }) => log().includes('up\n') && setTimeout(() => halt.request('cancelled_by_user'), 300),
  });
  t.equal(result.outcome, 'stopped');
  t.same(result.warnings, []);
  t.same(await survivors(mark, `sleep\x00${NAP}`), []);
});
