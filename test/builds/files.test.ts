// What a workspace keeps: uploads and artifacts in one list, their addresses, their end.
// Runs in: soak
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import t, { type Test } from 'tap';
import { outcome } from '../harness/answer.js';
import { startBuildHost } from '../harness/build-host.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { iso } from '../harness/renting.js';
import { sha256 } from '../harness/sha256.js';
import { type Folder, manifestOf, record, uploader } from '../harness/upload-bodies.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface File {
  id: string;
  kind: string;
  name: string;
  path: string | null;
  bytes: number;
  job_id: string | null;
  created_at: string;
  expires_at: string | null;
  in_use: boolean;
  download_url: string | null;
}

async function start(t: Test, limits: Partial<Harness['limits']> = {}) {
  const h = await startHarness(t, { limits });
  const host = await startBuildHost(h, { macs: 1 });
  const { announce, sendBlobs } = uploader(h);
  return {
    ...h,
    host,
    async upload(folder: Folder): Promise<string> {
      const { id } = (await announce(manifestOf(folder))).json();
      await sendBlobs(
        id,
        Object.values(folder).map((content) => record(content)),
      );
      return id;
    },
    /** Submits a build and has it running. */
    async build(source: Record<string, unknown> = { repo: 'owner/name' }): Promise<string> {
      const { id } = (await h.call('POST', '/builds', { body: { script: 'make', ...source } })).json();
      await h.workers.idle();
      await host.start();
      return id;
    },
    artifact: (buildId: string, name: string, content: string, attempt = 1) =>
      h.artifacts.store(
        { buildId, attempt, name, bytes: Buffer.byteLength(content), sha256: sha256(content) },
        Readable.from([Buffer.from(content)]),
      ),
    async files(query = ''): Promise<File[]> {
      return (await h.callConsole('GET', `/v1/files${query}`)).json().data;
    },
    /** An absolute address, as far as the server under test is concerned. */
    get: (url: string, key: string | null = null) =>
      h.inject({
        method: 'GET',
        url: url.replace(h.siteUrl, ''),
        headers: key === null ? {} : { authorization: `Bearer ${key}` },
      }),
  };
}

t.test('an upload is listed with its end, is bound while a build uses it, and can be deleted afterwards', async (t) => {
  const { upload, build, files, callConsole, call, clock, host, org } = await start(t);
  const made = clock.now();
  const id = await upload({ a: 'xx', b: 'yyy' });
  const expected = {
    id,
    kind: 'upload',
    name: 'demo',
    path: null,
    bytes: 5,
    size: 5,
    sha256: null,
    executable: false,
    job_id: null,
    created_at: iso(made),
    expires_at: iso(made + DAY),
    in_use: false,
    download_url: null,
  };
  t.same(await files(), [expected]);

  const buildId = await build({ upload_id: id });
  t.same(await files(), [{ ...expected, expires_at: null, in_use: true }]);
  t.equal(outcome(await callConsole('DELETE', `/v1/files/${id}`)), '409 file_in_use');
  await clock.advance(HOUR);
  await host.finish(buildId);
  t.same(await files(), [{ ...expected, expires_at: iso(made + HOUR + 7 * DAY) }]);

  const page = (await callConsole('GET', `/v1/files?workspace_id=${org.workspaceId}`)).json();
  t.match(page, { next_cursor: null, total_bytes: 5 });
  const gone = await callConsole('DELETE', `/v1/files/${id}`);
  t.same([gone.statusCode, gone.body], [204, '']);
  t.equal(outcome(await callConsole('DELETE', `/v1/files/${id}`)), '404 not_found');
  t.equal(outcome(await call('GET', `/uploads/${id}`)), '404 upload_not_found');
  t.equal(outcome(await call('POST', '/builds', { body: { script: 'x', upload_id: id } })), '404 upload_not_found');
  t.same(await files(), []);
  t.same((await callConsole('GET', '/v1/files')).json().total_bytes, 0);
});

t.test('a build of an incomplete upload is refused, with the request that lists the missing contents', async (t) => {
  const { call, inject, keys } = await start(t);
  const { announce } = uploader({ inject, keys });
  const { id } = (await announce(manifestOf({ a: 'x' }))).json();
  const answer = await call('POST', '/builds', { body: { script: 'make', upload_id: id } });
  t.equal(outcome(answer), '409 upload_incomplete');
  t.match(answer.json().error, { upload_id: id, retryable: true });
  const [next] = answer.json().error.next;
  t.same(
    (
      await inject({
        method: next.method,
        url: next.path,
        headers: { authorization: `Bearer ${keys.all}` },
      })
    ).json().missing,
    [sha256('x')],
  );
});

