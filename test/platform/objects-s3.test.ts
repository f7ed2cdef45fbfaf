import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { openS3Objects, type S3Options } from '../../control-plane/platform/blobs/s3/s3-objects.js';
import { systemClock } from '../../shared/clock.js';
import { type S3Server, startS3Server } from '../harness/s3-server.js';
import { pieces } from './content-store-conformance.js';
import { objectStoreConformance } from './object-store-conformance.js';

const PART = 256 * 1024;
const hello = Buffer.from('hello\n');
const away = { name: 'BlobError', kind: 'away' };

function openObjects(t: Test, server: S3Server, options: Partial<S3Options> = {}) {
  const { endpoint, bucket, region, accessKeyId, secretAccessKey, sessionToken } = server;
  const place = {
    endpoint,
    bucket,
    region,
    accessKeyId,
    secretAccessKey,
    sessionToken,
    pathStyle: true,
    prefix: 'of/Mill/',
  };
  const objects = openS3Objects({ ...place, clock: systemClock, partBytes: PART, ...options });
  t.teardown(() => objects.close());
  return objects;
}

t.test('objects in an S3-compatible store', async (t) => {
  objectStoreConformance(
    t,
    async (t) => {
      const server = await startS3Server(t, { least: PART });
      const everything = async () => [...server.objects.keys(), ...server.uploads.keys()];
      return { objects: openObjects(t, server), everything };
    },
    { part: PART },
  );
});

t.test('objects of a bucket without a prefix, whose name is in the host', async (t) => {
  const server = await startS3Server(t);
  const objects = openObjects(t, server, { prefix: '' });
  await objects.put('a/b', hello);
  t.same([...server.objects.keys()], ['a/b']);
  const address = openObjects(t, server, {
    endpoint: 'https://s3.example.com',
    pathStyle: false,
    prefix: 'p/',
  }).address('a', { disposition: 'attachment', type: 'text/plain', validMs: 60_000 });
  t.match(address, /^https:\/\/mill-objects\.s3\.example\.com\/p\/a\?/);
});

t.test('temporary credentials: their token is signed into every request and address', async (t) => {
  const server = await startS3Server(t, { least: PART, sessionToken: 'FwoG/of+an/hour==' });
  const objects = openObjects(t, server);
  await objects.check();
  const large = randomBytes(3 * PART);
  await objects.put('large', large);
  t.ok((await buffer(await objects.open('large', { start: 5 }))).equals(large.subarray(5)));
  const address = objects.address('large', { disposition: 'inline', type: 'text/plain', validMs: 60_000 }) ?? '';
  t.ok(Buffer.from(await (await fetch(address)).arrayBuffer()).equals(large));
  const stolen = new URL(address);
  stolen.searchParams.set('X-Amz-Security-Token', 'another');
  t.equal((await fetch(stolen)).status, 403);
  await objects.delete(['large']);
  t.equal(server.objects.size, 0);
  for (const sessionToken of [null, 'another'])
    await t.rejects(openObjects(t, server, { sessionToken }).check(), away, 'without it, or with another');
  await t.rejects(
    openObjects(t, await startS3Server(t), { sessionToken: 'unwanted' }).check(),
    away,
    'where none belongs to the key',
  );
});

t.test('anybody can fetch a signed address for a while, with the headers that it names, and ranges', async (t) => {
  const server = await startS3Server(t);
  let offset = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + offset };
  const objects = openObjects(t, server, { clock });
  await objects.put('a', Buffer.from('0123456789'));
  const disposition = `attachment; filename="a (1)'*.txt"; filename*=UTF-8''%C3%A4%20(1)%27.txt`;
  const as = { disposition, type: 'application/octet-stream', validMs: 15 * 60_000 };
  const address = objects.address('a', as) ?? '';
  const answer = await fetch(address);
  t.equal(answer.status, 200);
  t.match(Object.fromEntries(answer.headers), {
    'content-disposition': disposition,
    'content-type': 'application/octet-stream',
  });
  t.equal(await answer.text(), '0123456789');
  const some = await fetch(address, { headers: { range: 'bytes=2-4' } });
  t.same([some.status, await some.text()], [206, '234']);
  t.equal((await fetch(`${address.slice(0, -1)}0`)).status === 200 && address.endsWith('0'), address.endsWith('0'));
  t.equal((await fetch(address.replace('octet-stream', 'x-other'))).status, 403, 'the headers are signed');
  t.equal((await fetch(address.replace('/a?', '/b?'))).status, 403, 'another object');
  offset = -16 * 60_000;
  t.equal((await fetch(objects.address('a', as) ?? '')).status, 403, 'it has expired');
});

