// Sources brought into a guest: only changes are sent, after any build and after any interrupted delivery.
// Runs in: soak
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { deliver } from '../../../host-agent/guest/sources/deliver.js';
import type { GuestTransport } from '../../../host-agent/guest/transport.js';
import { cases } from '../../harness/soak.js';
import { openGuest } from './guest.js';

type Tree = Record<string, string>;

/** Every path with its type, mode, time and content; paths as latin1, because some are not UTF-8. */
function treeOf(root: string): Tree {
  const tree: Tree = {};
  const visit = (below: string) => {
    for (const name of readdirSync(Buffer.from(`${root}/${below}`, 'latin1'), { encoding: 'latin1' })) {
      const file = Buffer.from(`${root}/${below}${name}`, 'latin1');
      const found = lstatSync(file);
      const mode = (found.mode & 0o777).toString(8);
      if (found.isSymbolicLink()) tree[below + name] = `-> ${readlinkSync(file)}`;
      else if (found.isFile()) tree[below + name] = `${mode} ${found.mtimeMs.toFixed(2)} ${contentOf(file)}`;
      else {
        tree[`${below}${name}/`] = mode;
        visit(`${below}${name}/`);
      }
    }
  };
  visit('');
  return tree;
}

function contentOf(file: Buffer): string {
  const content = readFileSync(file, 'latin1');
  return content.length < 50 ? content : hash('sha256', content);
}

function open(t: Test) {
  const guest = openGuest(t);
  const [from, to, state] = [
    path.join(guest.host, 'sources'),
    path.join(guest.home, 'work'),
    path.join(guest.home, 'state'),
  ];
  for (const folder of [from, to, state]) mkdirSync(folder);
  const stateFile = path.join(guest.host, 'delivered');
  const said: string[] = [];
  let time = 1_700_000_000;
  const put = (name: string, content: string, mode = 0o644) => {
    const file = path.join(from, name);
    mkdirSync(path.dirname(file), { recursive: true });
    rmSync(file, { force: true });
    writeFileSync(file, content, { mode });
    time += 0.25;
    utimesSync(file, time, time);
  };
  const bring = (more: { clean?: boolean; transport?: GuestTransport; signal?: AbortSignal } = {}) =>
    deliver(
      more.transport ?? guest.transport,
      { from, to, state, stateFile, clean: more.clean ?? false },
      {
        signal: more.signal ?? new AbortController().signal,
        timeoutMs: 60_000,
        say: (line) => void said.push(line),
      },
    );
  return { ...guest, from, to, state, stateFile, put, bring, said };
}

/** Sources with everything that a repository may hold. */
function fill({ put, from }: ReturnType<typeof open>): void {
  put('Package.swift', 'let package');
  put('bin/build.sh', '#!/bin/sh\n', 0o755);
  put('deep/er/and/deeper.txt', 'x'.repeat(100));
  put('empty.txt', '');
  put('large.bin', 'L'.repeat(700_000));
  put('-rf', 'odd');
  put('a b\nc', 'newline');
  put('ünï.txt', 'ü');
  put('a-b/file', '1');
  put('a/file', '2');
  put('read-only', 'r', 0o444);
  mkdirSync(path.join(from, 'hollow'));
  symlinkSync('bin/build.sh', path.join(from, 'link'));
  symlinkSync('/nowhere', path.join(from, 'dangling'));
  const odd = Buffer.concat([Buffer.from(`${from}/not-utf8-`), Buffer.from([0xff])]);
  writeFileSync(odd, 'bytes');
  utimesSync(odd, 1_600_000_000, 1_600_000_000);
  utimesSync(path.join(from, 'Package.swift'), 1_600_000_000.25, 1_600_000_000.25);
}

