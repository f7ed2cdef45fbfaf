// What becomes of a log that cannot be written: it never ends, blocks or fills its program, and says what it lost.
// Requires: root
// Runs in: soak
import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as pty from 'node-pty';
import t, { type Test } from 'tap';
import { openLogFile } from '../../host-agent/system/log-file.js';
import { createLog } from '../../shared/log.js';
import { type LogOutput, wholeLines } from '../../shared/log-output.js';
import { until } from '../harness/until.js';

const LOGGING = new URL('./logging-child.js', import.meta.url).pathname;

/** An output with room for so many lines. */
function outputWithRoom() {
  const disk = { room: 0, lines: [] as { msg: string; lost_lines?: number; reason?: string }[] };
  const output: LogOutput = {
    write(line) {
      if (disk.room === 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      disk.room--;
      disk.lines.push(JSON.parse(line));
    },
  };
  return { disk, log: createLog('test', 'info', output) };
}

t.test('lines that are lost are counted, and the first line after them says how many', async (t) => {
  const { disk, log } = outputWithRoom();
  for (let i = 0; i < 7; i++) log.info('lost');
  disk.room = 2;
  log.info('written');
  t.match(disk.lines, [{ lost_lines: 7, reason: /no space left/ }, { msg: 'written' }]);
  log.info('lost');
  disk.room = 1;
  log.info('lost too: there is room for the note alone');
  disk.room = 9;
  log.info('last');
  const told = disk.lines.slice(2).map(({ msg, lost_lines }) => lost_lines ?? msg);
  t.same(told, [1, 1, 'last'], 'every lost line is counted once');
});

t.test('losses that are known later are counted too', async (t) => {
  const waiting: ((error: unknown) => void)[] = [];
  const lines: { msg: string; lost_lines?: number }[] = [];
  const output: LogOutput = {
    write(line, lost) {
      lines.push(JSON.parse(line));
      waiting.push(lost);
    },
  };
  const log = createLog('test', 'info', output);
  log.info('one');
  log.info('two');
  for (const lost of waiting.splice(0)) lost(new Error('EPIPE'));
  log.info('three');
  t.equal(lines[2]?.lost_lines, 2);
  waiting.splice(0)[0]?.(new Error('the note was lost as well'));
  log.info('four');
  t.equal(lines[4]?.lost_lines, 2);
});

t.test('the next line after a torn one starts on its own line', async (t) => {
  let room = 0;
  let written = '';
  const write = wholeLines((bytes, at) => {
    if (room === 0) throw new Error('ENOSPC');
    const some = bytes.subarray(at, at + Math.min(room, 3));
    room -= some.length;
    written += some;
    return some.length;
  });
  t.throws(() => write('first\n'));
  t.equal(written, '', 'nothing was written, so nothing is torn');
  room = 4;
  t.throws(() => write('second\n'));
  room = 1;
  t.throws(() => write('third\n'), 'room for the line break alone');
  room = 100;
  write('fourth\n');
  write('fifth\n');
  t.equal(written, 'seco\nfourth\nfifth\n');
});

t.test('a log file that cannot be written says so once, and goes on when it can be', async (t) => {
  const folder = join(t.testdir(), 'gone');
  const said: string[] = [];
  const complain: LogOutput = { write: (line) => said.push(line) };
  const file = join(folder, 'agent.log');
  const log = createLog('host-agent', 'info', openLogFile(file, { largestBytes: 1000, kept: 1 }, complain));
  for (let i = 0; i < 3; i++) log.info('lost');
  t.equal(said.length, 1);
  t.match(said[0], /^the log cannot be written: .*ENOENT/);
  spawnSync('mkdir', [folder]);
  log.info('written');
  const [note, line] = readFileSync(file, 'utf8').trim().split('\n');
  t.match(JSON.parse(note ?? ''), { lost_lines: 3 });
  t.match(JSON.parse(line ?? ''), { msg: 'written' });
});

/** Starts a program that logs 3,000 lines whenever it is told to, and says when it has. */
function startLogging(t: Test, stderr: 'pipe' | number) {
  const child = fork(LOGGING, [], { stdio: ['ignore', 'ignore', stderr, 'ipc'] });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

async function logMuch(child: ChildProcess): Promise<{ kept: number }> {
  child.send('log');
  const [answer] = (await once(child, 'message')) as [{ kept: number }];
  return answer;
}

t.test('a pipe whose reader stalls holds nothing up, and memory has a limit', async (t) => {
  const child = startLogging(t, 'pipe');
  for (let i = 0; i < 7; i++) {
    const { kept } = await logMuch(child);
    t.ok(kept > 500_000 && kept <= 1024 * 1024, `${kept} bytes are kept`);
  }
  let read = '';
  child.stderr?.on('data', (data: Buffer) => {
    read += data;
  });
  await until(() => read.length > 1024 * 1024 && read.endsWith('\n'), 'the reader has read what was kept');
  await logMuch(child);
  await until(() => read.includes('"lost_lines"'), 'the note');
  const lost = [...read.matchAll(/"lost_lines":(\d+)/g)].reduce((sum, [, n]) => sum + Number(n), 0);
  const written = read.split('\n').filter((line) => line.includes('"a line"')).length;
  t.ok(lost > 10_000, `${lost} lines are lost`);
  t.ok(written > 1_000);
});

t.test('a process ends although nobody reads its log', async (t) => {
  const child = startLogging(t, 'pipe');
  await logMuch(child);
  child.send('end');
  const [code] = await once(child, 'exit');
  t.equal(code, 0);
});

t.test('a pipe that was closed ends nothing', async (t) => {
  const child = startLogging(t, 'pipe');
  child.stderr?.destroy();
  for (let i = 0; i < 3; i++) await logMuch(child);
  child.send('end');
  t.equal((await once(child, 'exit'))[0], 0);
});

t.test('a terminal that is stopped or has vanished ends nothing', async (t) => {
  const answers = join(t.testdir(), 'answers');
  const terminal = pty.spawn('/bin/sh', ['-c', `exec "${process.execPath}" "${LOGGING}" "${answers}"`], {
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  t.teardown(() => terminal.kill('SIGKILL'));
  const answered = (n: number) => () => existsSync(answers) && readFileSync(answers, 'utf8').split('\n').length > n;
  await until(answered(1), 'the program runs');
  // Nobody reads any more.
  terminal.pause();
  process.kill(terminal.pid, 'SIGUSR2');
  await until(answered(2), 'lines for a terminal that takes none');
  terminal.resume();
  // Closes the other end: writing fails with EIO from now on.
  (terminal as unknown as { destroy(): void }).destroy();
  process.kill(terminal.pid, 'SIGUSR2');
  await until(answered(3), 'lines for no terminal');
  process.kill(terminal.pid, 'SIGUSR2');
  await until(answered(4), 'it goes on');
});

t.test('a full disk: a device that is always full, and a file system that gets room again', async (t) => {
  const full = openSync('/dev/full', 'w');
  t.teardown(() => closeSync(full));
  const onDevice = startLogging(t, full);
  for (let i = 0; i < 2; i++) await logMuch(onDevice);

  const mount = mkdtempSync(join(tmpdir(), 'cidermill-full-'));
  t.teardown(() => rmSync(mount, { recursive: true, force: true }));
  const small = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', mount]);
  t.equal(small.status, 0, String(small.stderr));
  t.teardown(() => spawnSync('umount', ['-l', mount]));
  writeFileSync(join(mount, 'filler'), Buffer.alloc(100_000));
  const file = join(mount, 'service.log');
  const fd = openSync(file, 'a');
  const onDisk = startLogging(t, fd);
  closeSync(fd);
  await logMuch(onDisk);
  rmSync(join(mount, 'filler'));
  onDisk.send('log one');
  await once(onDisk, 'message');
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  t.match(JSON.parse(lines.at(-1) ?? ''), { msg: 'a line' });
  const { lost_lines } = JSON.parse(lines.at(-2) ?? '') as { lost_lines: number };
  const whole = lines.filter((line) => line.endsWith('"a line"}')).length;
  t.equal(whole + lost_lines, 3_001, 'each line was written or counted');
});

t.test('the build process says what failed to a full disk, and goes on', async (t) => {
  const script = `import('${new URL('../../shared/log-output.js', import.meta.url)}').then(({ ignoreErrors }) => {
    ignoreErrors(process.stderr);
    process.stderr.write('warming up failed');
    setTimeout(() => process.exit(7), 50);
  })`;
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'ignore', full] });
  closeSync(full);
  t.equal((await once(child, 'exit'))[0], 7);
});