t.test('what refuses this service is named, and nothing is repeated', async (t) => {
  const server = await startS3Server(t);
  for (const [wrong, says] of [
    [{ secretAccessKey: 'another' }, /SignatureDoesNotMatch/],
    [{ accessKeyId: 'AKIDNONE' }, /InvalidAccessKeyId/],
    [{ bucket: 'none' }, /NoSuchBucket/],
    [{ clock: { ...systemClock, now: () => systemClock.now() - 3_600_000 } }, /RequestTimeTooSkewed/],
  ] as const) {
    const objects = openObjects(t, server, wrong);
    server.requests.length = 0;
    await t.rejects(objects.check(), away);
    t.equal(server.requests.length, 1);
    await t.rejects(objects.put('a', hello), { ...away, message: says });
    await t.rejects(objects.open('a'), { ...away, message: says });
    await t.rejects(objects.delete(['a', 'b']), { ...away, message: says });
    await t.rejects(objects.stat('a'), away, 'the object does not count as missing');
  }
});

t.test('a busy store is asked again', async (t) => {
  const server = await startS3Server(t, { least: PART });
  const objects = openObjects(t, server);
  const bytes = randomBytes(3 * PART + 5);
  let count = 0;
  server.refuse = () =>
    count++ % 2 === 0
      ? ([
          { status: 503, code: 'SlowDown' },
          { status: 429, code: 'TooManyRequests' },
          { status: 500, code: 'InternalError' },
        ][count % 3] ?? null)
      : null;
  await objects.put('a', pieces(bytes, 99_999));
  t.ok((await buffer(await objects.open('a'))).equals(bytes));
  t.same(await objects.stat('a'), { size: bytes.length });
  await objects.delete(['a', 'b']);
  t.same([...server.objects, ...server.uploads], []);
});

t.test('a store that stays busy is away: attempts are bounded, and fewer until it answers again', async (t) => {
  const server = await startS3Server(t);
  const objects = openObjects(t, server);
  await objects.put('a', hello);
  server.refuse = () => ({ status: 503, code: 'SlowDown' });
  server.requests.length = 0;
  await t.rejects(objects.open('a'), { ...away, message: /SlowDown/ });
  t.equal(server.requests.length, 5);
  await t.rejects(objects.stat('a'), away);
  t.equal(server.requests.length, 6);
  server.refuse = () => null;
  t.same(await objects.stat('a'), { size: 6 });
  await server.stop();
  await t.rejects(objects.open('a'), { ...away, message: /does not answer/ });
  await server.start();
  t.ok((await buffer(await objects.open('a'))).equals(hello));
});

t.test(
  'unfinished uploads of killed processes are aborted once they are old, and those of others are not',
  async (t) => {
    const server = await startS3Server(t, { least: PART });
    const objects = openObjects(t, server);
    const now = Date.now();
    const parts = new Map();
    for (let i = 0; i < 7; i++) server.uploads.set(`a${i}`, { key: `of/Mill/old/${i}`, begunAt: now - 5_000, parts });
    server.uploads.set('b', { key: 'of/Mill/young', begunAt: now, parts });
    server.uploads.set('c', { key: 'of/other', begunAt: now - 5_000, parts });
    t.equal(await objects.dropUnfinished(now - 1_000), 7);
    t.same([...server.uploads.keys()], ['b', 'c']);
    t.equal(await objects.dropUnfinished(now - 1_000), 0);
  },
);

t.test('parts of at most so many objects are in memory, and slow sources wait for others', async (t) => {
  const server = await startS3Server(t, { least: PART });
  const objects = openObjects(t, server, { mostParts: 2 });
  let reading = 0;
  let most = 0;
  const contents = Array.from({ length: 8 }, () => randomBytes(2 * PART + 9));
  const stored = contents.map((bytes, i) => {
    async function* source() {
      reading++;
      most = Math.max(most, reading);
      yield* pieces(bytes, 50_000);
      reading--;
    }
    return objects.put(`m/${i}`, source());
  });
  await Promise.all(stored);
  t.ok(most <= 2, `${most} at once`);
  for (const [i, bytes] of contents.entries()) t.ok((await buffer(await objects.open(`m/${i}`))).equals(bytes));
});
