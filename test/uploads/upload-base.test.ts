// POST /uploads with a base: the manifest names only the files that differ from an earlier upload.
import { buffer } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { insertWorkspace } from '../../control-plane/access/store/workspaces.js';
import { MOST_CHANGES } from '../../shared/manifest-base.js';
import { outcome } from '../harness/answer.js';
import { startHarness } from '../harness/harness.js';
import { sha256 } from '../harness/sha256.js';
import { type Folder, manifestOf, record, uploader } from '../harness/upload-bodies.js';

const DAY = 24 * 3_600_000;

async function start(t: Test, limits: Parameters<typeof startHarness>[1] = {}) {
  const harness = await startHarness(t, limits);
  const client = uploader(harness);
  const on = (base: unknown, folder: Folder, key?: string, project = 'demo') =>
    client.announce({ ...manifestOf(folder, project), base }, key ? { key } : {});
  const upload = async (folder: Folder, key?: string, project = 'demo'): Promise<string> => {
    const { id, missing } = (await client.announce(manifestOf(folder, project), key ? { key } : {})).json();
    const contents = new Map(Object.values(folder).map((content) => [sha256(content), content]));
    const records = missing.map((hash: string) => record(contents.get(hash) ?? ''));
    if (records.length > 0) await client.sendBlobs(id, records, key ? { key } : {});
    return id;
  };
  const stored = async (id: string, since?: string) => {
    const { size, stream } = await harness.uploads.openManifest(id, harness.org.id, since);
    const bytes = await buffer(stream);
    if (size !== bytes.length) throw new Error('the manifest has another size');
    return bytes.toString();
  };
  return { ...harness, ...client, on, upload, stored };
}

t.test('an upload is what the whole manifest would have made', async (t) => {
  const { on, upload, stored, sendBlobs, call, uploads, org } = await start(t);
  const folder = { 'run.sh': 'echo hi\n', 'src/a.c': 'int a;', 'src/b.c': 'int a;', 'src/c.c': 'int c;' };
  const base = await upload(folder);
  const edit = { 'src/c.c': 'int cc;', 'src/a.c': 'int aa;' };
  const answer = await on(base, edit);
  t.equal(answer.statusCode, 201, answer.body);
  const { id, ...rest } = answer.json();
  t.same(rest, {
    project: 'demo',
    files: 4,
    total_bytes: 28,
    missing: [sha256('int cc;'), sha256('int aa;')],
    missing_next: null,
    missing_bytes: 14,
  });
  t.equal(
    outcome(await sendBlobs(id, [record('int c;')])),
    '409 blob_not_in_manifest',
    'what it had before is not of it',
  );
  t.same((await sendBlobs(id, [record('int aa;'), record('int cc;')])).json(), { stored: 2 });
  t.match((await call('GET', `/uploads/${id}`)).json(), { ready: true, files: 4, missing: [] });

  const whole = await upload({ ...folder, ...edit });
  t.equal(await stored(id), await stored(whole));
  t.equal(await uploads.identity(org.id, id), await uploads.identity(org.id, whole));
  const named = await uploads.contentsOf(id, org.id);
  t.same([named.has(sha256('int a;')), named.has(sha256('int c;'))], [true, false]);

  const since = async (uploadId: string, of: string) => {
    const manifestSha256 = (await uploads.identity(org.id, of))?.split(':')[1];
    return JSON.parse(await stored(uploadId, manifestSha256));
  };
  const changes = await since(id, base);
  t.same(
    Object.fromEntries(changes.files.map((file: Record<string, unknown>) => [file.path, file.sha256])),
    Object.fromEntries(Object.entries(edit).map(([path, content]) => [path, sha256(content)])),
    'a host that has the base gets the changes',
  );
  t.same(await since(id, whole), JSON.parse(await stored(id)), 'any other the whole manifest');

  const next = (await on(id, { 'run.sh': 'echo hi\n' })).json();
  t.match(next, { files: 4, missing: [] }, 'it can be a base in turn');
  t.equal(await stored(next.id), await stored(id));
  const same = await on(id, {});
  t.equal(same.statusCode, 201, 'nothing differs');
  t.equal(await stored(same.json().id), await stored(id));
  t.match((await call('GET', `/uploads/${same.json().id}`)).json(), { ready: true });
});

