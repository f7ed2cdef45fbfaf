import { mkdir, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { put } from '../../control-plane/blobs/content-store.js';
import { createFsContentStore } from '../../control-plane/blobs/fs-content-store.js';
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

t.test('a second start on the same folder finds everything', async (t) => {
  const root = newRoot(t.testdir());
  const { key } = await put(await createFsContentStore(root), '1', pieces(hello));
  t.same(await (await createFsContentStore(root)).stat('1', key), { size: hello.length });
});

t.test('what a killed process left in staging is removed, what is under way is not', async (t) => {
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

t.test('a path can be reached only through well-formed names', async (t) => {
  const store = await createFsContentStore(newRoot(t.testdir()));
  for (const scope of ['', '..', 'a/b', 'x'.repeat(65)]) t.throws(() => store.batch(scope), TypeError);
  await t.rejects(store.open('1', '../../etc/passwd'), TypeError);
  await t.rejects(store.delete('..', 'a'), TypeError);
});

t.test('a storage that cannot write says so, keeps nothing of the batch, and recovers', async (t) => {
  const root = newRoot(t.testdir());
  const store = await createFsContentStore(root);
  const unavailable = { code: 'uploads_unavailable', retryAfterS: 30 };

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

t.test('foreign files among the content are not listed', async (t) => {
  const root = newRoot(t.testdir());
  const store = await createFsContentStore(root);
  await mkdir(join(root, 'content', '1', 'aa'), { recursive: true });
  await writeFile(join(root, 'content', '1', 'aa', '.DS_Store'), '');
  const { key } = await put(store, '1', pieces(hello));
  const found: string[] = [];
  for await (const entry of store.list()) found.push(entry.key);
  t.same(found, [key]);
});
