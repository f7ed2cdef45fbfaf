// Scripts in a guest: environment, output, exit, and what happens when connections, supervisors and guests go away.
// Requires: zsh
// Runs in: soak
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import t, { type Test } from 'tap';
import { listProcesses } from '../../../host-agent/driver/process-table.js';
import { signalGuestBuild } from '../../../host-agent/guest/processes.js';
import { type GuestScript, type GuestScriptRequest, openGuestScript } from '../../../host-agent/guest/script.js';
import { execTransport } from '../../../host-agent/guest/transport.js';
import { defaultGuestLimits, type GuestLimits } from '../../../host-agent/limits.js';
import { type Clock, createAdvancingClock } from '../../../shared/clock.js';
import { until } from '../../harness/until.js';
import { openGuest, type TestGuest } from './guest.js';

let builds = 0;

interface Started extends GuestScript {
  output(): string;
  bytes(): number;
  work: string;
  mark: string;
  file: string;
}

interface More {
  env?: Record<string, string>;
  variables?: Record<string, string>;
  shell?: string;
  limits?: Partial<GuestLimits>;
  isRunning?: () => Promise<boolean>;
  onOutput?: (bytes: Buffer) => void;
  clock?: Clock;
}

function open(t: Test, guest: TestGuest, script: string, more: More = {}): Started {
  builds += 1;
  const run = path.join(guest.home, `run-${builds}`);
  const work = path.join(guest.home, 'work');
  for (const folder of [run, work]) mkdirSync(folder, { recursive: true });
  const mark = `CIDERMILL_ARTIFACTS=${run}/artifacts`;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const request: GuestScriptRequest = {
    script,
    file: `${run}/script`,
    cwd: work,
    shell: more.shell ?? '/bin/bash',
    columns: 200,
    rows: 50,
    mark,
    env: { CIDERMILL_ARTIFACTS: `${run}/artifacts`, CI: 'true', ...more.env },
    variables: more.variables ?? {},
    files: {},
    secrets: `${run}/secrets`,
    onOutput:
      more.onOutput ??
      ((piece) => {
        chunks.push(Buffer.from(piece));
        bytes += piece.length;
      }),
  };
  const limits = { ...defaultGuestLimits, retryBaseMs: 1, retryMaxMs: 20, ...more.limits };
  const opened = openGuestScript(guest.transport, request, {
    limits,
    isRunning: more.isRunning,
    ...(more.clock ? { clock: more.clock } : {}),
  });
  t.teardown(async () => {
    const build = { mark, script: null, work };
    await signalGuestBuild(guest.transport, build, 'SIGKILL', { timeoutMs: 60_000 }).catch(() => undefined);
    await opened.close();
  });
  const output = () => Buffer.concat(chunks).toString();
  return { ...opened, output, bytes: () => bytes, work, mark, file: request.file };
}

async function run(t: Test, guest: TestGuest, script: string, more: More = {}) {
  const started = open(t, guest, script, more);
  started.begin();
  const end = await started.ended;
  return { ...end, started, output: started.output() };
}

/** Returns the port on which a process listens. */
function portOf(pid: number): number {
  const links = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
  const inodes = links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n')) {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    if (state === '0A' && inodes.includes(inode)) return Number.parseInt(local.split(':')[1] ?? '', 16);
  }
  throw new Error(`${pid} does not listen`);
}

const survivors = async (mark: string) => (await listProcesses()).filter(({ carries }) => carries(mark)).length;
const dropAll = (guest: TestGuest) => {
  for (const connection of guest.connections) connection.destroy();
};

const endings: [script: string, exit: number][] = [
  ['true', 0],
  ['echo before; false; echo not reached', 1],
  ['false | true', 1],
  ['exit 255', 255],
  ['nosuchcommand', 127],
  ['/etc/passwd', 126],
  ['kill -TERM $$', 143],
  ['kill -KILL 0', 137],
  ['kill -TERM $PPID; kill -HUP $PPID; exit 3', 3],
  ['#!/bin/sh\nexit 5', 5],
  ['#!/bin/cat\nprinted as it is', 0],
  ['#!/no/such/interpreter', 127],
  ['if then', 2],
  ['', 0],
  ['stty raw opost <&1; exit 9', 9],
];

t.test('the exit code of a script in a guest is reported', async (t) => {
  const guest = openGuest(t);
  const all = await Promise.all(endings.map(([script]) => run(t, guest, script)));
  for (const [row, [script, exit]] of endings.entries()) {
    t.match(all[row], { exitCode: exit, complete: true }, script);
  }
  t.same(readdirSync(path.dirname(all[0]!.started.file)), [], 'the script file is deleted');
});

