// Folders sent to the service, as a client sends them: manifest, what is missing, status, or one archive.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { insertWorkspace } from '../../control-plane/access/store/workspaces.js';
import type { Uploads } from '../../control-plane/uploads/app/uploads.js';
import { type SourceManifest, sourceManifest } from '../../shared/protocol/index.js';
import { outcome } from '../harness/answer.js';
import { startHarness } from '../harness/harness.js';
import { sha256 } from '../harness/sha256.js';
import { type Folder, manifestOf, record, tarOf, uploader } from '../harness/upload-bodies.js';

const DAY = 24 * 3_600_000;

async function start(t: Test, limits: Parameters<typeof startHarness>[1] = {}) {
  const harness = await startHarness(t, limits);
  const client = uploader(harness);
  /** Sends a whole folder and returns the upload's id. */
  const upload = async (folder: Folder, key?: string): Promise<string> => {
    const { id, missing } = (await client.announce(manifestOf(folder), key ? { key } : {})).json();
    const contents = new Map(Object.values(folder).map((content) => [sha256(content), content]));
    const records = missing.map((hash: string) => record(contents.get(hash) ?? ''));
    if (records.length > 0) await client.sendBlobs(id, records, key ? { key } : {});
    return id;
  };
  const status = async (id: string, key = harness.keys.all) => harness.call('GET', `/uploads/${id}`, { key });
  return { ...harness, ...client, upload, status };
}

/** The sources as a host gets them. */
async function manifestIn(uploads: Uploads, uploadId: string, accountId: number): Promise<SourceManifest> {
  const { size, stream } = await uploads.openManifest(uploadId, accountId);
  const json = await buffer(stream);
  if (json.length !== size) throw new Error('the manifest has another size');
  const manifest = sourceManifest.parse(JSON.parse(json.toString()));
  const contents = await uploads.contentsOf(uploadId, accountId);
  if (!manifest.files.every((file) => contents.has(file.sha256))) throw new Error('a content is not named');
  return manifest;
}

