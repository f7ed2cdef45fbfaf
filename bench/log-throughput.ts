// 200 MB of build output with 20 secrets masked, stored and read back by the client, against `ssh -tt host cat` and
// against a bare node-pty, all in one run. On a busy machine compare the processor time, which all processes of ours take
// together, of two versions: first argument the megabytes, second the rounds.
import { spawn as spawnProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn as spawnPty } from 'node-pty';
import { processorSeconds } from './processor-time.js';
import { median, print, ratio } from './report.js';
import { bin, settle, startService } from './service.js';
import { startSshd } from './sshd.js';

const [megabytes = 200, rounds = 3] = process.argv
  .slice(2)
  .filter((word) => word !== '--json')
  .map(Number);
const root = mkdtempSync(join(tmpdir(), 'cm-log-'));
const file = join(root, 'log.txt');
const secrets = Array.from({ length: 20 }, (_, i) => ({
  name: `SECRET_${i}`,
  value: `s3cr3t-${i}-${'x9'.repeat(8)}-${i}`,
}));
const lines: string[] = [];
for (let i = 0, size = 0; size < 1_000_000; i++) {
  const line = `CompileSwift normal arm64 /Users/ci/work/Sources/Module${i % 97}/File${i}.swift (in target 'App' from project 'App')${i % 500 === 0 ? ` token=${secrets[i % 20]!.value}` : ''}\n`;
  lines.push(line);
  size += line.length;
}
const block = lines.join('');
const out = createWriteStream(file);
for (let size = 0; size < megabytes * 1e6; size += block.length) {
  if (!out.write(block)) await once(out, 'drain');
}
await new Promise<void>((resolve) => out.end(resolve));
const total = Math.ceil((megabytes * 1e6) / block.length) * block.length;

const service = await startService({ CIDERMILL_LOG_BYTES: String(2 * total) });
for (const { name, value } of secrets) {
  const answer = await fetch(`${service.base_url}/secrets/${name}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${service.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ value }),
  });
  if (!answer.ok) throw new Error(`secret ${name}: ${answer.status}`);
}
const sshd = await startSshd();
const empty = join(root, 'app');
mkdirSync(empty);

/** Returns the MB/s of a command's standard output, and its number of bytes. */
const drain = (command: string, args: string[], env: NodeJS.ProcessEnv) =>
  new Promise<number>((resolve, reject) => {
    const started = process.hrtime.bigint();
    const child = spawnProcess(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let bytes = 0;
    let leaked = false;
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (command === process.execPath && chunk.includes(secrets[0]!.value)) leaked = true;
    });
    child.on('close', (code) => {
      const seconds = Number(process.hrtime.bigint() - started) / 1e9;
      if (code !== 0 || bytes < total * 0.9 || leaked)
        reject(new Error(`${command}: code ${code}, ${bytes} bytes, leaked ${leaked}`));
      else resolve(total / 1e6 / seconds);
    });
  });
const barePty = () =>
  new Promise<number>((resolve) => {
    const started = process.hrtime.bigint();
    const pty = spawnPty('cat', [file], { encoding: null });
    pty.onData(() => undefined);
    pty.onExit(() => resolve(total / 1e6 / (Number(process.hrtime.bigint() - started) / 1e9)));
  });

const OURS = 'cidermill build, masked, stored, read back';
const cases: [string, () => Promise<number>][] = [
  [OURS, () => drain(process.execPath, [bin, 'build', '--dir', empty, '--script', `cat ${file}`], service.env)],
  ['ssh -tt cat', () => drain('ssh', ['-tt', ...sshd.options, sshd.target, `cat ${file}`], process.env)],
  ['bare node-pty', barePty],
];
const figures = new Map<string, number[]>(cases.map(([name]) => [name, []]));
const processor: number[] = [];
try {
  writeFileSync(join(empty, 'README'), 'empty\n');
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of cases) {
      await settle();
      const before = processorSeconds(process.pid);
      figures.get(name)?.push(await run());
      if (name !== OURS) continue;
      // The build process ends, and the next one boots.
      await settle();
      processor.push((1000 * (processorSeconds(process.pid) - before)) / (total / 1e6));
    }
  }
} finally {
  sshd.stop();
  await service.stop();
  rmSync(root, { recursive: true, force: true });
}
const base = median(figures.get('ssh -tt cat') ?? []);
print(`log throughput, ${megabytes} MB, ${secrets.length} secrets`, [
  ...cases.map(([name]) => {
    const value = median(figures.get(name) ?? []);
    return { name, value, unit: 'MB/s', ratio: ratio(value, base) };
  }),
  { name: `${OURS}: processor time`, value: median(processor), unit: 'ms/MB', ratio: null },
]);
