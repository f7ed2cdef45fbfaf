import { execFileSync } from 'node:child_process';
import fs, {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import t from 'tap';
import { contentRoot } from '../../../host-agent/caches/content-cache.js';
import { trimContents } from '../../../host-agent/caches/content-trim.js';
import { BuildStepError } from '../../../host-agent/contract/build-step-error.js';
import { defaultSourceLimits } from '../../../host-agent/limits.js';
import { createAdvancingClock } from '../../../shared/clock.js';
import { runs } from '../../harness/soak.js';
import {
  createMac,
  expected,
  failureOf,
  look,
  type Mac,
  MEMORY,
  pieces,
  record,
  serve,
  sha256,
  stamps,
  type Tree,
  upload,
} from './source-fixtures.js';

const big = Buffer.alloc(3_000_000, 'a large content, of the kind that is streamed. ');
const project: Tree = {
  'Package.swift': 'let package = Package()\n',
  'Sources/App/main.swift': 'print("hello")\n',
  'Sources/App/Größe – 日本語 🍎.swift': 'let size = 1\n',
  'Sources/Core/core.swift': 'func core() {}\n',
  'Sources/Core/copy.swift': 'func core() {}\n',
  'Sources/Core/empty.swift': '',
  'Resources/model.bin': big,
  'bin/build.sh': { content: '#!/bin/sh\nmake\n', mode: 0o755 },
  'name with\nline feed': 'odd\n',
};
const withTree = (change: (tree: Tree) => unknown) => {
  const tree = { ...project };
  change(tree);
  return upload(tree);
};

t.test('a first build gets exactly what was uploaded', async (t) => {
  const mac = createMac(t);
  const first = upload(project, {
    links: [
      { path: 'latest', target: 'Sources/App' },
      { path: 'Sources/up', target: '../Resources/model.bin' },
    ],
    directories: ['Empty/Deep', 'Logs'],
  });
  for (const piece of [500, 65_536, 10_000_000]) {
    const fetcher = serve(first, piece);
    rmSync(join(mac.root, 'cache'), { recursive: true, force: true });
    const checkout = await mac.checkOut(first, { fetcher, cleanTree: true });
    t.strictSame(look(mac.work), expected(first), `pieces of ${piece} bytes`);
    t.strictSame(checkout, { commit: null, changed: 11, removed: 0, bytes: first.source.total_bytes });
    const asked = fetcher.asked.flat();
    t.equal(new Set(asked).size, asked.length, 'each content is asked for once');
    t.notOk(asked.includes(sha256('')), 'the empty content is known to everybody');
  }
  t.match(mac.said.at(-1), '9 files: 11 changed, 0 removed');
  const small = withTree((tree) => delete tree['Resources/model.bin']);
  await mac.checkOut(small, { fetcher: serve(small, 1), cleanTree: true });
  t.strictSame(look(mac.work), expected(small), 'byte by byte');
});

t.test('the next build touches what changed and nothing else', async (t) => {
  const mac = createMac(t);
  await mac.checkOut(upload(project));
  mkdirSync(join(mac.work, 'Sources/Core/.build'));
  writeFileSync(join(mac.work, 'Sources/Core/.build/core.o'), 'object');
  writeFileSync(join(mac.work, 'app'), 'product');
  const untouched = Object.keys(project).filter((path) => !/main|bin|Core/.test(path));
  const before = stamps(mac.work, untouched);

  const second = withTree((tree) => {
    tree['Sources/App/main.swift'] = 'print("HELLO")\n';
    tree['bin/build.sh'] = { content: '#!/bin/sh\nmake\n', mode: 0o644 };
    tree['Sources/New/new.swift'] = 'new';
    for (const path of Object.keys(tree)) if (path.startsWith('Sources/Core')) delete tree[path];
  });
  const fetcher = serve(second);
  const checkout = await mac.checkOut(second, { fetcher });
  t.strictSame(checkout, { commit: null, changed: 3, removed: 3, bytes: 18 });
  t.strictSame(look(mac.work), {
    ...expected(second),
    'Sources/Core/.build/core.o': 'object',
    app: 'product',
  });
  t.strictSame(stamps(mac.work, untouched), before);
  t.strictSame(fetcher.asked.flat().sort(), ['print("HELLO")\n', 'new'].map(sha256).sort());

  const same = serve(second);
  t.strictSame(await mac.checkOut(second, { fetcher: same }), {
    commit: null,
    changed: 0,
    removed: 0,
    bytes: 0,
  });
  t.strictSame(
    [same.manifests, same.asked],
    [0, []],
    'an upload that is checked out already is not fetched again',
  );

  await mac.checkOut(upload({ 'only.txt': 'x' }));
  t.strictSame(look(mac.work), { 'only.txt': 'x', 'Sources/Core/.build/core.o': 'object', app: 'product' });
  await mac.checkOut(upload({ 'only.txt': 'x' }), { cleanTree: true });
  t.strictSame(look(mac.work), { 'only.txt': 'x' });
});

t.test('the files are checked while the manifest is in flight', async (t) => {
  const mac = createMac(t);
  await mac.checkOut(upload(project));
  const next = withTree((tree) => (tree['Package.swift'] = 'let package = Package(2)\n'));
  // Checking makes folders accessible that a build has closed, which is visible from outside.
  const closed = join(mac.work, 'Sources/Core');
  chmodSync(closed, 0);
  const served = serve(next);
  const checkout = await mac.checkOut(next, {
    fetcher: {
      ...served,
      async manifest(signal) {
        for (let turns = 0; (statSync(closed).mode & 0o700) !== 0o700; turns++) {
          if (turns > 100_000) throw new Error('nobody looks before the manifest is there');
          await new Promise((resolve) => setImmediate(resolve));
        }
        return served.manifest(signal);
      },
    },
  });
  t.equal(checkout.changed, 1);
  t.strictSame(look(mac.work), expected(next));
});

t.test('files become folders, links, and back', async (t) => {
  const mac = createMac(t);
  const forms = [
    upload({ 'a/b/c': 'file below', x: 'x' }),
    upload({ a: 'file', 'x/y': 'y' }),
    upload({ x: 'x' }, { links: [{ path: 'a', target: 'x' }] }),
    upload({ x: 'x' }, { directories: ['a'] }),
    upload({ 'x/a': 'x' }, { links: [{ path: 'a/b', target: '../x/a' }] }),
    upload({ a: 'file', x: { content: 'x', mode: 0o755 } }),
    upload({ A: 'upper', X: 'x' }),
  ];
  for (const from of forms) {
    for (const to of forms) {
      await mac.checkOut(from);
      t.strictSame(look(mac.work), expected(from));
      await mac.checkOut(to);
      t.strictSame(look(mac.work), expected(to));
    }
  }
  await mac.checkOut(upload({ 'a/b/c': 'file' }));
  writeFileSync(join(mac.work, 'a/product'), 'made by a build');
  await mac.checkOut(upload({ a: 'the manifest wins' }));
  t.strictSame(look(mac.work), { a: 'the manifest wins' });
});

t.test('whatever a build did to a source file, the next build restores it', async (t) => {
  const mac = createMac(t);
  const outside = join(mac.root, 'outside');
  mkdirSync(outside);
  const secret = join(outside, 'secret');
  const target = 'Sources/App/main.swift';
  const content = String(project[target]);
  const path = join(mac.work, target);
  const deeds: Record<string, () => void> = {
    'was changed': () => writeFileSync(path, 'something else\n'),
    'was changed, keeping size and modification time': () => {
      const { atime, mtime } = statSync(path);
      writeFileSync(path, content.replace('hello', 'HELLO'));
      utimesSync(path, atime, mtime);
    },
    'was emptied': () => truncateSync(path),
    'was deleted': () => unlinkSync(path),
    'was replaced by another file of its size and times': () => {
      const { atime, mtime } = statSync(path);
      writeFileSync(`${path}.new`, content.replace('hello', 'HELLO'));
      utimesSync(`${path}.new`, atime, mtime);
      renameSync(`${path}.new`, path);
    },
    'became a folder with content': () => {
      unlinkSync(path);
      mkdirSync(join(path, 'deep/er'), { recursive: true });
      writeFileSync(join(path, 'deep/er/file'), '');
    },
    'became a link to a file outside': () => {
      unlinkSync(path);
      symlinkSync(secret, path);
    },
    'became a link to itself': () => {
      unlinkSync(path);
      symlinkSync(path, path);
    },
    'became a pipe': () => {
      unlinkSync(path);
      execFileSync('mkfifo', [path]);
    },
    'became executable': () => chmodSync(path, 0o755),
    'lost every permission': () => chmodSync(path, 0),
    'got the setuid bit': () => chmodSync(path, 0o4644),
    'became another name of a file outside': () => {
      unlinkSync(path);
      linkSync(secret, path);
    },
    'became another name of a file outside with the same content and another mode': () => {
      unlinkSync(path);
      writeFileSync(join(outside, 'same'), content, { mode: 0o600 });
      linkSync(join(outside, 'same'), path);
    },
    'lost its folder': () => rmSync(dirname(path), { recursive: true }),
    'has a folder that became a file': () => {
      rmSync(dirname(path), { recursive: true });
      writeFileSync(dirname(path), '');
    },
    'has a folder that became a pipe': () => {
      rmSync(dirname(path), { recursive: true });
      execFileSync('mkfifo', [dirname(path)]);
    },
    'has a folder that became a link to a folder outside with the same names': () => {
      rmSync(dirname(path), { recursive: true });
      for (const name of ['main.swift', 'other']) writeFileSync(join(outside, name), content);
      symlinkSync(outside, dirname(path));
    },
    'has a grandfather that became a link to a folder outside': () => {
      const sources = join(mac.work, 'Sources');
      renameSync(sources, join(outside, 'Sources'));
      symlinkSync(join(outside, 'Sources'), sources);
    },
    'has a folder nobody may enter': () => chmodSync(dirname(path), 0),
    'has a folder nobody may write to': () => chmodSync(dirname(path), 0o555),
    'lost the whole work folder': () => rmSync(mac.work, { recursive: true }),
    'has a work folder that became a link': () => {
      rmSync(mac.work, { recursive: true });
      symlinkSync(outside, mac.work);
    },
  };
  const first = upload(project);
  const other = withTree((tree) => {
    delete tree['Sources/Core/copy.swift'];
  });
  for (const [deed, act] of Object.entries(deeds)) {
    for (const next of [first, other]) {
      await mac.checkOut(first);
      rmSync(outside, { recursive: true });
      mkdirSync(outside);
      writeFileSync(secret, 'not yours\n', { mode: 0o600 });
      act();
      const seen = look(outside);
      await mac.checkOut(next);
      t.strictSame(look(mac.work), expected(next), `${deed}: restored`);
      t.strictSame(look(outside), seen, `${deed}: nothing outside changed`);
      t.equal(lstatSync(secret).mode & 0o777, 0o600);
    }
  }
});

t.test('a file that was only touched is not rewritten', async (t) => {
  const mac = createMac(t);
  await mac.checkOut(upload(project));
  const path = join(mac.work, 'Package.swift');
  utimesSync(path, 1_000_000_000, 1_000_000_000);
  const checkout = await mac.checkOut(upload(project));
  t.equal(checkout.changed, 0);
  t.equal(statSync(path).mtimeMs, 1_000_000_000_000);
});

t.test('a change right after the checkout is detected, every time', async (t) => {
  const mac = createMac(t);
  const path = join(mac.work, 'file');
  const from = upload({ file: 'as uploaded' });
  await mac.checkOut(from);
  for (let round = 0; round < 300; round++) {
    writeFileSync(path, 'as damaged!');
    await mac.checkOut(from);
    if (readFileSync(path, 'utf8') !== 'as uploaded') return t.fail(`round ${round}`);
  }
  t.pass();
});

t.test('files that left the manifest are deleted only if the service wrote them', async (t) => {
  const mac = createMac(t);
  const outside = join(mac.root, 'outside');
  mkdirSync(join(outside, 'gone'), { recursive: true });
  writeFileSync(join(outside, 'gone/file'), 'not yours');
  const first = upload(
    { keep: 'k', 'gone/file': 'f', 'gone2/file': 'f', 'gone3/deep/file': 'f', gone4: 'f' },
    { directories: ['empty', 'used'], links: [{ path: 'link', target: 'keep' }] },
  );
  await mac.checkOut(first);
  rmSync(join(mac.work, 'gone'), { recursive: true });
  symlinkSync(join(outside, 'gone'), join(mac.work, 'gone'));
  rmSync(join(mac.work, 'gone2/file'));
  mkdirSync(join(mac.work, 'gone2/file'));
  writeFileSync(join(mac.work, 'gone2/file/product'), 'p');
  writeFileSync(join(mac.work, 'used/product'), 'p');
  chmodSync(join(mac.work, 'gone3/deep'), 0o500);
  const checkout = await mac.checkOut(upload({ keep: 'k' }));
  t.equal(checkout.removed, 3);
  t.strictSame(look(mac.work), {
    keep: 'k',
    gone: `-> ${join(outside, 'gone')}`,
    'gone2/file/product': 'p',
    'used/product': 'p',
  });
  t.strictSame(look(outside), { 'gone/file': 'not yours' });
});

t.test('a folder is emptied whatever builds left in it', async (t) => {
  const mac = createMac(t);
  await mac.checkOut(upload(project));
  const outside = join(mac.root, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'precious'), '');
  symlinkSync(outside, join(mac.work, 'link'));
  execFileSync('mkfifo', [join(mac.work, 'pipe')]);
  mkdirSync(join(mac.work, 'locked/inner'), { recursive: true });
  writeFileSync(join(mac.work, 'locked/inner/file'), '', { mode: 0o400 });
  chmodSync(join(mac.work, 'locked/inner'), 0o100);
  chmodSync(join(mac.work, 'locked'), 0);
  // Deeper than the maximum path length: it can only be created, and deleted, step by step.
  execFileSync(
    'sh',
    [
      '-c',
      'n=0; while [ $n -lt 60 ]; do mkdir -p "$1" && cd -P "$1" && n=$((n+1)); done; : > end',
      'sh',
      'd'.repeat(200),
    ],
    {
      cwd: mac.work,
    },
  );
  if (process.platform === 'linux') {
    writeFileSync(Buffer.concat([Buffer.from(`${mac.work}/`), Buffer.from([0xff, 0xfe, 0x2e])]), 'no text');
  }
  await mac.checkOut(upload({ one: '1' }), { cleanTree: true });
  t.strictSame(look(mac.work), { one: '1' });
  t.strictSame(look(outside), { precious: '' });
});

