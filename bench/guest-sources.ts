// Sources brought into a guest: 5,000 files into an empty work folder, then with nothing and with one file changed, against
// rsync -a --delete over ssh into the same guest: a user behind a real sshd of this machine, by plain and by multiplexed ssh.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deliver } from '../host-agent/guest/sources/deliver.js';
import { remoteCommand } from '../host-agent/guest/ssh-command.js';
import { execTransport, type GuestTransport } from '../host-agent/guest/transport.js';
import { type Figure, median, print, ratio } from './report.js';
import { startSshd } from './sshd.js';

const rounds = 7;
const files = 5_000;
const bytes = 5_400;
const root = mkdtempSync(join(tmpdir(), 'cm-guest-sources-'));
const tree = join(root, 'sources');
const run = promisify(execFile);

for (let n = 0; n < files; n++) {
  const folder = join(tree, `Module${Math.floor(n / 50)}`, `Part${n % 7}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `File${n}.swift`), `let line${n} = 1\n`.repeat(400).slice(0, bytes));
}
let edits = 0;
const edit = () => writeFileSync(join(tree, 'Module1/Part1/edited.swift'), `let edit = ${edits++}\n`.repeat(300));
edit();

const sshd = await startSshd();
const env = { PATH: process.env.PATH ?? '', HOME: root };
const guestBy = (options: string[]): GuestTransport =>
  execTransport((argv) => ({ file: 'ssh', args: [...options, sshd.target, remoteCommand(argv)], env }), 'ssh');

interface Way {
  name: string;
  /** Deletes its files in the guest. */
  reset(): void;
  bring(): Promise<unknown>;
}

const work = (name: string) => join(root, 'guest', name);
const emptied = (name: string) => {
  rmSync(work(name), { recursive: true, force: true });
  for (const folder of ['work', 'state']) mkdirSync(join(work(name), folder), { recursive: true });
};
const deliveryBy = (kind: string, options: string[]): Way => {
  const name = `deliver, ${kind} ssh`;
  const delivery = {
    from: tree,
    to: join(work(name), 'work'),
    state: join(work(name), 'state'),
    clean: false,
    stateFile: join(root, `delivered-${kind}`),
  };
  const { signal } = new AbortController();
  return {
    name,
    reset: () => emptied(name),
    bring: () => deliver(guestBy(options), delivery, { signal, timeoutMs: 60_000, say: () => undefined }),
  };
};
const rsyncBy = (kind: string, options: string[]): Way => {
  const name = `rsync -a, ${kind} ssh`;
  const args = [
    '-a',
    '--delete',
    '-e',
    `ssh ${options.join(' ')}`,
    `${tree}/`,
    `${sshd.target}:${join(work(name), 'work')}/`,
  ];
  return { name, reset: () => emptied(name), bring: () => run('rsync', args) };
};
const pairs = (['plain', 'multiplexed'] as const).map((kind) => {
  const options = kind === 'plain' ? sshd.options : sshd.multiplexed;
  return [rsyncBy(kind, options), deliveryBy(kind, options)] as const;
});

const cases: [name: string, before: (way: Way) => void][] = [
  ['first', (way) => way.reset()],
  ['nothing changed', () => undefined],
  ['one file changed', () => edit()],
];
const times = new Map<string, number[]>();
try {
  for (let round = 0; round < rounds; round++) {
    for (const [name, before] of cases) {
      for (const way of pairs.flat()) {
        before(way);
        const started = performance.now();
        await way.bring();
        const key = `${name}: ${way.name}`;
        times.set(key, [...(times.get(key) ?? []), performance.now() - started]);
      }
    }
  }
} finally {
  sshd.stop();
  rmSync(root, { recursive: true, force: true });
}
const figures: Figure[] = cases.flatMap(([name]) =>
  pairs.flatMap(([peer, ours]) => {
    const base = median(times.get(`${name}: ${peer.name}`) ?? []);
    return [peer, ours].map((way) => {
      const value = median(times.get(`${name}: ${way.name}`) ?? []);
      return { name: `${name}: ${way.name}`, value, unit: 'ms', ratio: ratio(value, base) };
    });
  }),
);
print(`sources into a guest: ${files} files, ${Math.round((files * bytes) / 1e6)} MB`, figures);