t.test(
  'an artifact is listed, fetched by an address that holds a quarter of an hour, and kept for thirty days',
  async (t) => {
    const { build, artifact, files, get, callConsole, clock, host, keys } = await start(t);
    const buildId = await build();
    await artifact(buildId, 'reports/Übersicht "1".txt', 'all is well');
    await artifact(buildId, 'reports/Übersicht "1".txt', 'all is well');
    const [file = t.fail('no file') as never, ...others] = await files(`?job_id=${buildId}`);
    t.same(others, [], 'a repeat changes nothing');
    t.same(file, {
      id: file.id,
      kind: 'artifact',
      name: 'Übersicht "1".txt',
      path: 'reports/Übersicht "1".txt',
      bytes: 11,
      size: 11,
      sha256: createHash('sha256').update('all is well').digest('hex'),
      executable: false,
      job_id: buildId,
      created_at: iso(clock.now()),
      expires_at: null,
      in_use: false,
      download_url: `/api/runner/v1/jobs/${buildId}/artifacts/${file.id}`,
    });

    await clock.advance(HOUR);
    await host.finish(buildId);
    const ended = clock.now();
    t.match(await files(), [{ expires_at: iso(ended + 30 * DAY) }]);

    t.equal(outcome(await get(file.download_url ?? '')), '401 api_key_required');
    const { url, expires_at: expiresAt } = (await get(file.download_url ?? '', keys.read)).json();
    t.equal(expiresAt, iso(ended + 15 * 60_000));
    const fetched = await get(url);
    t.equal(fetched.body, 'all is well');
    t.match(fetched.headers, {
      'content-type': 'application/octet-stream',
      'content-length': '11',
      'content-disposition': `attachment; filename="_bersicht _1_.txt"; filename*=UTF-8''%C3%9Cbersicht%20%221%22.txt`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': /sandbox/,
    });

    const ticket = url.slice(url.lastIndexOf('/') + 1);
    const forged = `${ticket.slice(0, -2)}${ticket.endsWith('AA') ? 'BB' : 'AA'}`;
    for (const bad of [forged, ticket.slice(0, 40), 'x', file.id]) {
      t.equal(outcome(await get(url.replace(ticket, bad))), '404 not_found', bad);
    }
    await clock.advance(15 * 60_000 - 1);
    t.equal((await get(url)).statusCode, 200);
    await clock.advance(1);
    t.equal(outcome(await get(url)), '404 not_found');

    const again = (await get(file.download_url ?? '', keys.read)).json().url;
    t.equal((await callConsole('DELETE', `/v1/files/${file.id}`)).statusCode, 204);
    t.equal(outcome(await get(again)), '404 not_found', 'an address dies with its file');
    t.equal(outcome(await get(file.download_url ?? '', keys.read)), '404 not_found');
  },
);

t.test('many artifacts in one response; artifacts of other builds are reported as gone', async (t) => {
  const { build, artifact, files, callConsole, keys, other } = await start(t, {
    artifacts_per_request: 4,
  });
  const buildId = await build();
  await artifact(buildId, 'a', 'first\n');
  await artifact(buildId, 'b/c', '');
  await artifact(buildId, 'd', 'x'.repeat(300_000));
  const ids = Object.fromEntries((await files()).map(({ path, id }) => [path, id]));
  const fetch = (fileIds: unknown, more = {}) =>
    callConsole('POST', `/v1/jobs/${buildId}/artifacts/contents`, { body: { file_ids: fileIds }, ...more });

  const all = await fetch([ids.d, ids.a, 'file_none', ids['b/c']], { key: keys.read });
  t.equal(all.headers['content-type'], 'application/octet-stream');
  t.equal(all.body, `${ids.d} 300000\n${'x'.repeat(300_000)}${ids.a} 6\nfirst\nfile_none gone\n${ids['b/c']} 0\n`);

  t.equal(outcome(await fetch(['file_none'])), '404 not_found');
  const elsewhere = { body: { file_ids: [ids.a] } };
  t.equal(outcome(await callConsole('POST', '/v1/jobs/rb_none/artifacts/contents', elsewhere)), '404 not_found');
  for (const bad of [[], 'a', [1], ['a b'], ['a\nb'], ['1', '2', '3', '4', '5'], undefined]) {
    t.equal(outcome(await fetch(bad)), '400 invalid_request', JSON.stringify(bad));
  }
  t.equal(outcome(await fetch([ids.a], { key: null })), '401 api_key_required');
  t.equal(outcome(await fetch([ids.a], { key: other.key })), '404 not_found');
});