t.test(
  'the same for a user other than root',
  { skip: process.getuid?.() !== 0 && 'not root: all tests did' },
  async (t) => {
    const mac = createMac(t);
    for (const folder of [mac.root, join(mac.root, 'mac')]) chownSync(folder, 65_534, 65_534);
    process.seteuid?.(65_534);
    try {
      const first = upload(project);
      await mac.checkOut(first);
      chmodSync(join(mac.work, 'Sources/App/main.swift'), 0);
      chmodSync(join(mac.work, 'Sources/App'), 0o500);
      chmodSync(join(mac.work, 'Sources/Core'), 0);
      chmodSync(join(mac.work, 'Sources'), 0o500);
      chmodSync(mac.work, 0o500);
      const second = withTree((tree) => {
        tree['Sources/App/main.swift'] = 'changed';
        delete tree['Sources/Core/copy.swift'];
      });
      await mac.checkOut(second);
      t.strictSame(look(mac.work), expected(second));
      mkdirSync(join(mac.work, 'a/b'), { recursive: true });
      for (const folder of ['a/b', 'a', 'Sources/App', 'Sources']) chmodSync(join(mac.work, folder), 0);
      await mac.checkOut(upload({ one: '1' }), { cleanTree: true });
      t.strictSame(look(mac.work), { one: '1' });
      chmodSync(join(mac.root, 'mac'), 0o500);
      rmSync(join(mac.root, 'cache'), { recursive: true });
      chmodSync(mac.root, 0o500);
      t.match(await failureOf(mac.checkOut(upload({ two: '2' }))), {
        reasonCode: 'workspace_failed',
        fault: 'platform',
      });
    } finally {
      process.seteuid?.(0);
    }
  },
);

