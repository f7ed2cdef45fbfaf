// The second upload of a folder names only the files that differ from the first.
import {
  appendFileSync,
  chmodSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import type { UploadManifest } from '../../client/index.js';
import { MOST_CHANGES } from '../../shared/manifest-base.js';
import { sha256 } from '../harness/sha256.js';
import { runCli } from './run-cli.js';
import { setUp } from './scripted-place.js';

const FOLDER = { 'a.txt': 'hello', 'b/c.txt': 'world', 'b/run.sh': 'make\n' };

async function start(t: Test, files: Record<string, string> = FOLDER) {
  const { service, place } = await setUp(t, files);
  const at = (name: string) => join(place.project, name);
  /** Uploads the folder; returns the manifests that were sent, and what the service has in the end. */
  const upload = async (...more: string[]) => {
    // Files that were just written are read again the next time.
    await new Promise((resolve) => setTimeout(resolve, 40));
    service.requests.length = 0;
    const { code, stdout, stderr } = await runCli(place, ['upload', ...more]);
    t.equal(code, 0, stderr);
    const sent = service
      .seen('POST /uploads')
      .map(({ body }): UploadManifest => JSON.parse(gunzipSync(body).toString()))
      .map(({ base, files }) => ({ base: base ?? null, paths: files.map(({ path }) => path).sort() }));
    const had = service.uploads.get(stdout.trim())?.files ?? [];
    return { id: stdout.trim(), sent, has: Object.fromEntries(had.map((file) => [file.path, file])) };
  };
  const all = (folder: Record<string, string> = files) => Object.keys(folder).sort();
  return { service, place, at, upload, all };
}

t.test('an edit is sent alone', async (t) => {
  const { at, upload, all } = await start(t);
  const first = await upload();
  t.same(first.sent, [{ base: null, paths: all() }]);
  const same = await upload();
  t.same(same.sent, [{ base: first.id, paths: [] }]);
  appendFileSync(at('b/c.txt'), '!');
  const edited = await upload();
  t.same(edited.sent, [{ base: first.id, paths: ['b/c.txt'] }], 'an upload without a change leaves the base');
  t.same(Object.keys(edited.has).sort(), all());
  t.equal(edited.has['b/c.txt']?.sha256, sha256('world!'));
  chmodSync(at('b/run.sh'), 0o755);
  const executable = await upload();
  t.same(executable.sent, [{ base: edited.id, paths: ['b/run.sh'] }]);
  t.equal(executable.has['b/run.sh']?.mode, 493);
  t.same((await upload()).sent, [{ base: executable.id, paths: [] }]);
});

t.test('when files come or go, the whole manifest is sent', async (t) => {
  const { at, upload, all } = await start(t);
  await upload();
  writeFileSync(at('new'), 'n');
  const more = await upload();
  t.same(more.sent, [{ base: null, paths: all({ ...FOLDER, new: '' }) }]);
  unlinkSync(at('a.txt'));
  t.same((await upload()).sent, [{ base: null, paths: ['b/c.txt', 'b/run.sh', 'new'] }]);
  unlinkSync(at('new'));
  writeFileSync(at('a.txt'), 'hello');
  t.same((await upload()).sent, [{ base: null, paths: all() }], 'one for another');
  writeFileSync(at('.cidermillignore'), 'a.txt\n');
  t.same((await upload()).sent, [{ base: null, paths: ['.cidermillignore', 'b/c.txt', 'b/run.sh'] }]);
});

t.test('so it is when very many have changed', async (t) => {
  const many = Object.fromEntries(Array.from({ length: MOST_CHANGES + 1 }, (_, n) => [`f${n}`, `${n}`]));
  const { at, upload, all } = await start(t, many);
  const first = await upload();
  for (const name of all().slice(1)) appendFileSync(at(name), '!');
  const most = await upload();
  t.same(most.sent, [{ base: first.id, paths: all().slice(1) }]);
  for (const name of all()) appendFileSync(at(name), '!');
  t.same((await upload()).sent, [{ base: null, paths: all() }]);
});

t.test('copies of links change with their files', async (t) => {
  const { at, upload } = await start(t);
  symlinkSync('a.txt', at('link'));
  symlinkSync('b', at('linked'));
  const first = await upload();
  const paths = ['a.txt', 'b/c.txt', 'b/run.sh', 'link', 'linked/c.txt', 'linked/run.sh'];
  t.same(first.sent, [{ base: null, paths }]);
  appendFileSync(at('b/c.txt'), '!');
  const edited = await upload();
  t.same(edited.sent, [{ base: first.id, paths: ['b/c.txt', 'linked/c.txt'] }]);
  t.equal(edited.has['linked/c.txt']?.sha256, sha256('world!'));
  rmSync(at('link'));
  symlinkSync('b/c.txt', at('link'));
  const other = await upload();
  t.same(other.sent, [{ base: null, paths }], 'a link to another file');
  t.equal(other.has.link?.sha256, sha256('world!'));
});

t.test('a service that cannot use the base gets the whole manifest', async (t) => {
  const { service, at, upload, all } = await start(t);
  await upload();
  const whole = { base: null, paths: all() };
  for (const [status, code] of [
    [404, 'upload_not_found'],
    // A service from before there were bases.
    [400, 'invalid_manifest'],
  ] as const) {
    appendFileSync(at('a.txt'), '!');
    service.instead('POST /uploads', { status, error: { code, retryable: false } });
    const { id, sent, has } = await upload();
    t.match(sent, [{ paths: ['a.txt'] }, whole], code);
    t.equal(has['a.txt']?.sha256, sha256(readFileSync(at('a.txt'))), code);
    t.same((await upload()).sent, [{ base: id, paths: [] }], 'the new one is the base');
  }
  await t.test('also one whose upload is not what is expected', async (t) => {
    const { id } = await upload();
    const [base] = [...service.uploads].filter(([known]) => known !== id).at(-1) ?? [];
    for (const upload of service.uploads.values()) upload.files.pop();
    appendFileSync(at('a.txt'), '?');
    const { sent, has } = await upload();
    t.match(sent, [{ paths: ['a.txt'] }, whole]);
    t.same(Object.keys(has).sort(), all());
    t.ok(base);
  });
});

t.test('a base is of one folder, project and service', async (t) => {
  const { service, place, upload, all } = await start(t);
  const first = await upload();
  const whole = { base: null, paths: all() };
  const other = await upload('--project', 'other');
  t.same(other.sent, [whole]);
  t.same((await upload('--project', 'other')).sent, [{ base: other.id, paths: [] }]);
  t.same((await upload()).sent, [whole], 'the last upload is the base');
  t.not(first.id, other.id);

  const indexes = join(place.env.XDG_CACHE_HOME ?? join(place.env.HOME!, '.cache'), 'cidermill/index');
  const [name = ''] = readdirSync(indexes);
  const good = readFileSync(join(indexes, name));
  writeFileSync(join(indexes, name), good.subarray(0, good.length - 1));
  t.same((await upload()).sent, [whole], 'a damaged index');
  service.uploads.clear();
  t.same((await upload()).sent.at(-1), whole, 'another service at the same address');

  const again = await upload();
  t.same(again.sent, [{ base: 'up_1', paths: [] }]);
  const address = place.env.CIDERMILL_URL!;
  place.env.CIDERMILL_URL = address.replace('127.0.0.1', 'localhost');
  t.same((await upload()).sent, [whole], 'another address');
});