t.test('artifacts belong to the attempt that ended the build, one content per name', async (t) => {
  const { build, artifact, files, get, keys, store, contents } = await start(t);
  const buildId = await build();
  await artifact(buildId, 'early.txt', 'of the first attempt');
  await store.run(`UPDATE builds SET attempt = 2 WHERE build_id = '${buildId}'`);
  await artifact(buildId, 'a.txt', 'old', 2);
  await artifact(buildId, 'a.txt', 'new', 2);
  const found = await files();
  t.same(
    found.map(({ path, bytes }) => [path, bytes]),
    [['a.txt', 3]],
  );
  const { url } = (await get(found[0]?.download_url ?? '', keys.read)).json();
  t.equal((await get(url)).body, 'new');
  let stored = 0;
  for await (const _ of contents.artifacts.list()) stored++;
  t.equal(stored, 2, 'the replaced bytes are gone');
});

t.test('an artifact with a dangerous name is refused', async (t) => {
  const { build, artifact, files, contents } = await start(t);
  const buildId = await build();
  const names = [
    '.git/config',
    'a/.GIT/config',
    'git~1/config',
    '.git./config',
    '.g\u200cit/config',
    '.git:x/config',
    'a\\.git\\config',
    '.hg/hgrc',
    '/etc/passwd',
    '../x',
    'a/../x',
    'a//b',
    './a',
    'a\u0001',
    '',
    'x'.repeat(1025),
  ];
  for (const name of names) {
    await t.rejects(artifact(buildId, name, 'x'), { code: 'invalid_artifact' }, JSON.stringify(name));
  }
  await artifact(buildId, '.gitignore', 'x');
  t.same(
    (await files('?kind=artifact')).map(({ name }: { name: string }) => name),
    ['.gitignore'],
  );
  let stored = 0;
  for await (const _ of contents.artifacts.list()) stored++;
  t.equal(stored, 1);
});

t.test('many small artifacts in one body are stored like one by one, with one file and one commit', async (t) => {
  const h = await start(t, { artifact_files: 400 });
  const { build, artifact, artifacts, files, contents, store, get, keys } = h;
  const buildId = await build();
  const of = (name: string, content: string, hash = sha256(content)) =>
    Buffer.from(`${hash} ${Buffer.byteLength(content)} ${encodeURIComponent(name)}\n${content}`);
  const send = (...records: Buffer[]) =>
    artifacts.storeMany({ buildId, attempt: 1 }, Readable.from(records) as AsyncIterable<Buffer>);
  const names = async () => {
    const rows = await store.all<{ name: string }>('SELECT name FROM files ORDER BY name');
    return rows.map(({ name }) => name);
  };
  let commits = 0;
  const { transaction } = store;
  store.transaction = (work) => {
    commits++;
    return transaction.call(store, work) as ReturnType<typeof work>;
  };
  const many = Array.from({ length: 300 }, (_, i) => of(`f${1000 + i}`, `content ${i}`));
  t.same(await send(...many), []);
  t.equal(commits, 1);
  t.equal((await names()).length, 300);
  const stored = new Set<string>();
  for await (const { key } of contents.artifacts.list()) stored.add(key.split('-')[1] ?? '');
  t.equal(stored.size, 1, 'one file');
  const [file] = await files('?kind=artifact&limit=1');
  const { url } = (await get(file?.download_url ?? '', keys.read)).json();
  t.match((await get(url)).body, /^content \d+$/);

  t.same(await send(...many), [], 'a repeat is harmless');
  t.same(
    await send(
      of('.git/config', 'x'),
      of('wrong', 'x', sha256('y')),
      of('f1000', 'another'),
      of('same', 'one'),
      of('same', 'two'),
      ...Array.from({ length: 101 }, (_, i) => of(`more${i}`, '')),
    ),
    [
      { name: '.git/config', code: 'invalid_artifact' },
      { name: 'wrong', code: 'invalid_artifact' },
      { name: 'more99', code: 'payload_too_large' },
      { name: 'more100', code: 'payload_too_large' },
    ],
  );
  const contentOf = (name: string) =>
    store.get<{ sha256: string }>('SELECT sha256 FROM files WHERE name = :name', { name });
  t.same(await contentOf('f1000'), { sha256: sha256('another') }, 'the last content of a name counts');
  t.same(await contentOf('same'), { sha256: sha256('two') });
  t.equal((await names()).length, 400);

  const other = await build();
  await artifact(other, 'one', 'x');
  async function* breaking() {
    yield of('whole', 'whole');
    yield of('cut', 'cut off').subarray(0, 70);
    throw new Error('the host is gone');
  }
  await t.rejects(artifacts.storeMany({ buildId: other, attempt: 1 }, breaking()), { message: /is gone/ });
  t.ok((await names()).includes('whole'), 'what came before stays');
  t.notOk((await names()).includes('cut'));
  await t.rejects(artifacts.storeMany({ buildId: 'rb_none', attempt: 1 }, Readable.from([])), {
    code: 'build_not_found',
  });
  let kept = 0;
  for await (const _ of contents.artifacts.list()) kept++;
  t.equal(kept, 402, 'no bytes without a row');
});