/** Counts the calls that change the file system, and lets `onCall` make one fail. */
function watchChanges(onCall: (call: number, name: string) => void): () => void {
  const names = [
    'openSync',
    'writeSync',
    'writeFileSync',
    'renameSync',
    'unlinkSync',
    'rmdirSync',
    'mkdirSync',
    'symlinkSync',
    'chmodSync',
    'fchmodSync',
    'rmSync',
    'fsyncSync',
  ] as const;
  const originals = names.map((name) => [name, fs[name]] as const);
  const copyFile = fs.promises.copyFile;
  let calls = 0;
  const patch =
    (name: string, original: (...args: never[]) => unknown) =>
    (...args: never[]) => {
      onCall(++calls, name);
      return original(...args);
    };
  for (const [name, original] of originals) Object.assign(fs, { [name]: patch(name, original) });
  fs.promises.copyFile = async (...args) => {
    onCall(++calls, 'copyFile');
    return copyFile(...args);
  };
  syncBuiltinESMExports();
  return () => {
    Object.assign(fs, Object.fromEntries(originals));
    fs.promises.copyFile = copyFile;
    syncBuiltinESMExports();
  };
}

/**
 * Checks out `from` and dies (every later change fails too) at change number `at`; returns false when there were
 * fewer.
 */
