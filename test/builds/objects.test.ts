// Contents and artifacts in an S3-compatible store: from upload to collection, and while the store is away.
// Runs in: soak
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { API_ROOT } from '../../control-plane/platform/domain/addresses.js';
import { outcome } from '../harness/answer.js';
import { startBuildHost } from '../harness/build-host.js';
import { startHarness } from '../harness/harness.js';
import { startS3Server } from '../harness/s3-server.js';
import { sha256 } from '../harness/sha256.js';
import { type Folder, manifestOf, record, uploader } from '../harness/upload-bodies.js';

const DAY = 24 * 3_600_000;
const HOUR = 3_600_000;

async function start(t: Test) {
  const server = await startS3Server(t, { least: 5 * 1024 * 1024, sessionToken: 'of+an/hour==' });
  const { endpoint, bucket, region, accessKeyId, secretAccessKey, sessionToken } = server;
  const key = { region, accessKeyId, secretAccessKey, sessionToken };
  const objects = { kind: 's3', bucket, prefix: 'mill/', endpoint, pathStyle: true, ...key } as const;
  const h = await startHarness(t, { objects });
  const host = await startBuildHost(h, { macs: 1 });
  const { announce, sendBlobs } = uploader(h);
  return {
    ...h,
    server,
    host,
    look: () => h.workers.named('objects-look').run(new Set()),
    /** Everything in the bucket. */
    everything: () => [...server.objects.keys(), ...server.uploads.keys()],
    async upload(folder: Folder): Promise<string> {
      const { id } = (await announce(manifestOf(folder))).json();
      const sent = await sendBlobs(
        id,
        Object.values(folder).map((content) => record(content)),
      );
      if (sent.statusCode >= 300) throw new Error(sent.body);
      return id;
    },
    announce,
    sendBlobs,
    /** Submits a build and has it running. */
    async build(source: Record<string, unknown> = { repo: 'owner/name' }): Promise<string> {
      const { id } = (await h.call('POST', '/builds', { body: { script: 'make', ...source } })).json();
      await h.workers.idle();
      await host.start();
      return id;
    },
    artifact: (buildId: string, name: string, content: Buffer) =>
      h.artifacts.store(
        { buildId, attempt: 1, name, bytes: content.length, sha256: sha256(content) },
        Readable.from([content.subarray(0, 1_000), content.subarray(1_000)]),
      ),
    async fileNamed(name: string): Promise<{ id: string; download_url: string }> {
      const { data } = (await h.callConsole('GET', '/v1/files')).json();
      return data.find((file: { name: string }) => file.name === name);
    },
    get: (url: string, headers: Record<string, string> = {}) => h.inject({ method: 'GET', url, headers }),
  };
}

type Started = Awaited<ReturnType<typeof start>>;

/** Returns the short-lived address of an artifact, without the origin. */
async function addressOf(h: Started, name: string): Promise<string> {
  const { download_url: asked } = await h.fileNamed(name);
  const answer = await h.get(asked, { authorization: `Bearer ${h.keys.all}` });
  return new URL(answer.json().url).pathname;
}

t.test('an upload, a build with artifacts, downloads both ways, deletion, and an empty bucket', async (t) => {
  const h = await start(t);
  const large = randomBytes(300_000);
  const folder: Folder = { 'run.sh': 'echo hi\n', 'src/a.c': 'int a;', 'big.bin': large };
  const uploadId = await h.upload(folder);
  t.equal(h.server.objects.size, 3, 'a manifest, a pack of small contents and a large one');
  t.same((await h.announce(manifestOf(folder))).json().missing, []);
  t.equal(h.server.objects.size, 4, 'another manifest; the contents are there');

  const { stream } = await h.uploads.openManifest(uploadId, h.org.id);
  t.equal(JSON.parse((await buffer(stream)).toString()).files.length, 3);
  for (const content of Object.values(folder)) {
    const { size, stream } = await h.uploads.openBlob(h.org.id, sha256(content));
    t.equal(size, Buffer.byteLength(content));
    t.ok((await buffer(stream)).equals(Buffer.from(content)));
  }

  const buildId = await h.build({ upload_id: uploadId });
  const app = randomBytes(9 * 1024 * 1024);
  await h.artifact(buildId, 'App.ipa', app);
  await h.artifact(buildId, 'report.txt', Buffer.from('all fine\n'));
  await h.host.finish(buildId);

  const address = await addressOf(h, 'App.ipa');
  const streamed = await h.get(address);
  t.same([streamed.statusCode, streamed.headers['accept-ranges']], [200, 'bytes']);
  t.ok(streamed.rawPayload.equals(app), 'through the service');
  const part = await h.get(address, { range: 'bytes=8388600-8388609' });
  t.same([part.statusCode, part.headers['content-range']], [206, `bytes 8388600-8388609/${app.length}`]);
  t.ok(part.rawPayload.equals(app.subarray(8_388_600, 8_388_610)));
  const changed = await h.get(address, { range: 'bytes=0-1', 'if-range': '"another"' });
  t.equal(changed.statusCode, 200);

  const asked = await h.get(address, { prefer: 'redirect' });
  t.equal(asked.statusCode, 302);
  const straight = await fetch(asked.headers.location ?? '');
  t.equal(straight.headers.get('content-disposition'), streamed.headers['content-disposition']);
  t.equal(straight.headers.get('content-type'), 'application/octet-stream');
  t.ok(Buffer.from(await straight.arrayBuffer()).equals(app), 'straight from the store');
  t.equal((await h.get(address, { 'sec-fetch-mode': 'navigate' })).statusCode, 302, 'a browser');
  const small = await h.get(await addressOf(h, 'report.txt'), { prefer: 'redirect' });
  t.same([small.statusCode, small.body], [200, 'all fine\n'], 'a small artifact shares its object with others');

  for (const name of ['App.ipa', 'report.txt']) {
    const { id } = await h.fileNamed(name);
    t.equal((await h.callConsole('DELETE', `/v1/files/${id}`)).statusCode, 204);
  }
  await h.pass(2 * HOUR);
  t.notOk(
    h.everything().some((key) => key.startsWith('mill/artifacts/') && !key.includes('packs')),
    'soon',
  );
  for (const days of [40, 8, 2]) {
    await h.clock.skip(days * DAY);
    await h.workers.idle();
  }
  t.same(h.everything(), []);
  t.equal((await h.store.get<{ n: number }>('SELECT COUNT(*) AS n FROM kept_objects'))?.n, 0);
});

