// What a browser loads of the console, counted from the manifest of the build.
import { readFileSync } from 'node:fs';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import t from 'tap';
import { startHarness } from '../harness/harness.js';

const app = new URL('../../control-plane/console/app/', import.meta.url);

interface Chunk {
  readonly file: string;
  readonly src?: string;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
  readonly css?: readonly string[];
}

const read = (file: string) => readFileSync(new URL(file, app));
const manifest = JSON.parse(read('.vite/manifest.json').toString('utf8')) as Record<string, Chunk>;

/** Returns the chunks that are loaded with one, itself included. */
function loadedWith(key: string, found = new Map<string, Chunk>()): Map<string, Chunk> {
  const chunk = manifest[key];
  if (!chunk) throw new Error(`the manifest has no ${key}`);
  if (found.has(key)) return found;
  found.set(key, chunk);
  for (const each of chunk.imports ?? []) loadedWith(each, found);
  return found;
}

const KIB = 1_024;

t.test('the first load is below 200 KB', async (t) => {
  const chunks = [...loadedWith('index.html').values()];
  const files = new Set(chunks.flatMap(({ file, css = [] }) => [file, ...css]));
  const bytes = [...files, 'index.html'].reduce((sum, file) => sum + brotliCompressSync(read(file)).length, 0);
  t.ok(bytes > 50 * KIB, 'something was counted');
  t.ok(bytes < 200_000, `${(bytes / KIB).toFixed(1)} KiB of ${files.size} files`);
  t.comment(`first load: ${(bytes / KIB).toFixed(1)} KiB`);
});

t.test('team pages load nothing of the pages of operators', async (t) => {
  const pages = Object.keys(manifest).filter((key) => /^pages\/(?!operator\/).*page\.tsx$/.test(key));
  t.ok(pages.length >= 4, `${pages.length} pages`);
  for (const page of [...pages, 'index.html']) {
    const foreign = [...loadedWith(page).keys()].filter((key) => /^(pages\/operator|shell\/operator)/.test(key));
    t.same(foreign, [], page);
  }
});

t.test('files are sent as they were compressed when the console was built', async (t) => {
  const h = await startHarness(t);
  const file = manifest['index.html']?.file ?? '';
  const get = (accepted: string) =>
    h.server.inject({ url: `/console/${file}`, headers: { 'accept-encoding': accepted } });
  const plain = await get('identity');
  t.equal(plain.body, read(file).toString('utf8'));
  t.equal(plain.headers['content-encoding'], undefined);
  for (const [accepted, coding, decode] of [
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
  ] as const) {
    const packed = await get(accepted);
    t.match(packed.headers, { 'content-encoding': coding, vary: 'accept-encoding' });
    t.ok(packed.rawPayload.length < plain.rawPayload.length / 2, `${coding}: ${packed.rawPayload.length} bytes`);
    t.equal(decode(packed.rawPayload).toString('utf8'), plain.body);
  }
});
