import { mkdir, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import t from 'tap';
import { BlobError } from '../../control-plane/platform/blobs/blob-error.js';
import { openFolderObjects } from '../../control-plane/platform/blobs/folder-objects.js';
import { pieces } from './content-store-conformance.js';
import { objectStoreConformance } from './object-store-conformance.js';

const hello = Buffer.from('hello\n');
const away = { name: 'BlobError', kind: 'away' };

async function filesBelow(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map(({ name }) => name);
}

t.test('objects in a folder', async (t) => {
  const dir = t.testdir();
  let stores = 0;
  objectStoreConformance(t, async () => {
    const root = join(dir, `store-${++stores}`);
    return { objects: await openFolderObjects(root), everything: () => filesBelow(root) };
  });
});

t.test('two processes share one folder', async (t) => {
  const root = join(t.testdir(), 'shared');
  const [one, other] = await Promise.all([openFolderObjects(root), openFolderObjects(root)]);
  await one.put('a/b', hello);
  t.ok((await buffer(await other.open('a/b'))).equals(hello));
  await other.delete(['a/b']);
  t.equal(await one.stat('a/b'), null);
});

t.test('what a killed process left is deleted once it is old', async (t) => {
  const root = join(t.testdir(), 'store');
  const objects = await openFolderObjects(root);
  await writeFile(join(root, 'staging', 'leftover'), 'half');
  await writeFile(join(root, 'staging', 'young'), 'half');
  await utimes(join(root, 'staging', 'leftover'), 1_000, 1_000);
  t.equal(await objects.dropUnfinished(2_000_000), 1);
  t.same(await readdir(join(root, 'staging')), ['young']);
});

t.test('a folder whose disk is not mounted is away, and nothing in it counts as missing', async (t) => {
  const root = join(t.testdir(), 'store');
  const objects = await openFolderObjects(root);
  await objects.put('a', hello);
  await rename(root, `${root}-unmounted`);
  await mkdir(root);
  for (const asked of [
    (): Promise<unknown> => objects.check(),
    () => objects.put('b', hello),
    () => objects.open('a'),
    () => objects.stat('a'),
    () => objects.delete(['a']),
  ]) {
    await t.rejects(asked(), away);
  }
  t.same(await readdir(root), []);
  await rm(root, { recursive: true });
  await rename(`${root}-unmounted`, root);
  await objects.check();
  t.same(await objects.stat('a'), { size: 6 });
});

t.test('a full disk is reported before and while bytes arrive, and nothing stays', async (t) => {
  const root = join(t.testdir(), 'store');
  let left = 20 * 1024 * 1024;
  const room = {
    async check(bytes: number) {
      if (left < bytes) throw new BlobError('no_space', 'The disk is full.');
    },
  };
  const objects = await openFolderObjects(root, { room });
  const noSpace = { name: 'BlobError', kind: 'no_space' };
  await t.rejects(objects.put('a', pieces(hello), { size: 30 * 1024 * 1024 }), noSpace);
  async function* endless() {
    for (;;) {
      left -= 1024 * 1024;
      yield Buffer.alloc(1024 * 1024);
    }
  }
  await t.rejects(objects.put('a', endless()), noSpace);
  t.same(await filesBelow(root), []);
});