t.test('sources arrive with modes, times and links, and later only changes are sent', async (t) => {
  const rig = open(t);
  const { bring, from, to, put } = rig;
  fill(rig);
  t.match(await bring(), { startedOver: true, removed: 0 });
  t.same(treeOf(to), treeOf(from));
  t.match(await bring(), { sent: 0, removed: 0, bytes: 0, startedOver: false });
  const times = (name: string) => lstatSync(path.join(to, name)).ctimeMs;
  const [before, other] = [times('empty.txt'), times('bin/build.sh')];
  put('empty.txt', 'no longer');
  put('new/file.txt', 'n');
  rmSync(path.join(from, 'deep'), { recursive: true });
  rmSync(path.join(from, 'link'));
  t.match(await bring(), { sent: 3, removed: 5, repaired: 0 });
  t.same(treeOf(to), treeOf(from));
  t.ok(times('empty.txt') > before && times('bin/build.sh') === other, 'other files are not touched');
  put('hollow/now a file', '');
  rmSync(path.join(from, 'a'), { recursive: true });
  put('a', 'a folder became a file');
  rmSync(path.join(from, 'large.bin'));
  put('large.bin/inside', 'a file became a folder');
  await bring();
  t.same(treeOf(to), treeOf(from));
});

t.test('files that a build changed are restored, and files that it created stay', async (t) => {
  const rig = open(t);
  const { bring, from, to, host } = rig;
  fill(rig);
  await bring();
  const precious = path.join(host, 'precious');
  mkdirSync(path.join(precious, 'file'), { recursive: true });
  const inWork = (name: string) => path.join(to, name);
  const keepTime = (name: string, change: () => void) => {
    const { atimeMs, mtimeMs } = lstatSync(inWork(name));
    change();
    utimesSync(inWork(name), atimeMs / 1000, mtimeMs / 1000);
  };
  const builds: [string, () => void, number?][] = [
    [
      'same size, same times',
      () => keepTime('Package.swift', () => writeFileSync(inWork('Package.swift'), 'LET package')),
    ],
    ['another mode', () => chmodSync(inWork('bin/build.sh'), 0o600)],
    ['deleted', () => rmSync(inWork('empty.txt'))],
    ['a folder deleted', () => rmSync(inWork('deep'), { recursive: true })],
    [
      'a folder instead of a file',
      () => {
        rmSync(inWork('-rf'));
        mkdirSync(inWork('-rf/deep'), { recursive: true });
      },
    ],
    [
      'a file instead of a folder',
      () => {
        rmSync(inWork('a'), { recursive: true });
        writeFileSync(inWork('a'), '');
      },
    ],
    [
      'a link instead of a folder, to its content',
      () => {
        renameSync(inWork('a-b'), path.join(host, 'moved'));
        symlinkSync(path.join(host, 'moved'), inWork('a-b'));
      },
    ],
    [
      'a link instead of a file',
      () => {
        rmSync(inWork('a/file'));
        symlinkSync(path.join(precious, 'file'), inWork('a/file'));
      },
    ],
    [
      'another target',
      () => {
        rmSync(inWork('link'));
        symlinkSync(precious, inWork('link'));
      },
    ],
    ['a folder without permissions', () => chmodSync(inWork('bin'), 0)],
    [
      'everything deleted',
      () => {
        rmSync(to, { recursive: true });
        mkdirSync(to);
      },
    ],
  ];
  for (const [what, change] of builds) {
    change();
    const { repaired, startedOver } = await bring();
    t.ok(repaired > 0, `${what}: found`);
    t.notOk(startedOver, what);
    t.same(treeOf(to), treeOf(from), what);
    t.ok(lstatSync(to).isDirectory(), what);
  }
  t.same(readdirSync(path.join(host, 'moved')), ['file'], 'nothing was done through links');
  t.same(readdirSync(precious), ['file']);
  mkdirSync(inWork('build/out'), { recursive: true });
  writeFileSync(inWork('build/out/app'), 'built');
  writeFileSync(inWork('hollow/made'), '');
  rmSync(path.join(from, 'hollow'), { recursive: true });
  t.match(await bring(), { repaired: 0, sent: 0, removed: 1 });
  t.ok(existsSync(inWork('build/out/app')) && existsSync(inWork('hollow/made')), 'what builds made stays');
  t.match(await bring({ clean: true }), { startedOver: true });
  t.same(treeOf(to), treeOf(from), 'clean_tree empties');
  renameSync(to, `${to}-moved`);
  symlinkSync(`${to}-moved`, to);
  t.match(await bring(), { startedOver: true }, 'the work folder itself is a link');
  t.ok(lstatSync(to).isDirectory());
  t.same(treeOf(to), treeOf(from), 'clean_tree empties');
});

