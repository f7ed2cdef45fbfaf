// From an edit to the first line of the build: `cidermill build` on 10,000 files with one changed, and `--watch`, which runs
// since before the edit, against rsync -az --delete and ssh to an sshd on the same machine, plain and over a multiplexed
// connection.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, print, ratio } from './report.js';
import { bin, settle, startService } from './service.js';
import { startSshd } from './sshd.js';

const rounds = 9;
const files = 10_000;
const bytes = 5_400;
const root = mkdtempSync(join(tmpdir(), 'cm-tree-'));
const tree = join(root, 'app');

let seed = 1;
const random = () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed;
};
for (let i = 0; i < files; i++) {
  const dir = join(tree, `d${i % 100}`, `e${i % 7}`);
  if (i < 700) mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, `f${i}.swift`), Buffer.from(Array.from({ length: bytes }, () => 97 + (random() % 26))));
}
let edits = 0;
const edit = () => writeFileSync(join(tree, 'd0', 'e0', 'f0.swift'), `let edit = ${edits++}\n`.repeat(300));

/** Returns the milliseconds from the start until `mark` appears on standard output. */
const untilMark = (file: string, args: string[], mark: string, env: NodeJS.ProcessEnv = process.env) =>
  new Promise<number>((resolve, reject) => {
    const started = process.hrtime.bigint();
    const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let errors = '';
    let first: number | null = null;
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    child.stdout.on('data', (chunk) => {
      out += chunk;
      if (first === null && out.includes(mark)) first = Number(process.hrtime.bigint() - started) / 1e6;
    });
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 && first !== null ? resolve(first) : reject(new Error(`${file} ended with ${code}: ${errors}`)),
    );
  });

/** Starts `cidermill build --watch`; returns what an edit takes until the build's first line, in ms. */
function startWatch(env: NodeJS.ProcessEnv) {
  const args = [bin, 'build', '--watch', '--dir', tree, '--script', script];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let notes = '';
  let wake = () => {};
  child.stdout.on('data', (chunk) => {
    out += chunk;
    wake();
  });
  child.stderr.on('data', (chunk) => {
    notes += chunk;
    wake();
  });
  const until = async (holds: () => boolean) => {
    while (!holds()) {
      if (child.exitCode !== null) throw new Error(`it has ended: ${notes}`);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return {
    /** Resolves when it waits for a change, and nothing else happens. */
    async rest() {
      await until(() => notes.includes('waiting for changes'));
      await settle();
      out = '';
      notes = '';
    },
    async untilMark(mark: string) {
      const started = process.hrtime.bigint();
      await until(() => out.includes(mark));
      return Number(process.hrtime.bigint() - started) / 1e6;
    },
    stop: () => child.kill('SIGKILL'),
  };
}

const service = await startService();
const sshd = await startSshd();
const far = join(root, 'far');
const script = 'echo ready; grep -c edit d0/e0/f0.swift';
const overSsh = (options: string[]) =>
  untilMark(
    '/bin/sh',
    [
      '-c',
      `rsync -az --delete -e "ssh ${options.join(' ')}" ${tree}/ ${sshd.target}:${far}/ && ssh ${options.join(' ')} ${sshd.target} 'cd ${far} && ${script}'`,
    ],
    'ready',
  );
const cases: [string, () => Promise<number>][] = [
  [
    'cidermill build',
    () => untilMark(process.execPath, [bin, 'build', '--dir', tree, '--script', script], 'ready', service.env),
  ],
  ['rsync + ssh, multiplexed', () => overSsh(sshd.multiplexed)],
  ['rsync + ssh, plain', () => overSsh(sshd.options)],
];
const watching = 'cidermill build --watch';
const figures = new Map<string, number[]>([...cases.map(([name]) => name), watching].map((name) => [name, []]));
try {
  edit();
  for (const [, run] of cases) await run();
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of cases) {
      await settle();
      edit();
      figures.get(name)?.push(await run());
    }
  }
  // After the others: while it runs, each of their edits would be a build of its own.
  const watch = startWatch(service.env);
  try {
    for (let round = 0; round < rounds; round++) {
      await watch.rest();
      edit();
      figures.get(watching)?.push(await watch.untilMark('ready'));
    }
  } finally {
    watch.stop();
  }
} finally {
  sshd.stop();
  await service.stop();
  rmSync(root, { recursive: true, force: true });
}
const base = median(figures.get('rsync + ssh, multiplexed') ?? []);
print(
  `edit to first output, ${files} files, one changed`,
  [...figures].map(([name, taken]) => {
    const value = median(taken);
    return { name, value, unit: 'ms', ratio: ratio(value, base) };
  }),
);