t.test('a base must be a complete upload of the same project and workspace that still lives', async (t) => {
  const { on, upload, announce, keys, other, org, store, clock } = await start(t);
  const folder = { a: 'one', b: 'two' };
  const base = await upload(folder);
  t.equal(outcome(await on('up_none', { a: 'x' })), '404 upload_not_found');
  t.equal(outcome(await on('', { a: 'x' })), '404 upload_not_found');
  t.equal(outcome(await on(base, { a: 'x' }, other.key)), '404 upload_not_found', 'of another account');
  t.equal(outcome(await on(base, { a: 'x' }, keys.all, 'else')), '400 invalid_manifest');
  const open = (await announce(manifestOf({ a: 'one', b: 'not sent' }))).json().id;
  t.equal(outcome(await on(open, { a: 'one' })), '404 upload_not_found');
  for (const bad of [7, null, ['up_1']]) {
    const answer = await on(bad, { a: 'x' });
    t.equal(outcome(answer), '400 invalid_manifest', JSON.stringify(bad));
  }
  const second = {
    workspaceId: 'ws_second',
    accountId: org.id,
    name: 'second',
    createdAt: clock.now(),
    removedAt: null,
  };
  const elsewhere = await upload(folder);
  await store.transaction((tx) => insertWorkspace(tx, second));
  await store.run(`UPDATE uploads SET workspace_id = 'ws_second' WHERE upload_id = '${elsewhere}'`);
  t.equal(outcome(await on(elsewhere, { a: 'x' })), '404 upload_not_found', 'of another workspace');
  await clock.advance(8 * DAY);
  t.equal(outcome(await on(base, { a: 'x' })), '404 upload_not_found', 'expired');
});

t.test('the files must be of the base, few, and not too large', async (t) => {
  const { on, upload, announce } = await start(t, { limits: { upload_bytes: 10_000, upload_file_bytes: 9_000 } });
  const many = Object.fromEntries(Array.from({ length: MOST_CHANGES + 1 }, (_, n) => [`f${n}`, `${n}`]));
  const base = await upload(many);
  const { f0, ...few } = many;
  t.equal((await on(base, few)).statusCode, 201, 'as many as may be');
  t.equal(outcome(await on(base, many)), '400 invalid_manifest');
  const unknown = await on(base, { f0: 'x', new: 'y' });
  t.equal(outcome(unknown), '400 invalid_manifest');
  t.match(unknown.json().error.message, /files\[1\]\.path .*"new" is not in the base/);
  for (const path of ['../f0', '/f0', 'F0', './f0'])
    t.equal(outcome(await on(base, { [path]: 'x' })), '400 invalid_manifest', path);
  t.equal(outcome(await on(base, { f0: Buffer.alloc(9_001) })), '400 upload_too_large');
  t.equal(outcome(await on(base, { f0: Buffer.alloc(8_000), f1: Buffer.alloc(2_001) })), '400 upload_too_large');
  t.equal(outcome(await announce({ project: 'demo', files: [] })), '400 empty_upload');
  const resized = manifestOf({ f0: '1' });
  resized.files[0]!.size = 2;
  t.equal(outcome(await announce({ ...resized, base })), '400 invalid_manifest', 'two sizes of one content');
});

t.test('contents that were lost since are missing again', async (t) => {
  const { on, upload, store } = await start(t);
  const base = await upload({ a: 'one', b: 'two' });
  await store.transaction(async (tx) => {
    await tx.run('DELETE FROM blobs WHERE sha256 = :sha256', { sha256: sha256('two') });
    await tx.run('UPDATE uploads SET ready = 0', {});
  });
  t.equal(outcome(await on(base, { a: 'x' })), '404 upload_not_found');
  const again = (await on(await upload({ a: 'one', b: 'two' }), { a: 'x' })).json();
  t.same(again.missing, [sha256('x')]);
});