t.test('of the files that builds create in .git, only objects stay', async (t) => {
  const { bring, put, from, to } = open(t);
  put('.git/HEAD', 'abc');
  put('.git/objects/pack/pack-1.pack', 'pack');
  put('.git/modules/lib/HEAD', 'abc');
  put('.git/modules/lib/objects/pack/pack-2.pack', 'pack');
  put('main.c', '');
  await bring();
  const made = [
    '.git/index.lock',
    '.git/hooks/post-checkout',
    '.git/refs/heads/x',
    '.git/config',
    '.git/objects/info/alternates',
    '.git/modules/lib/config',
    '.git/modules/evil/HEAD',
  ];
  const kept = [
    '.git/objects/ab/cdef',
    '.git/objects/pack/pack-3.pack',
    '.git/modules/lib/objects/12/34',
    'src/.git/config',
  ];
  for (const name of [...made, ...kept]) {
    mkdirSync(path.dirname(path.join(to, name)), { recursive: true });
    writeFileSync(path.join(to, name), '');
  }
  rmSync(path.join(from, '.git/objects/pack/pack-1.pack'));
  await bring();
  for (const name of made) t.notOk(existsSync(path.join(to, name)), name);
  for (const name of kept) t.ok(existsSync(path.join(to, name)), name);
  t.notOk(existsSync(path.join(to, '.git/objects/pack/pack-1.pack')), 'a pack that left the sources goes');
  writeFileSync(path.join(to, '.git/index.lock'), '');
  t.match(await bring(), { sent: 0, removed: 0 });
  t.notOk(existsSync(path.join(to, '.git/index.lock')), 'also when nothing has changed');
});

t.test('a delivery replaces locked folders that a build left', async (t) => {
  const { bring, put, from, to, transport } = open(t);
  const user = execFileSync('/usr/bin/id', ['-u', 'nobody'], { encoding: 'utf8' }).trim();
  put('src/main.c', 'a');
  put('gone/file', 'a');
  await bring();
  const lock = (name: string) => {
    chmodSync(path.join(to, name), 0o500);
    execFileSync('/bin/chown', ['-R', user, path.join(to, name)]);
  };
  for (const name of ['src', 'gone']) lock(name);
  put('src/main.c', 'b');
  put('src/more.c', 'b');
  rmSync(path.join(from, 'gone'), { recursive: true });
  await bring({ transport });
  t.same(treeOf(to), treeOf(from));
});

/** A transport whose connections break after the host has sent this many bytes. */
function breaking(transport: GuestTransport, afterBytes: number): GuestTransport {
  return {
    kind: 'exec',
    open(argv) {
      const connection = transport.open(argv);
      let left = afterBytes;
      const write: (bytes: Buffer) => boolean = connection.stdin.write.bind(connection.stdin);
      connection.stdin.write = ((bytes: Buffer) => {
        const part = bytes.subarray(0, left);
        left -= part.length;
        const more = write(part);
        if (part.length < bytes.length) connection.destroy();
        return more;
      }) as typeof connection.stdin.write;
      return connection;
    },
  };
}