t.test('an artifact that differs from its announcement, or exceeds a limit, is refused', async (t) => {
  const { build, artifact, artifacts, files, contents } = await start(t, {
    artifact_files: 2,
    artifact_bytes: 10,
  });
  const buildId = await build();
  const announced = { buildId, attempt: 1, name: 'a', bytes: 3, sha256: sha256('abc') };
  for (const sent of ['abd', 'ab', 'abcd']) {
    await t.rejects(artifacts.store(announced, Readable.from([Buffer.from(sent)])), {
      code: 'invalid_artifact',
    });
  }
  await t.rejects(artifact('rb_none', 'a', 'abc'), { code: 'build_not_found' });
  await artifact(buildId, 'a', 'abcdef');
  await t.rejects(artifact(buildId, 'b', 'abcdef'), { code: 'payload_too_large' }, 'too many bytes');
  await artifact(buildId, 'b', '');
  await t.rejects(artifact(buildId, 'c', ''), { code: 'payload_too_large' }, 'too many files');
  await artifact(buildId, 'a', 'other', 1);
  t.same((await files()).map(({ name, bytes }) => [name, bytes]).sort(), [
    ['a', 5],
    ['b', 0],
  ]);
  let stored = 0;
  for await (const _ of contents.artifacts.list()) stored++;
  t.equal(stored, 2);
});