t.test('a script has the environment of a login, its own session, and a terminal it cannot read', async (t) => {
  const guest = openGuest(t);
  writeFileSync(path.join(guest.home, '.bash_profile'), 'export FROM_PROFILE=1 PATH=/profile/bin; false\n');
  writeFileSync(path.join(guest.home, '.zprofile'), 'export FROM_ZSH=1 PATH=/zsh/bin\n');
  const script = `
    env
    tty || true
    [ -t 1 ] && [ -t 2 ] && echo "is a terminal"
    stty size <&1
    read -r line || echo "no input"
    (read -r line </dev/tty) 2>/dev/null || echo "no controlling terminal"
    read -r line <&1 2>/dev/null || echo "cannot be read"
    ps -o sid=,pgid=,pid= -p $$
    umask
    pwd
    printf 'a\\nb\\000c\\r\\n\\377'
  `;
  const { output, started } = await run(t, guest, script, {
    env: { HOME: guest.home },
    variables: { SECRET: 'two\nlines' },
  });
  for (const line of ['FROM_PROFILE=1', 'CI=true', 'SECRET=two\nlines', `HOME=${guest.home}`, 'TERM=xterm-256color']) {
    t.ok(`\n${output}`.includes(`\n${line}\n`), line);
  }
  t.match(
    output,
    /\nPATH=\/profile\/bin:[^:]+\/home\/bin:\/usr\/bin:\/bin:\/usr\/sbin:\/sbin\n/,
    'the PATH of the guest is appended',
  );
  for (const line of [
    'not a tty',
    'is a terminal',
    '50 200',
    'no input',
    'no controlling terminal',
    'cannot be read',
  ]) {
    t.ok(output.includes(`\n${line}\n`), line);
  }
  const [sid, group, pid] = /\n *(\d+) +(\d+) +(\d+)\n/.exec(output)?.slice(1) ?? [];
  t.ok(sid === group && group === pid && Number(pid) === started.session()?.script, 'its own session and group');
  t.ok(output.includes(`\n${started.work}\n`));
  t.match(output, /a\nb\0c\r\n.$/, 'output is passed on unchanged');

  const zsh = await run(t, guest, 'echo "$FROM_ZSH $PATH"', { shell: '/bin/zsh' });
  t.match(zsh.output, /^1 \/zsh\/bin:[^:]+\/home\/bin:\/usr\/bin:\/bin:\/usr\/sbin:\/sbin\n$/, 'profile files of zsh');
  const fish = await run(t, guest, 'echo ok', { shell: '/usr/bin/fish' });
  t.equal(fish.output, 'ok\n', 'a shell of another language is not used');
});