/** Waits for events of sockets and files, for which injected requests do not wait. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

t.test('a folder goes up in three requests, and the next time only what has changed', async (t) => {
  const { announce, sendBlobs, status, uploads, org } = await start(t);
  const folder = { 'run.sh': 'echo hi\n', 'src/a.c': 'int a;', 'src/copy.c': 'int a;', empty: '' };
  const created = await announce(manifestOf(folder));
  t.equal(created.statusCode, 201);
  const { id, ...rest } = created.json();
  t.same(rest, {
    project: 'demo',
    files: 4,
    total_bytes: 20,
    missing: [sha256('echo hi\n'), sha256('int a;'), sha256('')],
    missing_next: null,
    missing_bytes: 14,
  });

  t.same((await sendBlobs(id, [record('int a;'), record('')])).json(), { stored: 2 });
  t.same((await status(id)).json(), {
    id,
    project: 'demo',
    files: 4,
    total_bytes: 20,
    missing: [sha256('echo hi\n')],
    missing_next: null,
    ready: false,
  });
  t.same((await sendBlobs(id, [record('echo hi\n'), record('int a;')])).json(), { stored: 1 }, 'a repeat is not new');
  t.match((await status(id)).json(), { missing: [], ready: true });

  const again = (await announce(manifestOf({ ...folder, 'src/a.c': 'int b;' }))).json();
  t.same([again.missing, again.missing_bytes], [[sha256('int b;')], 6]);
  const same = (await announce(manifestOf(folder))).json();
  t.same(same.missing, []);
  t.match((await status(same.id)).json(), { ready: true });

  const manifest = await manifestIn(uploads, id, org.id);
  t.same(
    manifest.files.map(({ path, mode }) => [path, mode]),
    [
      ['empty', 0o644],
      ['run.sh', 0o755],
      ['src/a.c', 0o644],
      ['src/copy.c', 0o644],
    ],
  );
  const { size, stream } = await uploads.openBlob(org.id, sha256('echo hi\n'));
  t.equal(size, 8);
  t.equal(await text(stream), 'echo hi\n');
  await t.rejects(uploads.openBlob(org.id, sha256('never sent')), { code: 'not_found' });
});

t.test('an upload becomes complete by what another one brings', async (t) => {
  const { announce, upload, status, uploads, org, store, clock } = await start(t);
  const { id } = (await announce(manifestOf({ a: 'shared' }))).json();
  const claim = () =>
    store.transaction((tx) =>
      uploads.claim(tx, { accountId: org.id, workspaceId: org.workspaceId, uploadId: id, now: clock.now() }),
    );
  await t.rejects(claim(), { code: 'upload_incomplete', detail: { upload_id: id } });
  await upload({ b: 'shared' });
  await uploads.settle({ accountId: org.id, uploadId: id });
  await t.resolves(claim());
  t.match((await status(id)).json(), { missing: [], ready: true });
  await t.resolves(uploads.settle({ accountId: org.id, uploadId: 'up_none' }));
});

t.test('a manifest that gives a stored content another size is invalid, whenever the content came', async (t) => {
  const { announce, sendBlobs, upload, status, uploads, org, store, clock, other } = await start(t);
  const manifest = (size: number) => {
    const made = manifestOf({ 'z.txt': 'something else', 'a.txt': 'shared' });
    return { ...made, files: made.files.map((file) => (file.path === 'a.txt' ? { ...file, size } : file)) };
  };
  const early = (await announce(manifest(7))).json();
  t.equal(early.missing.length, 2, 'nobody knows yet that it is wrong');
  const id = await upload({ b: 'shared', 'z.txt': 'something else' });
  for (let i = 0; i < 2; i++) {
    const late = await announce(manifest(7));
    t.equal(outcome(late), '400 invalid_manifest');
    t.match(late.json().error, {
      message: /files\[1\]\.size .* has 6 bytes, not 7/,
      fields: [{ path: 'files[1].size' }],
    });
    // The second time behind a complete upload of the project, whose contents are not looked for.
    t.match((await status((await announce(manifest(6))).json().id)).json(), { ready: true });
  }
  t.equal((await announce(manifest(7), { key: other.key })).statusCode, 201, 'another account learns nothing');

  await uploads.settle({ accountId: org.id, uploadId: early.id });
  t.match((await status(early.id)).json(), { ready: false, missing: [sha256('shared')] });
  t.equal(outcome(await sendBlobs(early.id, [record('shared')])), '400 invalid_blob');
  const claim = store.transaction((tx) =>
    uploads.claim(tx, {
      accountId: org.id,
      workspaceId: org.workspaceId,
      uploadId: early.id,
      now: clock.now(),
    }),
  );
  await t.rejects(claim, { code: 'upload_incomplete' });
  t.match((await status(id)).json(), { ready: true });
});

t.test('accounts learn and use nothing of each other', async (t) => {
  const { announce, sendBlobs, upload, status, other, org, store, uploads, clock, call } = await start(t);
  const id = await upload({ secret: 'theirs' });
  const theirs = (await announce(manifestOf({ secret: 'theirs' }), { key: other.key })).json();
  t.same(theirs.missing, [sha256('theirs')], 'the same content is missing for another account');

  const unknown = outcome(await status('up_0000000000000000'));
  t.equal(unknown, '404 upload_not_found');
  t.equal(outcome(await status(id, other.key)), unknown);
  t.equal(outcome(await sendBlobs(id, [record('theirs')], { key: other.key })), unknown);
  t.equal(outcome(await status('../../etc/passwd')), '404 not_found');
  await t.rejects(uploads.openManifest(id, other.id), { code: 'upload_not_found' });
  await t.rejects(uploads.contentsOf(id, other.id), { code: 'upload_not_found' });
  await t.rejects(uploads.openBlob(other.id, sha256('theirs')), { code: 'not_found' });
  const claim = (accountId: number, workspaceId: string) =>
    store.transaction((tx) => uploads.claim(tx, { accountId, workspaceId, uploadId: id, now: clock.now() }));
  await t.rejects(claim(other.id, other.workspaceId), { code: 'upload_not_found' });
  await t.rejects(claim(org.id, other.workspaceId), { code: 'upload_not_found' });

  const second = { workspaceId: 'ws_second', accountId: org.id, name: 'second', createdAt: clock.now() };
  await store.transaction((tx) => insertWorkspace(tx, second));
  await store.run(`UPDATE uploads SET workspace_id = 'ws_second' WHERE upload_id = '${id}'`);
  t.equal(outcome(await call('GET', `/uploads/${id}`)), unknown, 'nor does a key of another workspace');
});

t.test('a body that is no gzip, or of another type, is refused', async (t) => {
  const { send, announce, call } = await start(t);
  const { id } = (await announce(manifestOf({ a: 'x' }))).json();
  const good = gzipSync(JSON.stringify(manifestOf({ a: 'x' })));
  for (const path of ['/uploads', `/uploads/${id}/blobs`, '/uploads/tar']) {
    for (const type of ['application/json', 'text/plain', 'application/zip', 'multipart/form-data; boundary=x', '']) {
      t.equal(outcome(await send(path, good, { type })), '415 gzip_required', `${path} ${type}`);
    }
    t.equal(outcome(await call('POST', path)), '415 gzip_required', `${path} without a type`);
    for (const body of [Buffer.alloc(0), Buffer.from('no gzip'), good.subarray(0, 20), Buffer.concat([good, good])]) {
      const answer = await send(path, body);
      t.match(outcome(answer), /^400 invalid_(gzip|tar|blob)$/, `${path} ${body.length} bytes`);
      if (body.length < 20) t.equal(outcome(answer), '400 invalid_gzip');
    }
  }
  t.equal((await send('/uploads', good, { type: 'Application/GZIP; x=y' })).statusCode, 201);
  for (const type of ['application/x-gzip', 'application/x-tar', 'application/octet-stream']) {
    t.equal(outcome(await send('/uploads', good, { type })), '415 gzip_required');
    t.equal(outcome(await send('/uploads/tar', Buffer.from('plain tar'), { type })), '400 invalid_gzip');
  }
});

t.test('every fault of a manifest has its code, and names the field', async (t) => {
  const limits = { upload_files: 3, upload_file_bytes: 100, upload_bytes: 200, manifest_bytes: 4_000 };
  const { announce, send } = await start(t, { limits });
  const file = (path: unknown, rest = {}) => ({ path, sha256: sha256('x'), size: 1, ...rest });
  const files = (...list: unknown[]) => ({ project: 'demo', files: list });
  const cases: [string, unknown][] = [
    ['400 invalid_manifest', []],
    ['400 invalid_manifest', null],
    ['400 invalid_manifest', { project: 'demo' }],
    ['400 invalid_manifest', { ...files(file('a')), project: 'not a name' }],
    ['400 invalid_manifest', { files: [file('a')] }],
    ['400 invalid_manifest', files(file('../a'))],
    ['400 invalid_manifest', files(file('./a'))],
    ['400 invalid_manifest', files(file('/a'))],
    ['400 invalid_manifest', files(file('.git/config'))],
    ['400 invalid_manifest', files(file('cafe\u0301'))],
    ['400 invalid_manifest', files(file('A'), file('a'))],
    ['400 invalid_manifest', files(file('a'), file('a/b'))],
    ['400 invalid_manifest', files(file('a', { sha256: 'zz' }))],
    ['400 invalid_manifest', files(file('a', { size: -1 }))],
    ['400 invalid_manifest', files(file('a', { mode: 511 }))],
    ['400 invalid_manifest', files(file('a'), file('b', { size: 2 }))],
    ['400 empty_upload', files()],
    ['400 too_many_files', files(file('a'), file('b'), file('c'), file('d'))],
    ['400 upload_too_large', files(file('a', { size: 101 }))],
    ['400 upload_too_large', files(...['a', 'b', 'c'].map((n) => file(n, { size: 80 })))],
    ['413 manifest_too_large', { ...files(file('a')), pad: 'y'.repeat(5_000) }],
  ];
  for (const [expected, manifest] of cases) {
    const answer = await announce(manifest);
    t.equal(outcome(answer), expected, JSON.stringify(manifest)?.slice(0, 80));
    if (expected.endsWith('invalid_manifest')) t.type(answer.json().error.fields[0].path, 'string');
  }
  t.equal(outcome(await send('/uploads', gzipSync('{"project":'))), '400 invalid_manifest');
});

t.test('a bad content is reported, and the good ones of its request stay', async (t) => {
  const { announce, sendBlobs, status } = await start(t);
  const folder = { a: 'one', b: 'two', c: 'three', d: 'four' };
  const { id } = (await announce(manifestOf(folder))).json();
  const missing = async () => (await status(id)).json().missing;

  const answer = await sendBlobs(id, [
    record('one'),
    record('TWO', { hash: sha256('two') }),
    record('three!', { hash: sha256('three') }),
    record('four'),
  ]);
  t.equal(outcome(answer), '400 invalid_blob');
  t.same(answer.json().error.sha256, [sha256('two'), sha256('three')]);
  t.same(await missing(), [sha256('two'), sha256('three')]);

  const foreign = await sendBlobs(id, [record('two'), record('foreign'), record('three')]);
  t.equal(outcome(foreign), '409 blob_not_in_manifest');
  t.equal(foreign.json().error.sha256, sha256('foreign'));
  t.same(await missing(), [sha256('three')], 'what came before stays');

  for (const broken of ['x 1e3\n', `${sha256('three')} 5\nthr`, `${sha256('three')} +5\nthree`]) {
    t.equal(outcome(await sendBlobs(id, [Buffer.from(broken)])), '400 invalid_blob', broken);
  }
  t.same((await sendBlobs(id, [])).json(), { stored: 0 });
  t.same((await sendBlobs(id, [record('three'), record('three')])).json(), { stored: 1 });
  t.same(await missing(), []);
  t.same(
    (
      await sendBlobs(
        id,
        Object.values(folder).map((text) => record(text)),
      )
    ).json(),
    { stored: 0 },
    'idempotent',
  );
});

t.test('a connection that breaks leaves what had arrived, and the rest can follow', async (t) => {
  const { announce, sendBlobs, status, send } = await start(t);
  const { id } = (await announce(manifestOf({ a: 'one', b: 'x'.repeat(100_000) }))).json();
  const body = gzipSync(Buffer.concat([record('one'), record('x'.repeat(100_000))]), { level: 0 });
  t.equal(outcome(await send(`/uploads/${id}/blobs`, body.subarray(0, 60_000))), '400 invalid_gzip');
  t.same((await status(id)).json().missing, [sha256('x'.repeat(100_000))]);
  t.same((await sendBlobs(id, [record('x'.repeat(100_000))])).json(), { stored: 1 });
});

t.test('an archive goes up in one request and is ready at once', async (t) => {
  const { sendTar, status, uploads, org } = await start(t);
  const dir = t.testdir({ 'run.sh': 'echo\n', sub: { 'a.txt': 'aaa' }, hollow: {} });
  symlinkSync('a.txt', join(dir, 'sub', 'link'));
  for (const [type, query, project] of [
    ['application/gzip', '', 'upload'],
    ['application/x-gzip', '?project=my.app', 'my.app'],
    ['application/x-tar', '', 'upload'],
    ['application/octet-stream', '?project=x', 'x'],
  ] as const) {
    const answer = await sendTar(tarOf(dir, '.'), query, type);
    t.equal(answer.statusCode, 201);
    const { id, ...rest } = answer.json();
    t.same(rest, { upload_id: id, project, files: 2, total_bytes: 8, ready: true });
    t.match((await status(id)).json(), { id, missing: [], ready: true });
    t.match(await manifestIn(uploads, id, org.id), {
      files: [{ path: 'run.sh' }, { path: 'sub/a.txt', sha256: sha256('aaa'), size: 3, mode: 0o644 }],
      links: [{ path: 'sub/link', target: 'a.txt' }],
      directories: ['hollow'],
    });
  }
});

t.test('every fault of an archive has its code', async (t) => {
  const limits = { upload_files: 3, upload_file_bytes: 100, upload_bytes: 150 };
  const { sendTar, store } = await start(t, { limits });
  const dir = t.testdir({ a: 'a', many: { 1: '', 2: '', 3: '', 4: '' }, hollow: {}, large: 'x'.repeat(101) });
  const half = { x: 'x'.repeat(80), y: 'y'.repeat(80) };
  mkdirSync(join(dir, 'half'));
  for (const [name, content] of Object.entries(half)) writeFileSync(join(dir, 'half', name), content);
  symlinkSync('/etc/passwd', join(dir, 'absolute'));
  mkdirSync(join(dir, 'repo', '.git'), { recursive: true });
  writeFileSync(join(dir, 'repo', '.git', 'config'), '');
  const plain = gunzipSync(tarOf(dir, 'a'));
  const cases: [string, Buffer, string][] = [
    ['400 invalid_tar', tarOf(dir, 'absolute', 'a'), ''],
    ['400 invalid_tar', tarOf(dir, 'repo'), ''],
    ['400 invalid_tar', gzipSync(plain.subarray(0, 600)), ''],
    ['400 invalid_tar', gzipSync(Buffer.concat([plain, Buffer.from('more')])), ''],
    ['400 invalid_tar', gzipSync('not a tar, but long enough to be one. '.repeat(40)), ''],
    ['400 invalid_tar', tarOf(dir, 'a'), '?project=a/b'],
    ['400 invalid_tar', tarOf(dir, 'a'), '?project='],
    ['400 invalid_tar', tarOf(dir, 'a'), '?project=..'],
    ['400 invalid_tar', tarOf(dir, 'a'), '?project=a&project=b'],
    ['400 invalid_gzip', plain, ''],
    ['400 invalid_gzip', tarOf(dir, 'a').subarray(0, 60), ''],
    ['400 empty_upload', tarOf(dir, 'hollow'), ''],
    ['400 too_many_files', tarOf(dir, 'many'), ''],
    ['400 upload_too_large', tarOf(dir, 'large'), ''],
    ['400 upload_too_large', tarOf(dir, 'half'), ''],
  ];
  for (const [expected, body, query] of cases) t.equal(outcome(await sendTar(body, query)), expected);
  t.same(await store.all('SELECT upload_id FROM uploads'), [], 'nothing was accepted');
});

t.test('a bomb is refused before it has been unpacked', async (t) => {
  const limits = { gzip_ratio_from_bytes: 1_000_000, gzip_ratio: 100 };
  const { send, announce } = await start(t, { limits });
  const { id } = (await announce(manifestOf({ a: 'x' }))).json();
  const bomb = (head: string) =>
    gzipSync(Buffer.concat([Buffer.from(head), Buffer.alloc(20_000_000, ' ')]), { level: 6 });
  t.equal(outcome(await send('/uploads', bomb('{"project":"demo","files":['))), '413 manifest_too_large');
  t.equal(outcome(await send('/uploads', bomb(''))), '413 manifest_too_large');
  const sized = `${sha256('x')} 1\n`;
  t.equal(outcome(await send(`/uploads/${id}/blobs`, bomb(sized))), '400 invalid_blob');
  const dir = t.testdir({ zeros: Buffer.alloc(20_000_000) });
  t.equal(outcome(await send('/uploads/tar', tarOf(dir, 'zeros'))), '400 upload_too_large');
});

t.test('an upload lives for a day unused, and for seven days after the last build that used it', async (t) => {
  const { upload, status, clock, sendBlobs, uploads, store, org } = await start(t);
  const id = await upload({ a: 'x' });
  await clock.advance(DAY - 1000);
  t.equal((await status(id)).statusCode, 200);
  await sendBlobs(id, [record('x')]);
  await clock.advance(DAY - 1000);
  t.equal((await status(id)).statusCode, 200, 'sending to it is use');
  await clock.advance(2000);
  t.equal(outcome(await status(id)), '404 upload_not_found');
  t.equal(outcome(await sendBlobs(id, [record('x')])), '404 upload_not_found');

  const used = await upload({ a: 'x' });
  const now = clock.now();
  await store.transaction((tx) =>
    uploads.claim(tx, { accountId: org.id, workspaceId: org.workspaceId, uploadId: used, now }),
  );
  await clock.advance(7 * DAY - 1000);
  t.equal((await status(used)).statusCode, 200);
  await clock.advance(2000);
  t.equal(outcome(await status(used)), '404 upload_not_found');
});

t.test('a full or broken disk is 503 with a time to try again, and nothing is half done', async (t) => {
  const { announce, sendBlobs, sendTar, status, data, store } = await start(t);
  const { id } = (await announce(manifestOf({ a: 'x' }))).json();
  const dir = t.testdir({ a: 'y' });
  const breakStore = (name: string) => {
    rmSync(join(data, 'contents', name, 'staging'), { recursive: true });
    writeFileSync(join(data, 'contents', name, 'staging'), '');
  };
  const mend = (name: string) => {
    rmSync(join(data, 'contents', name, 'staging'));
    mkdirSync(join(data, 'contents', name, 'staging'));
  };
  breakStore('blobs');
  for (const answer of [await sendBlobs(id, [record('x')]), await sendTar(tarOf(dir, 'a'))]) {
    t.equal(outcome(answer), '503 uploads_unavailable');
    t.match(answer.json().error, { retryable: true, fault: 'platform', retry_after_s: 30 });
    t.equal(answer.headers['retry-after'], '30');
  }
  t.same((await status(id)).json().missing, [sha256('x')]);
  mend('blobs');
  breakStore('manifests');
  t.equal(outcome(await announce(manifestOf({ a: 'x' }))), '503 uploads_unavailable');
  mend('manifests');
  t.equal((await store.all('SELECT upload_id FROM uploads')).length, 1);
  t.equal((await sendBlobs(id, [record('x')])).statusCode, 200);
  t.match((await status(id)).json(), { ready: true });
});

t.test('more small files than one batch holds go up, and the next time one changed file', async (t) => {
  const { announce, sendBlobs, status } = await start(t);
  const folder: Record<string, string> = {};
  for (let i = 0; i < 1_500; i++) folder[`src/dir${i % 100}/file${i}.c`] = `int n${i};\n`;
  const first = (await announce(manifestOf(folder))).json();
  t.equal(first.missing.length, 1_500);
  t.same(
    (
      await sendBlobs(
        first.id,
        Object.values(folder).map((text) => record(text)),
      )
    ).json(),
    { stored: 1_500 },
  );
  t.match((await status(first.id)).json(), { ready: true });
  folder['src/dir0/file0.c'] = 'changed';
  const second = (await announce(manifestOf(folder))).json();
  t.same(second.missing, [sha256('changed')]);
  t.same((await sendBlobs(second.id, [record('changed')])).json(), { stored: 1 });
  t.match((await status(second.id)).json(), { ready: true });
});

t.test(
  'over a real connection: early answers arrive, silence ends the wait, a lost client affects no others',
  async (t) => {
    const { server, keys, announce, status, store, data } = await start(t, {
      limits: { upload_idle_ms: 300 },
    });
    await server.listen({ host: '127.0.0.1', port: 0 });
    const { port } = server.server.address() as AddressInfo;
    const { id } = (await announce(manifestOf({ a: 'one', b: 'two' }))).json();
    const open = (path: string) => {
      const headers = {
        authorization: `Bearer ${keys.all}`,
        'content-type': 'application/gzip',
        'service-error-format': '2',
      };
      const sent = httpRequest({ host: '127.0.0.1', port, path: `/api/v1${path}`, method: 'POST', headers });
      const answer = new Promise<string>((resolve, reject) => {
        sent.on('error', reject);
        sent.on('response', (response) =>
          text(response).then((body) => resolve(`${response.statusCode} ${JSON.parse(body).error?.code}`), reject),
        );
      });
      return { sent, answer };
    };

    const early = open('/uploads');
    early.sent.write(Buffer.from('this is no gzip at all'));
    t.equal(await early.answer, '400 invalid_gzip', 'answered while the client could still send');
    early.sent.destroy();

    const large = open('/uploads');
    large.sent.end(Buffer.alloc(30_000_000, 'x'));
    t.equal(await large.answer, '400 invalid_gzip', 'a client that sends everything first gets its answer too');

    const silent = open(`/uploads/${id}/blobs`);
    silent.sent.write(gzipSync(record('one'), { level: 0 }).subarray(0, 30));
    t.equal(await silent.answer, '400 invalid_gzip');
    silent.sent.destroy();

    const lost = open(`/uploads/${id}/blobs`);
    // Its connection is cut below, so that no answer comes.
    lost.answer.catch(() => {});
    const whole = gzipSync(Buffer.concat([record('one'), record('two')]), { level: 0 });
    await new Promise<void>((resolve) => lost.sent.write(whole.subarray(0, whole.length - 12), () => resolve()));
    const staging = join(data, 'contents', 'blobs', 'staging');
    while (readdirSync(staging).length === 0) await turn();
    lost.sent.destroy();
    for (let missing = 2; missing > 1; await turn()) missing = (await status(id)).json().missing.length;
    await server.close();
    t.same(await store.all("SELECT code FROM api_errors WHERE fault = 'platform'"), []);
  },
);

t.test('after a refused body the connection serves the next request', async (t) => {
  const h = await startHarness(t);
  const port = Number(new URL(await h.server.listen({ port: 0, host: '127.0.0.1' })).port);
  const { id } = (await uploader(h).announce(manifestOf({ a: 'x' }))).json();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  const send = async (method: string, path: string, body?: Buffer) => {
    const headers = { authorization: `Bearer ${h.keys.all}`, 'content-type': 'application/gzip' };
    const sent = httpRequest({ port, agent, method, path: `/api/v1${path}`, headers });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    return { status: response.statusCode, again: sent.reusedSocket };
  };
  const large = randomBytes(3_000_000);
  const unannounced = gzipSync(record(large));
  await send('GET', '/me');
  for (const [path, body, status] of [
    [`/uploads/${id}/blobs`, large, 400],
    [`/uploads/${id}/blobs`, unannounced, 409],
    ['/uploads/up_none/blobs', unannounced, 404],
    ['/uploads/tar', large, 400],
    ['/uploads', large, 400],
    ['/builds', large, 400],
  ] as const) {
    t.same(await send('POST', path, body), { status, again: true }, path);
    t.same(await send('GET', '/me'), { status: 200, again: true }, `after ${path}`);
  }
});