async function dieAt(at: number, checkOut: () => Promise<unknown>): Promise<boolean> {
  let died = false;
  const restore = watchChanges((call) => {
    if (call < at) return;
    died = true;
    throw Object.assign(new Error('died here'), { code: 'EDIED' });
  });
  try {
    await checkOut();
  } catch (error) {
    if (!died) throw error;
  } finally {
    restore();
  }
  return died;
}

t.test('a build that dies at any point of the checkout does not break the next', async (t) => {
  const limits = { ...defaultSourceLimits, smallContentBytes: 20 };
  const small = { ...project, 'Resources/model.bin': 'large, by the limit of this test' };
  const first = upload(small, { directories: ['Logs'], links: [{ path: 'link', target: 'bin' }] });
  const second = upload(
    {
      ...Object.fromEntries(Object.entries(small).filter(([path]) => !path.includes('Core'))),
      'Sources/App/main.swift': 'changed',
      'Sources/Core': 'now a file',
      'Brand/new/file': 'new',
      'Brand/new/large': 'large as well, and not yet known',
    },
    { directories: ['Brand/empty'] },
  );
  const third = upload({ 'Package.swift': 'third', 'Sources/App/main.swift': 'changed' });
  const ways = [
    { dying: first, next: first, clean: false },
    { dying: first, next: third, clean: false },
    { dying: second, next: first, clean: false },
    { dying: second, next: third, clean: false },
    { dying: second, next: second, clean: true },
    { dying: second, next: third, clean: true },
  ];
  let points = 0;
  const step = runs(6, 1);
  for (const [way, { dying, next, clean }] of ways.entries()) {
    for (let at = 1 + (way % step), died = true; died; at += step, points += 1) {
      const mac = createMac(t, undefined, MEMORY);
      if (dying !== first) await mac.checkOut(first, { limits });
      died = await dieAt(at, () => mac.checkOut(dying, { limits, cleanTree: clean }));
      await mac.checkOut(next, { limits });
      const seen = look(mac.work);
      if (JSON.stringify(seen) !== JSON.stringify(sorted(expected(next)))) {
        t.strictSame(seen, expected(next), `died at change ${at}`);
      }
      const again = await mac.checkOut(next, { limits });
      if (again.changed + again.removed > 0) t.fail(`died at change ${at}: not all was noted`);
      rmSync(mac.root, { recursive: true });
    }
  }
  t.ok(points > runs(35, 200), `${points} points of death`);
});

