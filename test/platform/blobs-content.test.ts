import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import t from 'tap';
import { put } from '../../control-plane/platform/blobs/content-store.js';
import { createFsContentStore } from '../../control-plane/platform/blobs/fs-content-store.js';
import { contentStoreConformance, pieces } from './content-store-conformance.js';
import { createMemoryContentStore } from './memory-content-store.js';

const hello = Buffer.from('hello\n');
let roots = 0;
const newRoot = (dir: string) => join(dir, `store-${++roots}`);

t.test('content in files', async (t) => {
  const dir = t.testdir();
  contentStoreConformance(t, () => createFsContentStore(newRoot(dir)));
});

t.test('content in memory', async (t) => {
  contentStoreConformance(t, async () => createMemoryContentStore());
});

t.test('contents persist across restarts on the same folder', async (t) => {
  const root = newRoot(t.testdir());
  const { key } = await put(await createFsContentStore(root), '1', pieces(hello));
  t.same(await (await createFsContentStore(root)).stat('1', key), { size: hello.length });
});

t.test('staging files of a killed process are deleted, those of open batches are kept', async (t) => {
  const root = newRoot(t.testdir());
  const store = await createFsContentStore(root);
  await writeFile(join(root, 'staging', 'leftover'), 'half');
  await utimes(join(root, 'staging', 'leftover'), 1_000, 1_000);
  const batch = store.batch('1');
  const { key } = await batch.add(pieces(hello));
  t.equal(await store.cleanStaging(2_000_000), 1);
  await batch.commit();
  t.same(await store.stat('1', key), { size: hello.length });
  t.same(await readdir(join(root, 'staging')), []);
});

t.test('malformed scopes and keys are rejected', async (t) => {
  const store = await createFsContentStore(newRoot(t.testdir()));
  for (const scope of ['', '..', 'a/b', 'x'.repeat(65)]) t.throws(() => store.batch(scope), TypeError);
  await t.rejects(store.open('1', '../../etc/passwd'), TypeError);
  await t.rejects(store.delete('..', 'a'), TypeError);
});

t.test('a damaged pack is reported, and does not stop listing or deletion', async (t) => {
  const root = newRoot(t.testdir());
  const damaged: string[] = [];
  const store = await createFsContentStore(root, { onDamaged: (path) => damaged.push(path) });
  const batch = store.batch('1');
  const first = await batch.add(pieces(hello));
  await batch.add(pieces(Buffer.from('second\n')));
  await batch.commit();
  const [pack = ''] = await readdir(join(root, 'content', '1', 'packs'));
  const path = join(root, 'content', '1', 'packs', pack);
  const { key: whole } = await put(store, '2', pieces(hello));
  // The second line of the index.
  const file = await open(path, 'r+');
  await file.write('?', 86);
  await file.close();

  const listed: string[] = [];
  for await (const { key } of store.list()) listed.push(key);
  t.same(listed, [whole]);
  t.same(damaged, [path]);
  t.ok(await store.delete('1', first.key));
  t.equal(await store.stat('1', first.key), null);
  const strict = await createFsContentStore(root);
  await t.rejects(async () => {
    for await (const _ of strict.list());
  }, /broken index/);
});

t.test('a failing file system is reported, stores nothing of the batch, and recovers', async (t) => {
  const root = newRoot(t.testdir());
  const store = await createFsContentStore(root);
  const unavailable = { name: 'BlobError', kind: 'failed', cause: { syscall: String } };

  await rename(join(root, 'staging'), join(root, 'away'));
  await writeFile(join(root, 'staging'), 'not a folder');
  await t.rejects(put(store, '1', pieces(hello)), unavailable, 'no place to stage');
  await rm(join(root, 'staging'));
  await rename(join(root, 'away'), join(root, 'staging'));

  await writeFile(join(root, 'content', '1'), 'not a folder');
  await t.rejects(put(store, '1', pieces(hello)), unavailable, 'no place for content');
  t.same(await readdir(join(root, 'staging')), []);
  await rm(join(root, 'content', '1'));

  const { key } = await put(store, '1', pieces(hello));
  t.same(await store.stat('1', key), { size: hello.length });
});

