// POST /builds with `changes`: files of the upload with other contents, in the same request.
import { buffer } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { outcome } from '../harness/answer.js';
import { startHarness } from '../harness/harness.js';
import { sha256 } from '../harness/sha256.js';
import { manifestOf, record, uploader } from '../harness/upload-bodies.js';

const FOLDER = { 'run.sh': 'echo hi\n', 'src/a.c': 'int a;', 'src/b.c': 'int a;', 'src/c.c': 'int c;' };
const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');

async function start(t: Test, limits: Parameters<typeof startHarness>[1] = {}) {
  const h = await startHarness(t, limits);
  const client = uploader(h);
  const { id: base } = (await client.announce(manifestOf(FOLDER))).json();
  const build = (changes: unknown, more: object = {}, options: Omit<Parameters<typeof h.call>[2], 'body'> = {}) =>
    h.call('POST', '/builds', {
      ...options,
      body: { script: 'make', upload_id: base, queue_until_rental: true, changes, ...more },
    });
  const filesOf = async (uploadId: string) => {
    const { stream } = await h.uploads.openManifest(uploadId, h.org.id);
    const { files } = JSON.parse((await buffer(stream)).toString()) as { files: Record<string, unknown>[] };
    return files;
  };
  return { ...h, ...client, base, build, filesOf };
}

t.test('the build has a new upload, which is what a whole upload would have been', async (t) => {
  const h = await start(t);
  t.equal(outcome(await h.build([])), '409 upload_incomplete', 'no change, and nothing uploaded yet');
  t.equal(outcome(await h.build([{ path: 'run.sh', content_base64: '' }])), '404 upload_not_found', 'not a base yet');
  await h.sendBlobs(
    h.base,
    [...new Set(Object.values(FOLDER))].map((content) => record(content)),
  );
  const without = await h.build([]);
  t.match([outcome(without), without.json().upload_id], ['201', h.base], 'without a change it is the upload itself');

  const binary = Buffer.from([0, 255, 10, 128]);
  const answer = await h.build([
    { path: 'src/c.c', content_base64: base64('int cc;') },
    { path: 'run.sh', content_base64: base64(binary), mode: 0o755 },
    { path: 'src/a.c', content_base64: '' },
  ]);
  t.equal(answer.statusCode, 201, answer.body);
  const { upload_id: id } = answer.json();
  t.not(id, h.base);
  t.match((await h.call('GET', `/uploads/${id}`)).json(), { ready: true, files: 4, missing: [] });
  t.match(await h.filesOf(id), [
    { path: 'run.sh', sha256: sha256(binary), mode: 0o755 },
    { path: 'src/a.c', size: 0, mode: 0o644 },
    { path: 'src/b.c', sha256: sha256('int a;') },
    { path: 'src/c.c', sha256: sha256('int cc;'), mode: 0o644 },
  ]);
  const { stream } = await h.uploads.openBlob(h.org.id, sha256(binary));
  t.ok((await buffer(stream)).equals(binary));

  const next = (await h.build([{ path: 'src/c.c', content_base64: base64('1') }], { upload_id: id })).json();
  const files = await h.filesOf(next.upload_id);
  t.match(files[0], { mode: 0o755 }, 'a file keeps its mode');
  const kept = await h.build([{ path: 'run.sh', content_base64: base64('2') }], { upload_id: id });
  t.match((await h.filesOf(kept.json().upload_id))[0], { sha256: sha256('2'), mode: 0o755 }, 'also a changed one');
});

t.test('repeated with its key it is the same build, and with other contents another request', async (t) => {
  const h = await start(t);
  await h.sendBlobs(
    h.base,
    [...new Set(Object.values(FOLDER))].map((content) => record(content)),
  );
  const headers = { 'idempotency-key': 'edit-1' };
  const changes = [{ path: 'run.sh', content_base64: base64('1') }];
  const first = await h.build(changes, {}, { headers });
  t.equal(first.statusCode, 201, first.body);
  t.equal((await h.build(changes, {}, { headers })).body, first.body);
  const other = await h.build([{ path: 'run.sh', content_base64: base64('2') }], {}, { headers });
  t.equal(other.json().error.code, 'idempotency_conflict');
});

t.test('what is refused', async (t) => {
  const h = await start(t, { limits: { upload_file_bytes: 1000, upload_bytes: 2000 } });
  await h.sendBlobs(
    h.base,
    [...new Set(Object.values(FOLDER))].map((content) => record(content)),
  );
  const one = { path: 'run.sh', content_base64: 'AA==' };
  const cases: [changes: unknown, outcome: string, path: string | null][] = [
    [[{ ...one, path: 'new' }], '400 invalid_build', 'changes.0.path'],
    [[one, { ...one, path: '../run.sh' }], '400 invalid_build', 'changes.1.path'],
    [[one, one], '400 invalid_build', 'changes.1.path'],
    [[{ ...one, content_base64: 'AA' }], '400 invalid_build', 'changes.0.content_base64'],
    [[{ ...one, content_base64: 'A A=' }], '400 invalid_build', 'changes.0.content_base64'],
    [[{ ...one, mode: 0o777 }], '400 invalid_build', 'changes.0.mode'],
    [[{ ...one, content: 'x' }], '400 invalid_build', 'changes.0.content'],
    [[{ path: 'run.sh' }], '400 invalid_build', 'changes.0.content_base64'],
    [Array.from({ length: 101 }, () => one), '400 invalid_build', 'changes'],
    [{}, '400 invalid_build', 'changes'],
    [[{ ...one, content_base64: base64('x'.repeat(1001)) }], '400 upload_too_large', null],
    [
      ['run.sh', 'src/a.c', 'src/b.c'].map((path) => ({ path, content_base64: base64('x'.repeat(900)) })),
      '400 upload_too_large',
      null,
    ],
  ];
  for (const [changes, expected, path] of cases) {
    const answer = await h.build(changes);
    t.equal(outcome(answer), expected, answer.body);
    if (path !== null) {
      const { fields } = answer.json().error;
      t.same(
        [path],
        fields.map((field: { path: string }) => field.path),
        answer.body,
      );
    }
  }
  t.match(outcome(await h.build([one], { upload_id: undefined, repo: 'a/b' })), '400 invalid_build');
  t.equal(outcome(await h.build([one], {}, { key: h.other.key })), '404 upload_not_found', 'of another account');
  t.equal(outcome(await h.build([one], {}, { key: h.keys.read })), '403 api_key_read_only');
});

t.test('the contents count towards the storage of the account', async (t) => {
  const h = await start(t, { limits: { account_contents_bytes: 4000 } });
  await h.sendBlobs(
    h.base,
    [...new Set(Object.values(FOLDER))].map((content) => record(content)),
  );
  const large = [{ path: 'run.sh', content_base64: base64('x'.repeat(5000)) }];
  t.equal(outcome(await h.build(large)), '409 storage_quota_exceeded');
});

t.test('they count as an upload while they are received', async (t) => {
  const h = await start(t);
  await h.sendBlobs(
    h.base,
    [...new Set(Object.values(FOLDER))].map((content) => record(content)),
  );
  const organization = await h.organizations.find(h.org.orgId);
  await h.organizations.setLimits(organization, { concurrent_uploads: 0 }, false);
  const refused = await h.build([{ path: 'run.sh', content_base64: 'AA==' }]);
  t.equal(outcome(refused), '429 rate_limited');
  t.equal(refused.json().error.limit, 'concurrent_uploads');
  t.equal(outcome(await h.build([])), '201');
});