function sorted(record: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

t.test('any series of uploads, tampering and crashes ends with the uploaded files', async (t) => {
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'a/a', 'a/b', 'b/a', 'b/a/c', 'c/d');
  const tree = fc
    .dictionary(name, fc.constantFrom('', 'one', 'two', 'six'), { maxKeys: 6 })
    .map((entries) => {
      const paths = Object.keys(entries);
      return Object.fromEntries(
        Object.entries(entries).filter(([path]) => !paths.some((other) => other.startsWith(`${path}/`))),
      );
    });
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ tree, clean: fc.boolean(), dieAt: fc.constant(0) }) },
    {
      weight: 2,
      arbitrary: fc.record({ tree, clean: fc.boolean(), dieAt: fc.integer({ min: 1, max: 40 }) }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        at: name,
        deed: fc.constantFrom('write', 'remove', 'folder', 'link', 'product', 'chmod'),
      }),
    },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
      const mac = createMac(t, undefined, MEMORY);
      try {
        for (const now of steps) {
          if ('deed' in now) tamper(mac, now.at, now.deed);
          else if (now.dieAt > 0) {
            await dieAt(now.dieAt, () => mac.checkOut(upload(now.tree), { cleanTree: now.clean }));
          } else {
            const from = upload(now.tree);
            await mac.checkOut(from, { cleanTree: now.clean });
            const seen = look(mac.work);
            for (const [path, content] of Object.entries(expected(from))) {
              if (seen[path] !== content) return false;
            }
            // Everything beyond the upload was created by a build, and never has a name of the upload.
            const extra = Object.keys(seen).filter((path) => !(path in now.tree));
            if (extra.some((path) => now.clean || seen[path] !== 'made by a build')) return false;
          }
        }
        return true;
      } finally {
        rmSync(mac.root, { recursive: true, force: true });
      }
    }),
    { numRuns: runs(50, 150) },
  );
});

/** What a build might do; only `product` leaves files of the build. */
function tamper(mac: Mac, at: string, deed: string): void {
  const path = join(mac.work, at);
  if (!existsSync(path)) return;
  const found = lstatSync(path);
  if (deed === 'product' && found.isDirectory()) writeFileSync(join(path, 'product.o'), 'made by a build');
  if (!found.isFile()) return;
  if (deed === 'write') writeFileSync(path, 'two');
  if (deed === 'chmod') chmodSync(path, 0o755);
  if (['remove', 'folder', 'link'].includes(deed)) rmSync(path);
  if (deed === 'folder') {
    mkdirSync(path);
    writeFileSync(join(path, 'product.o'), 'made by a build');
  }
  if (deed === 'link') symlinkSync('/', path);
}

t.test('two Macs of an account share the cache, and damaged contents are fetched again', async (t) => {
  const one = createMac(t);
  const two = createMac(t, one);
  const from = upload(project);
  await one.checkOut(from);
  const fetcher = serve(from);
  await two.checkOut(from, { fetcher });
  t.strictSame(fetcher.asked, [], 'nothing is fetched twice');
  t.strictSame(look(two.work), expected(from));

  const blob = (content: string | Buffer) =>
    join(contentRoot(join(one.root, 'cache')), sha256(content).slice(0, 2), sha256(content));
  writeFileSync(join(one.work, 'Resources/model.bin'), 'a build writes into its own file');
  t.equal(sha256(readFileSync(blob(big))), sha256(big), 'and not into the cache');

  const damages: [string, () => void][] = [
    ['a flipped bit', () => writeFileSync(blob('let size = 1\n'), 'let size = 2\n')],
    ['a flipped bit in a large one', () => writeFileSync(blob(big), Buffer.alloc(big.length))],
    ['a cut file', () => truncateSync(blob(big), 1000)],
    ['an empty file', () => truncateSync(blob('let size = 1\n'))],
    ['a missing file', () => unlinkSync(blob('let size = 1\n'))],
    [
      'a link',
      () => {
        unlinkSync(blob('let size = 1\n'));
        symlinkSync(join(one.work, 'Sources/App/Größe – 日本語 🍎.swift'), blob('let size = 1\n'));
      },
    ],
  ];
  for (const [damage, act] of damages) {
    act();
    const mended = serve(from);
    await two.checkOut(from, { fetcher: mended, cleanTree: true });
    t.strictSame(look(two.work), expected(from), damage);
    t.equal(mended.asked.flat().length, 1, `${damage}: only that one is fetched again`);
  }
});

