// What a browser loads of the console, counted from the manifest of the build.
import { readFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import t from 'tap';
import { startHarness } from '../harness/harness.js';

const app = new URL('../../control-plane/console/app/', import.meta.url);

interface Chunk {
  readonly file: string;
  readonly src?: string;
  readonly name?: string;
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

interface Files {
  readonly scripts: readonly string[];
}
/** What each page loads beyond the first load. */
const { pages, layouts } = JSON.parse(read('pages.json').toString('utf8')) as {
  readonly pages: Readonly<Record<string, Files>>;
  readonly layouts: Readonly<Record<string, Files>>;
};

const entry = Object.keys(manifest).find((key) => manifest[key]?.name === 'index') ?? '';
const first = [...loadedWith(entry).values()].map(({ file }) => file);

/** Bytes of the scripts of a page, as they are sent. */
function bytesOf(files: readonly string[], coding: 'br' | 'gz'): number {
  const names = new Set([...first, ...files]);
  const sizeOf = (file: string) => {
    const plain = read(file).length;
    return plain < 1_024 ? plain : read(`${file}.${coding}`).length;
  };
  return [...names].reduce((sum, file) => sum + sizeOf(file), 0);
}

t.test('the scripts of the page to sign in are below 90 KB', async (t) => {
  const { scripts } = pages['/sign-in'] ?? { scripts: [] };
  for (const coding of ['br', 'gz'] as const) {
    const bytes = bytesOf(scripts, coding);
    t.ok(bytes > 30_000, 'something was counted');
    t.ok(bytes <= 90_000, `${coding}: ${bytes} bytes`);
  }
});

t.test('a page is few files, and they are not too large', async (t) => {
  for (const [address, { scripts }] of Object.entries(pages)) {
    const layout = address.startsWith('/operator') ? layouts.operator : layouts.organization;
    const all = [...scripts, ...(layout?.scripts ?? [])];
    t.ok(new Set(all).size <= 6, `${address}: ${all.join(' ')}`);
    t.ok(bytesOf(all, 'br') <= 200_000, `${address}: ${bytesOf(all, 'br')} bytes`);
  }
  t.ok(Object.keys(pages).length > 40, 'every page was counted');
});

t.test('team pages load nothing of the pages of operators', async (t) => {
  const team = Object.keys(manifest).filter((key) => /^pages\/(?!operator\/).*page\.tsx$/.test(key));
  t.ok(team.length >= 4, `${team.length} pages`);
  for (const page of [...team, entry]) {
    const foreign = [...loadedWith(page).keys()].filter((key) =>
      /^(pages\/operator|shell\/operator|_operators-)/.test(key),
    );
    t.same(foreign, [], page);
  }
});

t.test('files are sent as they were compressed when the console was built', async (t) => {
  const h = await startHarness(t);
  const file = manifest[entry]?.file ?? '';
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