t.test('the log of an ended build, straight from the store', async (t) => {
  const h = await start(t);
  const buildId = await h.build();
  const text = 'compiling 한국어\n'.repeat(20_000);
  await h.host.output(buildId, text);
  const path = `${API_ROOT}/builds/${buildId}/log?format=text`;
  const ask = (more: Record<string, string> = {}, url = path) =>
    h.get(url, { authorization: `Bearer ${h.keys.all}`, ...more });
  t.equal((await ask({ prefer: 'redirect' })).statusCode, 200, 'its build runs');
  await h.host.finish(buildId);
  await h.workers.named('ended-logs').run(new Set());
  const asked = await ask({ prefer: 'redirect' });
  t.same([asked.statusCode, asked.headers['cache-control']], [302, 'no-store']);
  const straight = await fetch(asked.headers.location ?? '');
  t.equal(straight.headers.get('content-disposition'), `inline; filename="${buildId}.log"`);
  t.equal(straight.headers.get('content-type'), 'text/plain; charset=utf-8');
  t.equal(await straight.text(), text);
  t.equal((await ask({ 'sec-fetch-mode': 'navigate' })).statusCode, 302, 'a browser');
  t.equal((await ask()).body, text, 'through the service');
  for (const changed of ['&ansi=strip', '&timestamps=true', '&tail=3', '&wait=1', '&offset=3'])
    t.equal((await ask({ prefer: 'redirect' }, path + changed)).statusCode, 200, `not as it is stored: ${changed}`);
});

t.test('while the store is away requests that need it are refused, and everything else goes on', async (t) => {
  const h = await start(t);
  const uploadId = await h.upload({ 'run.sh': 'echo hi\n' });
  const buildId = await h.build({ upload_id: uploadId });
  const app = randomBytes(100_000);
  await h.artifact(buildId, 'App.ipa', app);
  const address = await addressOf(h, 'App.ipa');
  const before = h.everything();
  await h.look();
  t.equal((await h.inject({ url: '/readyz' })).body, 'ready\n');

  await h.server.stop();
  await h.look();
  const ready = await h.inject({ url: '/readyz' });
  t.same([ready.statusCode, ready.body], [200, 'ready\ndegraded: the object store does not answer\n']);
  t.match(
    (await h.inject({ url: '/healthz' })).body,
    /^degraded: objects_away: The object store has been away for \d+ s/m,
  );
  t.match((await h.inject({ url: '/metrics' })).body, /^cidermill_objects_away 1$/m);
  const refused = { statusCode: 503, headers: { 'retry-after': '5' } };
  const announced = await h.announce(manifestOf({ 'run.sh': 'echo more\n' }));
  t.match(announced, refused);
  t.match(announced.json(), { error: { code: 'uploads_unavailable', retryable: true } });
  t.notMatch(announced.body, /127\.0\.0\.1/, 'nothing is said of where the store is');
  t.match(await h.get(address), refused);
  await t.rejects(h.artifact(buildId, 'late.bin', app), { name: 'BlobError', kind: 'away' });

  t.equal(await h.host.output(buildId, 'compiling\n'), 10, 'output is taken');
  t.equal(outcome(await h.call('GET', `/builds/${buildId}/log`)), '200');
  const { id: next } = (await h.call('POST', '/builds', { body: { script: 'make', repo: 'a/b' } })).json();
  t.equal((await h.call('GET', `/builds/${next}`)).json().status, 'queued');

  await h.server.start();
  await h.look();
  t.equal((await h.inject({ url: '/readyz' })).body, 'ready\n');
  await h.artifact(buildId, 'late.bin', app);
  t.ok((await h.get(address)).rawPayload.equals(app));
  await h.host.finish(buildId);
  for (const key of before) t.ok(h.server.objects.has(key), 'nothing is lost');
});