t.test('the list comes in pages, newest first, filtered by kind and job', async (t) => {
  const { upload, build, artifact, callConsole, clock, host } = await start(t);
  const wanted: string[] = [];
  const builds = [await build()];
  for (let i = 0; i < 12; i++) {
    // Some at the same moment: the order must still be one order.
    if (i % 3 === 0) await clock.advance(1000);
    if (i === 6) {
      await host.finish(builds[0] ?? '');
      builds.push(await build());
    }
    if (i % 2 === 0) await upload({ a: `content ${i}` });
    else await artifact(builds.at(-1) ?? '', `${i}.txt`, 'x');
    wanted.push(i % 2 === 0 ? 'upload' : `${i}.txt`);
  }
  const all = (await callConsole('GET', '/v1/files?limit=100')).json();
  t.equal(all.data.length, 12);
  t.equal(all.next_cursor, null);
  t.equal(
    all.total_bytes,
    all.data.reduce((sum: number, file: File) => sum + file.bytes, 0),
  );
  const times = all.data.map((file: File) => file.created_at);
  t.same(times, [...times].sort().reverse());

  for (const limit of [1, 5, 11, 12, 13]) {
    const seen: File[] = [];
    let cursor: string | null = '';
    for (; cursor !== null; ) {
      const query: string = `/v1/files?limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const page = (await callConsole('GET', query)).json();
      t.ok(page.data.length <= limit);
      t.equal(page.total_bytes, all.total_bytes, 'the total is of everything, on every page');
      seen.push(...page.data);
      cursor = page.next_cursor;
    }
    t.same(seen, all.data, `pages of ${limit}`);
  }
  const names = async (query: string) =>
    (await callConsole('GET', `/v1/files${query}`))
      .json()
      .data.map(({ name }: File) => name)
      .sort();
  t.same(await names('?kind=upload'), Array(6).fill('demo'));
  t.same(await names('?kind=artifact'), ['1.txt', '11.txt', '3.txt', '5.txt', '7.txt', '9.txt']);
  t.same(await names(`?job_id=${builds[1]}`), ['11.txt', '7.txt', '9.txt']);
  t.same(await names(`?kind=upload&job_id=${builds[1]}`), []);
  t.same(await names('?job_id=rb_none'), []);
  t.equal((await callConsole('GET', '/v1/files')).json().data.length, 12, 'twenty by default');
});

t.test('invalid queries name their field; other workspaces are not found', async (t) => {
  const { callConsole, upload, build, artifact, files, get, other, org, keys } = await start(t);
  for (const [query, field] of [
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=x', 'limit'],
    ['kind=folder', 'kind'],
    ['cursor=zz', 'cursor'],
    [`cursor=${Buffer.from('12 a/b').toString('base64url')}`, 'cursor'],
    ['job_id=a&job_id=b', 'job_id'],
  ] as const) {
    const answer = await callConsole('GET', `/v1/files?${query}`);
    t.equal(outcome(answer), '400 invalid_request', query);
    t.same(answer.json().error.details.fields, [field]);
  }
  t.equal(outcome(await callConsole('GET', `/v1/files?workspace_id=${other.workspaceId}`)), '404 not_found');
  t.equal(outcome(await callConsole('GET', '/v1/files?workspace_id=ws_none')), '404 not_found');
  t.equal(outcome(await callConsole('GET', '/v1/files', { key: null })), '401 api_key_required');

  const uploadId = await upload({ a: 'x' });
  const buildId = await build();
  await artifact(buildId, 'a.txt', 'x');
  const [file = t.fail('no file') as never] = await files('?kind=artifact');
  const theirs = (await callConsole('GET', '/v1/files', { key: other.key })).json();
  t.match(theirs, { data: [], total_bytes: 0 });
  t.same((await callConsole('GET', `/v1/files?job_id=${buildId}`, { key: other.key })).json().data, []);
  for (const id of [uploadId, file.id, 'file_none']) {
    t.equal(outcome(await callConsole('DELETE', `/v1/files/${id}`, { key: other.key })), '404 not_found');
  }
  t.equal(outcome(await get(file.download_url ?? '', other.key)), '404 not_found');
  t.equal(outcome(await get((file.download_url ?? '').replace(buildId, 'rb_other'), keys.read)), '404 not_found');

  for (const key of [keys.read, keys.build, keys.manage]) {
    t.equal((await callConsole('GET', `/v1/files?workspace_id=${org.workspaceId}`, { key })).json().data.length, 2);
    t.equal((await get(file.download_url ?? '', key)).statusCode, 200);
  }
  t.equal(
    outcome(await callConsole('DELETE', `/v1/files/${file.id}`, { key: keys.read })),
    '403 insufficient_permission',
  );
  t.equal((await callConsole('DELETE', `/v1/files/${file.id}`, { key: keys.manage })).statusCode, 204);
});

t.test('expired uploads, their contents and artifacts are deleted', async (t) => {
  const h = await start(t);
  const { upload, build, artifact, files, clock, host, contents } = h;
  const workers = ['upload-expiry', 'blob-gc', 'artifact-retention'].map(h.workers.named);
  const run = async () => {
    for (const worker of workers) await worker.run(new Set());
  };
  const bytesKept = async () => {
    const counts: number[] = [];
    for (const kept of [contents.manifests, contents.blobs, contents.artifacts]) {
      let count = 0;
      for await (const _ of kept.list()) count++;
      counts.push(count);
    }
    return counts;
  };
  const used = await upload({ a: 'used' });
  await upload({ a: 'unused', b: 'also unused' });
  const buildId = await build({ upload_id: used });
  await artifact(buildId, 'a.txt', 'x');
  await host.finish(buildId);
  await run();
  t.same(await bytesKept(), [2, 3, 1]);

  await clock.advance(DAY);
  t.same((await files()).map((file) => file.kind).sort(), ['artifact', 'upload'], 'what is over is not listed');
  await run();
  t.same(await bytesKept(), [1, 1, 1]);
  await clock.skip(7 * DAY);
  await run();
  t.same(await bytesKept(), [0, 0, 1]);
  await clock.skip(23 * DAY);
  t.same(await files(), []);
  await run();
  t.same(await bytesKept(), [0, 0, 0]);
  t.equal(
    (await h.call('GET', `/builds/${buildId}`)).json().upload_id,
    used,
    'the build still says what it was built from',
  );
});