t.test('secrets are neither in arguments nor in files nor in the environment of the supervisor', async (t) => {
  const guest = openGuest(t);
  const started = open(t, guest, 'echo started; sleep 600', { variables: { TOKEN: 'hunter2-value' } });
  started.begin();
  await until(() => started.output() === 'started\n', 'the script runs');
  t.notMatch(guest.opened.join(' '), 'hunter2-value');
  const { leader = 0 } = started.session() ?? {};
  t.notMatch(readFileSync(`/proc/${leader}/environ`, 'latin1'), 'hunter2');
  t.match(readFileSync(`/proc/${leader}/cmdline`, 'latin1'), /^cidermill-build-[0-9a-f]{16}\0*$/);
  const files = readdirSync(guest.home, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  t.same(
    files.map(({ name }) => name),
    ['script'],
  );
});

t.test('a build continues while connections drop, and no output is lost or repeated', async (t) => {
  const guest = openGuest(t);
  const lines = 20_000;
  const started = open(t, guest, `i=0; while [ $i -lt ${lines} ]; do echo "line $i"; i=$((i+1)); done; exit 6`, {
    limits: { outputBytes: 32 * 1024, acknowledgeBytes: 4 * 1024 },
  });
  started.begin();
  let drops = 0;
  let at = 0;
  const dropping = setInterval(() => {
    if (started.bytes() <= at) return;
    at = started.bytes();
    drops += 1;
    dropAll(guest);
  }, 20);
  const end = await started.ended.finally(() => clearInterval(dropping));
  t.same(end, { exitCode: 6, complete: true, left: 0 });
  t.ok(drops > 2, `${drops} connections dropped`);
  const expected = Array.from({ length: lines }, (_, n) => `line ${n}\n`).join('');
  t.ok(started.output() === expected, 'every byte, once');
});

t.test('a script that fills the output buffer of the guest waits until the host reads', async (t) => {
  const guest = openGuest(t);
  const flood = 'head -c 3000000 /dev/zero; touch done';
  const started = open(t, guest, flood, {
    limits: { outputBytes: 100_000, retryBaseMs: 300, retryMaxMs: 300 },
  });
  started.begin();
  await until(() => started.bytes() > 200_000, 'output');
  dropAll(guest);
  t.notOk(readdirSync(started.work).includes('done'), 'it waits');
  t.same(await started.ended, { exitCode: 0, complete: true, left: 0 });
  t.equal(started.bytes(), 3_000_000);
});

t.test('the last output is not lost, and a leftover process does not delay the end', async (t) => {
  const guest = openGuest(t);
  const tail = await run(t, guest, 'head -c 60000 /dev/zero | tr "\\0" x; printf end');
  t.equal(tail.output.length, 60_003);
  t.ok(tail.output.endsWith('xend'));
  const left = await run(t, guest, 'yes left & sleep 600 & exit 4');
  t.match(left, { exitCode: 4, complete: true, left: 2 });
  t.equal(await left.started.signal('SIGKILL'), 2);
});

t.test('all processes of a build are found: detached ones, stopped ones, with a cleared environment', async (t) => {
  const guest = openGuest(t);
  const script = `
    trap '' TERM
    sleep 601 &
    setsid sleep 602 &
    env -i /bin/sleep 603 &
    setsid env -i PATH=/bin sh -c 'sleep 604 & exit'
    (sleep 605 & kill -STOP $!)
    perl -e 'use POSIX; exit if fork; setsid(); exit if fork; delete @ENV{keys %ENV}; exec {"/usr/bin/env"} "env", "-i", "/bin/sleep", "606"'
    echo ready
    wait
  `;
  const started = open(t, guest, script);
  started.begin();
  await until(() => started.output().includes('ready'), 'the script runs');
  await started.begun;
  t.ok((await started.signal(0)) >= 4, 'they are counted');
  await started.signal('SIGTERM');
  t.ok(await survivors(started.mark), 'the script ignores SIGTERM');
  await started.signal('SIGKILL');
  t.match(await started.ended, { exitCode: 137, complete: true });
  await until(async () => (await started.signal('SIGKILL')) === 0, 'none is left');
  const sleepers = (await listProcesses()).filter(({ pid }) => {
    try {
      return /^(\/bin\/)?sleep\0(60[1-6])\0$/.test(readFileSync(`/proc/${pid}/cmdline`, 'latin1'));
    } catch {
      return false;
    }
  });
  t.same(sleepers.length, 0, 'the stray one in the work folder too');
});

t.test('a shell gets SIGTERM before the command that it waits for has ended', async (t) => {
  const guest = openGuest(t);
  const started = open(t, guest, "trap 'echo cleaned; exit 3' TERM; echo ready; sleep 600 & wait");
  started.begin();
  await until(() => started.output().includes('ready'), 'the script runs');
  await started.signal('SIGTERM');
  t.match(await started.ended, { exitCode: 3 });
  t.equal(started.output(), 'ready\ncleaned\n');
});

t.test('a lost build and its supervisor are found and ended by the mark alone', async (t) => {
  const guest = openGuest(t);
  const started = open(t, guest, 'echo ready; sleep 600 & wait', {
    limits: { retryBaseMs: 60_000, retryMaxMs: 60_000 },
  });
  started.begin();
  await until(() => started.output().includes('ready'), 'the script runs');
  const { leader = 0 } = started.session() ?? {};
  dropAll(guest);
  const build = { mark: started.mark, script: null, work: started.work };
  const signal = (name: 0 | 'SIGKILL') => signalGuestBuild(guest.transport, build, name, { timeoutMs: 60_000 });
  t.equal(await signal(0), 3, 'script, sleeper, supervisor');
  t.equal(await signal('SIGKILL'), 3);
  t.equal(await signal(0), 0);
  t.notOk((await listProcesses()).some(({ pid }) => pid === leader));
});

t.test('a script that kills its supervisor ends as killed', async (t) => {
  const guest = openGuest(t);
  const { exitCode, complete, started } = await run(t, guest, 'echo a; sleep 0.2; sleep 600 & kill -KILL $PPID; wait');
  t.same({ exitCode, complete }, { exitCode: 137, complete: false });
  await until(async () => (await started.signal('SIGKILL')) === 0, 'what is left of it is found');
  t.equal(await survivors(started.mark), 0);
});

t.test('a build is lost when its guest does not run any more, cannot be reached, or was restarted', async (t) => {
  const guest = openGuest(t);
  const { open: working } = guest.transport;
  const failing = execTransport(() => ({ file: '/bin/false', args: [], env: {} }));
  const running = await Promise.all(
    [{ isRunning: async () => false }, { limits: { lostMs: 0 } }, {}].map(async (more) => {
      const started = open(t, guest, 'echo ready; sleep 600', more);
      started.begin();
      await until(() => started.output().includes('ready'), 'the script runs');
      return started;
    }),
  );
  const [stopped, unreachable, restarted] = running;
  guest.transport.open = failing.open;
  dropAll(guest);
  for (const started of [stopped!, unreachable!]) {
    await t.rejects(started.ended, { name: 'GuestLostError', message: /could not be reached/ });
    t.equal(await started.signal('SIGKILL'), 0, 'there is nothing to signal');
  }
  mkdirSync(path.join(guest.home, 'bin'));
  writeFileSync(path.join(guest.home, 'bin/sysctl'), '#!/bin/sh\necho another boot\n', { mode: 0o755 });
  process.kill(restarted!.session()?.leader ?? 0, 'SIGKILL');
  guest.transport.open = working;
  await t.rejects(restarted!.ended, { name: 'GuestLostError', message: /restarted/ });
});

t.test('a connection on which nothing arrives is replaced', async (t) => {
  const guest = openGuest(t);
  const clock = createAdvancingClock({});
  const { silentMs } = defaultGuestLimits;
  const script = 'echo ready; while [ ! -e go ]; do sleep 0.01; done; echo end';
  const started = open(t, guest, script, { clock });
  started.begin();
  await until(() => started.output().includes('ready'), 'the script runs');
  for (const connections of [2, 3]) {
    await clock.advance(silentMs);
    await until(async () => {
      await clock.advance(1);
      return guest.opened.length === connections;
    }, 'another connection');
  }
  writeFileSync(path.join(started.work, 'go'), '');
  t.same(await started.ended, { exitCode: 0, complete: true, left: 0 });
});

t.test('a build can neither block the connection of its host nor connect to its own supervisor', async (t) => {
  const guest = openGuest(t);
  const started = open(t, guest, 'echo ready; while [ ! -e go ]; do sleep 0.01; done; echo end');
  started.begin();
  await until(() => started.output().includes('ready'), 'the script runs');
  const { leader = 0 } = started.session() ?? {};
  const port = portOf(leader);
  const sockets = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
  });
  let said = '';
  for (const [n, socket] of sockets.entries()) {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      said += bytes;
    });
    if (n % 3 === 0) socket.write('follow 3\nx\x000\0begin 0\n');
    if (n % 3 === 1) socket.write('x'.repeat(1000));
  }
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  dropAll(guest);
  writeFileSync(path.join(started.work, 'go'), '');
  t.same(await started.ended, { exitCode: 0, complete: true, left: 0 });
  t.equal(started.output(), 'ready\nend\n');
  t.equal(said, '', 'strangers are told nothing');
});

t.test('a build without a connection from its host is ended by its guest', async (t) => {
  const guest = openGuest(t);
  const silence = { retryBaseMs: 600_000, retryMaxMs: 600_000, abandonedMs: 1000 };
  const started = open(t, guest, 'echo ready; setsid sleep 600 & wait', { limits: silence });
  started.begin();
  await until(() => started.output().includes('ready'), 'the script runs');
  const { leader = 0 } = started.session() ?? {};
  dropAll(guest);
  await until(async () => (await survivors(started.mark)) === 0, 'its processes end');
  await until(async () => !(await listProcesses()).some(({ pid }) => pid === leader), 'its supervisor ends');
  t.notOk(existsSync(started.file), 'its script is deleted');
});

t.test('a script that cannot be started fails with the reason', async (t) => {
  const guest = openGuest(t);
  const big = open(t, guest, 'true', { variables: { BIG: 'x'.repeat(200_000) } });
  big.begin();
  await t.rejects(big.ended, { name: 'GuestError', code: 'E2BIG' });
  await big.begun;
  const huge = open(t, guest, 'true', { variables: { HUGE: 'x'.repeat(2_000_000) } });
  huge.begin();
  await t.rejects(huge.ended, { name: 'GuestError', code: 'E2BIG' });
});