t.test('the cache keeps the most recently used contents', async (t) => {
  const mac = createMac(t);
  const cacheDir = join(mac.root, 'cache');
  const day = 24 * 3_600_000;
  const clock = createAdvancingClock({ start: Date.now() });
  const limits = { ...defaultSourceLimits, contentCacheBytes: 1000 };
  const files = (names: string[]) =>
    upload(Object.fromEntries(names.map((name) => [name, name.repeat(100)])));
  const cached = () =>
    readdirSync(contentRoot(cacheDir), { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && /^[0-9a-f]{64}$/.test(entry.name),
    ).length;

  await mac.checkOut(files(['a', 'b', 'c', 'd', 'e']), { limits, clock });
  t.equal(cached(), 5);
  await clock.advance(day);
  // Read from the cache, so used today; the others are a day old.
  await mac.checkOut(files(['a', 'b']), { limits, clock, cleanTree: true });
  await clock.advance(1000);
  for (const name of ['f', 'g', 'h', 'i', 'j']) {
    await mac.checkOut(files([name]), { limits, clock });
  }
  const fetcher = serve(files(['a', 'b', 'j']));
  await mac.checkOut(files(['a', 'b', 'j']), { limits, clock, fetcher, cleanTree: true });
  t.strictSame(fetcher.asked, [], 'what was used lately is there');
  t.ok(cached() <= 10);
  await mac.checkOut(files(['k', 'l', 'm', 'n']), { limits, clock });
  t.ok(cached() <= 8, 'trimming goes well below the limit');
  const old = serve(files(['c', 'd', 'e']));
  await mac.checkOut(files(['c', 'd', 'e']), { limits, clock, fetcher: old, cleanTree: true });
  t.equal(old.asked.flat().length, 3, 'what nobody used is gone');

  const abandoned = join(contentRoot(cacheDir), 'incoming/abandoned');
  writeFileSync(abandoned, 'from a build that was killed');
  await clock.advance(3 * day);
  const signal = new AbortController().signal;
  await trimContents(cacheDir, { limit: 1000, added: 1, now: clock.now(), signal });
  t.notOk(existsSync(abandoned));
  await trimContents(cacheDir, { limit: 0, added: 1, now: clock.now(), signal });
  t.equal(cached(), 0);
  writeFileSync(join(contentRoot(cacheDir), 'usage'), 'damaged');
  await mac.checkOut(files(['a']), { limits, clock });
  t.match(readFileSync(join(contentRoot(cacheDir), 'usage'), 'utf8'), /^100 \d+\n$/);
});

t.test('an interrupted transfer continues where it ended', async (t) => {
  const mac = createMac(t);
  const tree = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`file${n}`, `content ${n}`]));
  const from = upload({ ...tree, large: big });
  const served = serve(from);
  const asked: number[] = [];
  let manifestFails = 2;
  const fetcher = {
    async manifest(signal: AbortSignal) {
      manifestFails -= 1;
      if (manifestFails >= 0) throw new Error('socket hang up');
      return served.manifest(signal);
    },
    async blobs(hashes: readonly string[]) {
      asked.push(hashes.length);
      if (asked.length % 3 === 0 && asked.length < 6) throw new Error('connect ECONNREFUSED');
      const all = record(from, hashes);
      if (asked.length > 6) return Readable.from(pieces(all, 500));
      if (asked.length % 3 === 1)
        return Readable.from(pieces(all.subarray(0, Math.ceil(all.length / 3)), 500));
      return Readable.from(
        (function* () {
          yield* pieces(all.subarray(0, Math.ceil((all.length * 2) / 3)), 500);
          throw new Error('read ECONNRESET');
        })(),
      );
    },
  };
  await mac.checkOut(from, { fetcher });
  t.strictSame(look(mac.work), expected(from));
  t.ok(asked.length > 3);
  t.strictSame(
    asked,
    [...asked].sort((a, b) => b - a),
    'what arrived is not asked for again',
  );
  t.match(mac.said, ['The connection to the service broke while fetching sources; trying again.']);
  t.strictSame(readdirSync(join(contentRoot(join(mac.root, 'cache')), 'incoming')), []);
});

t.test('many contents are requested in several requests', async (t) => {
  const mac = createMac(t);
  const from = upload(Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`f${n}`, `${n}`.repeat(10)])));
  const fetcher = serve(from);
  await mac.checkOut(from, { fetcher, limits: { ...defaultSourceLimits, blobsPerRequest: 8 } });
  t.strictSame(
    fetcher.asked.map((hashes) => hashes.length),
    [8, 8, 4],
  );
  const bytes = serve(from);
  const two = createMac(t);
  await two.checkOut(from, { fetcher: bytes, limits: { ...defaultSourceLimits, blobBytesPerRequest: 25 } });
  t.ok(bytes.asked.length >= 10);
  t.strictSame(look(two.work), expected(from));
});