t.test('unknown files in the content folder are not listed', async (t) => {
  const root = newRoot(t.testdir());
  const store = await createFsContentStore(root);
  await mkdir(join(root, 'content', '1', 'aa'), { recursive: true });
  await writeFile(join(root, 'content', '1', 'aa', '.DS_Store'), '');
  await mkdir(join(root, 'content', '1', 'packs'));
  await writeFile(join(root, 'content', '1', 'packs', '.DS_Store'), '');
  const { key } = await put(store, '1', pieces(hello));
  const found: string[] = [];
  for await (const entry of store.list()) found.push(entry.key);
  t.same(found, [key]);
});

t.test('the small contents of a batch are one file, which shrinks as they go and goes with the last', async (t) => {
  const root = newRoot(t.testdir());
  const store = await createFsContentStore(root);
  const batch = store.batch('1');
  const contents = Array.from({ length: 100 }, () => randomBytes(10_000));
  const keys: string[] = [];
  for (const bytes of contents) keys.push((await batch.add(pieces(bytes))).key);
  t.same(await readdir(join(root, 'staging')), [], 'nothing is written before the commit');
  await batch.commit();
  const folder = join(root, 'content', '1', 'packs');
  const [name = ''] = await readdir(folder);
  t.same(await readdir(folder), [name]);
  await utimes(join(folder, name), 1_000, 1_000);

  const reader = await open(join(folder, name));
  const sizes: number[] = [];
  for (const key of keys.slice(0, 95)) {
    await store.delete('1', key);
    const { size, mtimeMs } = await stat(join(folder, name));
    t.equal(mtimeMs, 1_000_000, 'it is as old as its contents');
    sizes.push(size);
  }
  t.ok((sizes[60] ?? 0) < 520_000, 'half of it has gone, and so has half of the file');
  t.ok((sizes.at(-1) ?? 0) < 150_000);
  t.same(await readdir(join(root, 'staging')), []);
  t.equal((await reader.stat()).size > 1_000_000, true, 'who reads the old file goes on reading it');
  await reader.close();

  const second = await createFsContentStore(root);
  for (const [i, key] of keys.slice(95).entries()) {
    t.ok((await buffer(await second.open('1', key))).equals(contents[95 + i] ?? hello));
    await second.delete('1', key);
  }
  t.same(await readdir(folder), []);
});

t.test('reading a damaged pack fails instead of returning wrong bytes', async (t) => {
  const root = newRoot(t.testdir());
  const store = await createFsContentStore(root);
  const { key } = await put(store, '1', pieces(hello));
  const folder = join(root, 'content', '1', 'packs');
  const [name = ''] = await readdir(folder);
  const { size } = await stat(join(folder, name));
  const file = await open(join(folder, name), 'r+');
  await file.truncate(size - 1);
  await t.rejects(store.open('1', key), { message: /shorter than its index/ });
  await file.truncate(40);
  await t.rejects(store.list()[Symbol.asyncIterator]().next(), { message: /index does not end/ });
  await file.write('?'.repeat(90), 0);
  await t.rejects(store.list()[Symbol.asyncIterator]().next(), { message: /broken index/ });
  await file.close();
});

t.test('a content is deleted even if its pack cannot be compacted, which is reported', async (t) => {
  const root = newRoot(t.testdir());
  const failures: unknown[] = [];
  const onCompactionFailed = (_path: string, error: unknown) => failures.push(error);
  const store = await createFsContentStore(root, { onCompactionFailed });
  const batch = store.batch('1');
  const keys: string[] = [];
  for (let i = 0; i < 20; i++) keys.push((await batch.add(pieces(randomBytes(20_000)))).key);
  await batch.commit();
  await rm(join(root, 'staging'), { recursive: true });
  for (const key of keys.slice(0, 19)) t.equal(await store.delete('1', key), true);
  const left: string[] = [];
  for await (const { key } of store.list()) left.push(key);
  t.same(left, keys.slice(19));
  t.match(failures.at(-1), { code: 'ENOENT' }, 'its folder for new files is missing');
});
