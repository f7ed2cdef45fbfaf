// An uploaded folder in the work folder of a build: what is written, and what is left as it is.
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { sha256 } from '../../harness/sha256.js';
import { createMac, expected, failureOf, look, serve, stamps, upload } from './source-fixtures.js';
import { project, withTree } from './source-project.js';

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
    t.strictSame(checkout, { commit: null, about: null, changed: 11, removed: 0, bytes: first.source.total_bytes });
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
  t.strictSame(checkout, { commit: null, about: null, changed: 3, removed: 3, bytes: 18 });
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
    about: null,
    changed: 0,
    removed: 0,
    bytes: 0,
  });
  t.strictSame([same.manifests, same.asked], [0, []], 'an upload that is checked out already is not fetched again');

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
      async manifestSince(signal) {
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

t.test('only what changed since the last checkout is fetched', async (t) => {
  const mac = createMac(t);
  await mac.checkOut(upload(project));
  const edit = withTree((tree) => {
    tree['Sources/App/main.swift'] = 'print("HELLO")\n';
    tree['bin/build.sh'] = { content: '#!/bin/sh\nmake\n', mode: 0o644 };
  });
  const fetcher = serve(edit);
  t.match(await mac.checkOut(edit, { fetcher }), { changed: 2, removed: 0 });
  t.strictSame([fetcher.manifests, fetcher.changes], [0, [['Sources/App/main.swift', 'bin/build.sh']]]);
  t.strictSame(look(mac.work), expected(edit));
  const same = serve(edit);
  t.match(await mac.checkOut(edit, { fetcher: same }), { changed: 0, bytes: 0 });
  t.strictSame([same.manifests, same.changes], [0, []], 'the index has what is there now');

  const back = upload(project);
  const links = upload(project, { links: [{ path: 'latest', target: 'Sources/App' }] });
  for (const next of [back, links, back]) {
    await mac.checkOut(next);
    t.strictSame(look(mac.work), expected(next));
  }
});

t.test('changes that are of another manifest, or of a file that it has not, are not trusted', async (t) => {
  const mac = createMac(t);
  const first = upload(project);
  const next = withTree((tree) => (tree['Package.swift'] = 'let package = Package(2)\n'));
  const [file] = next.manifest.files;
  const wrong = {
    'of another manifest': { since: sha256('another'), files: next.manifest.files.slice(0, 2) },
    'of a new file': { since: first.source.manifest_sha256, files: [{ ...file!, path: 'new' }] },
    'outside the folder': { since: first.source.manifest_sha256, files: [{ ...file!, path: '../new' }] },
  };
  for (const [name, changes] of Object.entries(wrong)) {
    await mac.checkOut(first);
    const fetcher = { ...serve(next), manifestSince: async () => changes };
    const checkedOut = mac.checkOut(next, { fetcher });
    if (name === 'outside the folder') {
      t.match(await failureOf(checkedOut), { reasonCode: 'source_unavailable' }, name);
      continue;
    }
    await checkedOut;
    t.strictSame(look(mac.work), expected(next), `${name}: the whole manifest is fetched`);
  }
});