t.test('a delivery interrupted at any point is repaired by the next', async (t) => {
  const rig = open(t);
  const { bring, put, from, to, transport, stateFile, state } = rig;
  fill(rig);
  await bring();
  writeFileSync(path.join(to, 'built'), '');
  let round = 0;
  const program = 13_000;
  const steps = cases(12);
  for (let step = 0; step < steps; step += 1) {
    round += 1;
    put('Package.swift', `round ${round}`);
    for (let n = 0; n < 5; n += 1) put(`added-${round}/${n}/file`, `${n}`.repeat(n * 1000));
    rmSync(path.join(from, `added-${round - 1}`), { recursive: true, force: true });
    await bring({ transport: breaking(transport, program + Math.floor((step * 26_000) / steps)) }).catch(
      () => undefined,
    );
    rmSync(path.join(from, `added-${round}/3`), { recursive: true });
    t.notOk((await bring()).startedOver, `break ${step}`);
    t.strictSame(treeOf(to), { ...treeOf(from), built: treeOf(to).built }, `break ${step}`);
  }
  // The guest has completed it, but the host did not receive the answer.
  put('Package.swift', 'last');
  const old = readFileSync(stateFile);
  await bring();
  renameSync(stateFile, `${stateFile}.next`);
  writeFileSync(stateFile, old);
  t.match(await bring(), { sent: 0, startedOver: false });
  // Neither side knows the other's state.
  for (const damage of [() => writeFileSync(path.join(state, 'delivered'), 'x'), () => rmSync(stateFile)]) {
    damage();
    t.match(await bring(), { startedOver: true });
    t.same(treeOf(to), treeOf(from));
  }
});

/** A random change of sources or work folder: paths that are files in one round and folders in the next. */
function change(root: string, random: (below: number) => number): void {
  const name = () => ['a', 'b', 'c/d', 'c/e', 'c/e/f', 'a/g', 'link', 'b/h/i'][random(8)] ?? 'a';
  const place = path.join(root, name());
  const parent = path.dirname(place);
  let folder = root;
  for (const part of path.relative(root, parent).split('/')) {
    folder = path.join(folder, part);
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (found && !found.isDirectory()) rmSync(folder);
  }
  mkdirSync(parent, { recursive: true });
  rmSync(place, { recursive: true, force: true });
  const kind = random(6);
  if (kind === 0) mkdirSync(place);
  else if (kind === 1) symlinkSync(['a', '/etc', '..', 'c'][random(4)] ?? 'a', place);
  else if (kind > 2) {
    writeFileSync(place, 'x'.repeat(random(5)), { mode: random(2) === 0 ? 0o644 : 0o755 });
    utimesSync(place, 1_000_000, 1_000_000 + random(3));
  }
}

t.test('after any changes on both sides the sources are equal, and only what builds made is left', async (t) => {
  const { bring, from, to } = open(t);
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  for (let round = 0; round < cases(6); round += 1) {
    for (let n = random(5); n > 0; n -= 1) change(from, random);
    const made = new Set<string>();
    for (let n = random(4); n > 0; n -= 1) {
      change(to, random);
      writeFileSync(path.join(to, `made-${round}-${n}`), '');
      made.add(`made-${round}-${n}`);
    }
    const { startedOver } = await bring();
    const [want, have] = [treeOf(from), treeOf(to)];
    t.equal(startedOver, round === 0);
    for (const [name, entry] of Object.entries(want))
      if (have[name] !== entry) t.fail(`${round}: ${name}`, { want, have });
    for (const name of made) if (round > 0) t.ok(name in have, `${round}: ${name}`);
    t.match(await bring(), { sent: 0, removed: 0 }, 'a second delivery has nothing to do');
  }
});

t.test('a delivery is stopped by its signal, and by a full disk with its code', async (t) => {
  const rig = open(t);
  const { bring, transport, put } = rig;
  fill(rig);
  const stop = new AbortController();
  stop.abort(new Error('stopped'));
  await t.rejects(bring({ signal: stop.signal }), { message: 'stopped' });
  for (let n = 0; n < 20; n += 1) put(`big-${n}`, 'x'.repeat(300_000));
  const limited: GuestTransport = {
    kind: 'exec',
    open: (argv) => transport.open(['/bin/bash', '-c', `trap '' XFSZ; ulimit -f 600; exec "$@"`, 'bash', ...argv]),
  };
  await t.rejects(bring({ transport: limited }), { name: 'GuestError', code: 'EFBIG' });
  await bring();
  t.same(treeOf(rig.to), treeOf(rig.from));
});