t.test('a transfer that keeps failing fails the step, with the reason', async (t) => {
  const from = upload({ a: 'one', b: 'two' });
  const other = upload({ c: 'ten' });
  const answers: Record<string, () => Readable | Promise<Readable>> = {
    'no connection': () => Promise.reject(new Error('connect ECONNREFUSED')),
    nothing: () => Readable.from([]),
    'a wrong content': () => Readable.from([Buffer.from(`${sha256('one')} 3\nONE${sha256('two')} 3\nTWO`)]),
    'a content nobody asked for': () => Readable.from([record(other, [sha256('ten')])]),
    'another size': () => Readable.from([Buffer.from(`${sha256('one')} 4\none!`)]),
    'a record cut in its header': () => Readable.from([Buffer.from(sha256('one').slice(0, 20))]),
    'a record cut in its content': () => Readable.from([Buffer.from(`${sha256('one')} 3\non`)]),
    'an overlong header': () => Readable.from([Buffer.from(`${sha256('one')} ${'0'.repeat(90)}3\none`)]),
    'a signed size': () => Readable.from([Buffer.from(`${sha256('one')} +3\none`)]),
    'a size with an exponent': () => Readable.from([Buffer.from(`${sha256('one')} 3e0\none`)]),
    'a size with a leading zero': () => Readable.from([Buffer.from(`${sha256('one')} 03\none`)]),
    'an error page': () => Readable.from([Buffer.from('<html>502 Bad Gateway</html>\n')]),
  };
  for (const [answer, give] of Object.entries(answers)) {
    const mac = createMac(t);
    let asked = 0;
    const fetcher = {
      ...serve(from),
      blobs: async () => {
        asked += 1;
        return give();
      },
    };
    const limits = { ...defaultSourceLimits, transferAttempts: 3, retryBaseMs: 0 };
    t.match(
      await failureOf(mac.checkOut(from, { fetcher, limits })),
      { step: 'source', reasonCode: 'source_unavailable', fault: 'platform' },
      answer,
    );
    t.equal(asked, 3, answer);
    await mac.checkOut(from);
    t.strictSame(look(mac.work), expected(from), `${answer}: the next build is fine`);
  }

  const mac = createMac(t);
  const gone = new BuildStepError('source', 'source_unavailable', 'platform', 'The upload has expired.');
  for (const part of ['manifest', 'blobs'] as const) {
    let asked = 0;
    const fail = async () => {
      asked += 1;
      throw gone;
    };
    await t.rejects(mac.checkOut(from, { fetcher: { ...serve(from), [part]: fail } }), gone);
    t.equal(asked, 1, 'a final answer is not asked for again');
  }
  const fails = { ...serve(from), manifest: () => Promise.reject(new Error('no')) };
  t.match(await failureOf(mac.checkOut(from, { fetcher: fails })), { reasonCode: 'source_unavailable' });
});

t.test('sources that are damaged on the service end the build without endless retries', async (t) => {
  const from = upload({ a: 'one', b: 'two' });
  const answers: [name: string, asked: number, answer: string][] = [
    ['another size', 3, `${sha256('one')} 4\none!`],
    ['another content', 3, `${sha256('one')} 3\nONE`],
    ['one nobody asked for', 3, `${sha256('ten')} 3\nten`],
    ['one by one, every second time', 3, `${sha256('one')} 3\none${sha256('two')} 4\ntwo!`],
    ['a lost content', 1, `${sha256('two')} gone\n`],
  ];
  for (const [name, times, answer] of answers) {
    const mac = createMac(t);
    let asked = 0;
    const fetcher = {
      ...serve(from),
      blobs: async () => {
        asked += 1;
        return Readable.from([Buffer.from(answer)]);
      },
    };
    const limits = { ...defaultSourceLimits, retryBaseMs: 0 };
    const error = await failureOf(mac.checkOut(from, { fetcher, limits }));
    t.match(error, { step: 'source', reasonCode: 'source_unavailable', message: /lost or damaged/ }, name);
    t.equal(asked, times, name);
    t.notOk(mac.said.join('').includes('connection') && times === 1, name);
  }
  let asked = 0;
  const manifest = async () => {
    asked += 1;
    return JSON.parse('<html>');
  };
  const page = await failureOf(createMac(t).checkOut(from, { fetcher: { ...serve(from), manifest } }));
  t.match(page, { reasonCode: 'source_unavailable' });
  t.equal(asked, 1);
});

t.test('a manifest that points out of the folder writes nothing', async (t) => {
  const mac = createMac(t);
  const file = (path: string) => upload({ [path]: 'x', fine: 'y' });
  const link = (path: string, target: string) => upload({ fine: 'y' }, { links: [{ path, target }] });
  const twice = upload({ a: 'x' });
  twice.manifest.files.push(...twice.manifest.files);
  const hollow = upload({ a: '' });
  hollow.manifest.files[0]!.size = 5;
  const manifests: Record<string, ReturnType<typeof upload>> = {
    absolute: file('/etc/moo'),
    'with two slashes': file('//etc/moo'),
    upward: file('../moo'),
    'upward inside': file('a/../../moo'),
    'upward at the end': file('a/..'),
    dot: file('.'),
    'leading dot': file('./a'),
    'dot inside': file('a/./b'),
    empty: file(''),
    'empty part': file('a//b'),
    'trailing slash': file('a/'),
    git: file('.git/hooks/post-checkout'),
    'git inside': file('a/.git'),
    'git in capitals': file('a/.GIT/config'),
    'git with an ignored character': file('.g\u200cit/config'),
    'git by its short name': file('GIT~1/config'),
    'git with dots behind it': file('a/.git. ./config'),
    NUL: file('a\0b'),
    overlong: file('a/'.repeat(600)),
    'overlong in bytes': file(`${'ä/'.repeat(350)}x`),
    'the same file twice': twice,
    'a size that cannot be': hollow,
    'file and folder': upload({ a: 'x', 'a/b': 'y' }),
    'link and file below it': upload({ 'a/b': 'y' }, { links: [{ path: 'a', target: 'b' }] }),
    'empty folder that is a file': upload({ a: 'x' }, { directories: ['a'] }),
    'folder upward': upload({ a: 'x' }, { directories: ['../b'] }),
    'absolute link': link('l', '/etc'),
    'link upward': link('l', '../x'),
    'link upward inside': link('a/l', '../../x'),
    'link with a detour': link('a/l', 'b/../../../x'),
    'link to nothing': link('l', ''),
  };
  await mac.checkOut(upload({ file: 'before' }));
  for (const [name, from] of Object.entries(manifests)) {
    t.match(
      await failureOf(mac.checkOut(from)),
      { reasonCode: 'source_unavailable', fault: 'platform' },
      name,
    );
    t.strictSame(look(mac.work), { file: 'before' }, name);
  }
  t.strictSame(readdirSync(mac.root).sort(), ['cache', 'mac']);
  await mac.checkOut(link('a/b/l', '../../fine'));
});

