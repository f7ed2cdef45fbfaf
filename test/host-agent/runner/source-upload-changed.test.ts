// What builds did to a work folder, and what the next checkout makes of it.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
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
import { dirname, join } from 'node:path';
import t from 'tap';
import { createMac, expected, failureOf, look, upload } from './source-fixtures.js';
import { project, withTree } from './source-project.js';

t.test('a source file that a build changed in any way is restored for the next build', async (t) => {
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
  const edited = withTree((tree) => {
    tree['Package.swift'] = 'let package = Package(3)\n';
  });
  for (const [deed, act] of Object.entries(deeds)) {
    for (const next of [first, other, edited]) {
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

t.test('a folder is emptied, with locked files, links and deep trees', async (t) => {
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