t.test('a full disk clears the cache, retries, and then fails as the host’s fault', async (t) => {
  const mac = createMac(t);
  const before = upload({ old: 'old content' });
  await mac.checkOut(before);
  const from = upload(project);
  for (const code of ['ENOSPC', 'EDQUOT']) {
    for (const goesAway of [true, false]) {
      let full = true;
      const restore = watchChanges((call, name) => {
        if (goesAway && mac.said.some((line) => line.startsWith('The disk is full'))) full = false;
        if (full && (name === 'writeFileSync' || name === 'writeSync') && call > 12) {
          throw Object.assign(new Error(code), { code, syscall: 'write' });
        }
      });
      try {
        if (goesAway) await mac.checkOut(from, { cleanTree: true });
        else
          t.match(await failureOf(mac.checkOut(from)), {
            reasonCode: 'host_disk_full',
            fault: 'platform',
            step: 'source',
          });
      } finally {
        restore();
      }
      t.match(mac.said.join('\n'), 'The disk is full');
      await mac.checkOut(from);
      t.strictSame(look(mac.work), expected(from), `${code}: the next build is fine`);
      await mac.checkOut(before, { cleanTree: true });
      mac.said.length = 0;
      rmSync(join(mac.root, 'cache'), { recursive: true });
    }
  }
});

t.test('stopping a build stops its transfer at once', async (t) => {
  const mac = createMac(t);
  const from = upload({ a: 'x', b: big });
  const stops: ((stop: AbortController) => Partial<Parameters<Mac['checkOut']>[1]>)[] = [
    (stop) => {
      stop.abort(new Error('cancelled'));
      return {};
    },
    (stop) => ({
      fetcher: {
        ...serve(from),
        manifest: () => {
          stop.abort(new Error('cancelled'));
          return Promise.reject(new Error('aborted'));
        },
      },
    }),
    (stop) => ({
      fetcher: {
        ...serve(from),
        blobs: async () => {
          stop.abort(new Error('cancelled'));
          return Readable.from(
            (async function* () {
              yield Buffer.from(`${sha256('x')} 1\n`);
              throw new Error('aborted');
            })(),
          );
        },
      },
    }),
    (stop) => ({
      limits: { ...defaultSourceLimits, retryBaseMs: 1e9, retryMaxMs: 1e9 },
      fetcher: {
        ...serve(from),
        blobs: async () => {
          setImmediate(() => stop.abort(new Error('cancelled')));
          throw new Error('refused, so the step waits');
        },
      },
    }),
  ];
  for (const arrange of stops) {
    const stop = new AbortController();
    await t.rejects(mac.checkOut(from, { ...arrange(stop), signal: stop.signal }), { message: 'cancelled' });
  }
  await mac.checkOut(from);
  t.strictSame(look(mac.work), expected(from));
});

t.test('lost or damaged state means an empty folder, never a wrong one', async (t) => {
  const from = upload(project);
  const damage: Record<string, (state: string) => void> = {
    'index lost': (state) => rmSync(join(state, 'work-index')),
    'index cut': (state) => truncateSync(join(state, 'work-index'), 100),
    'index emptied': (state) => truncateSync(join(state, 'work-index')),
    'index with a flipped bit': (state) => {
      const bytes = readFileSync(join(state, 'work-index'));
      bytes[bytes.length - 3]! ^= 1;
      writeFileSync(join(state, 'work-index'), bytes);
    },
    'all lost': (state) => rmSync(state, { recursive: true }),
    'kind damaged': (state) => writeFileSync(join(state, 'work'), 'upl'),
    'kind of another version': (state) => writeFileSync(join(state, 'work'), 'tape\n'),
  };
  for (const [name, act] of Object.entries(damage)) {
    const mac = createMac(t);
    await mac.checkOut(from);
    writeFileSync(join(mac.work, 'left'), 'by whom?');
    act(join(mac.root, 'mac/state/source'));
    await mac.checkOut(withTree((tree) => delete tree['Package.swift']));
    t.strictSame(look(mac.work), expected(withTree((tree) => delete tree['Package.swift'])), name);
  }
});
