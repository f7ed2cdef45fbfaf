// What a bad network and a busy store do to objects: every write is whole or fails, and every read is right or fails.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { openS3Objects } from '../../control-plane/platform/blobs/s3/s3-objects.js';
import { systemClock } from '../../shared/clock.js';
import { type Fault, startFailingProxy } from '../harness/failing-proxy.js';
import { startS3Server } from '../harness/s3-server.js';
import { pieces } from './content-store-conformance.js';

const PART = 128 * 1024;
const away = { name: 'BlobError', kind: 'away' };
const bytes = randomBytes(3 * PART + 77);

async function start(t: Test) {
  const server = await startS3Server(t, { least: PART });
  const proxy = await startFailingProxy(t, server.endpoint);
  const { bucket, region, accessKeyId, secretAccessKey } = server;
  const place = { endpoint: proxy.origin, bucket, region, accessKeyId, secretAccessKey, pathStyle: true, prefix: '' };
  const objects = openS3Objects({ ...place, clock: systemClock, partBytes: PART });
  t.teardown(() => objects.close());
  return { server, proxy, objects };
}

const isPart = ({ method, url }: IncomingMessage) => method === 'PUT' && /partNumber=/.test(url ?? '');
const isBegin = ({ method, url }: IncomingMessage) => method === 'POST' && /\?uploads/.test(url ?? '');
const isComplete = ({ method, url }: IncomingMessage) => method === 'POST' && /\?uploadId=/.test(url ?? '');
const isRead = ({ method }: IncomingMessage) => method === 'GET';

/** Fails the first `times` requests of a kind. */
function first(times: number, of: (request: IncomingMessage) => boolean, fault: Fault) {
  let left = times;
  return (request: IncomingMessage): Fault => {
    if (!of(request) || left === 0) return 'pass';
    left--;
    return fault;
  };
}

const slowDown = { status: 503, text: '<Error><Code>SlowDown</Code></Error>' };
const errorIn200 = { status: 200, text: '<?xml version="1.0"?>\n<Error><Code>InternalError</Code></Error>' };

t.test('a write survives what happens twice', async (t) => {
  for (const [what, of, fault] of [
    ['a connection that breaks in the middle of a part', isPart, 'cut-request'],
    ['a part that arrives changed', isPart, 'wrong-byte'],
    ['an answer about a part that is lost', isPart, 'lost-answer'],
    ['a busy store', isPart, slowDown],
    ['a busy store at the beginning', isBegin, slowDown],
    ['an answer of status 200 with an error', isComplete, errorIn200],
    ['a lost answer about the end: the upload is complete', isComplete, 'lost-answer'],
    ['half an answer about the end', isComplete, 'cut-answer'],
  ] as const) {
    const { server, proxy, objects } = await start(t);
    proxy.fault = first(2, of, fault);
    await objects.put('a', pieces(bytes, 50_000));
    t.ok(proxy.failed > 0, what);
    t.ok(server.objects.get('a')?.bytes.equals(bytes), what);
    t.same([...server.uploads.keys()], [], what);
  }
});

t.test('a write that cannot succeed fails, and leaves nothing', async (t) => {
  for (const [what, of, fault] of [
    ['parts', isPart, slowDown],
    ['changed parts', isPart, 'wrong-byte'],
    ['the end', isComplete, errorIn200],
  ] as const) {
    const { server, proxy, objects } = await start(t);
    proxy.fault = (request) => (of(request) ? fault : 'pass');
    await t.rejects(objects.put('a', pieces(bytes, 50_000)), away, what);
    t.same([...server.objects.keys(), ...server.uploads.keys()], [], what);
  }
});

t.test('a small object whose bytes arrive changed is sent again', async (t) => {
  const { server, proxy, objects } = await start(t);
  proxy.fault = first(2, ({ method }) => method === 'PUT', 'wrong-byte');
  await objects.put('a', Buffer.from('hello\n'));
  t.equal(server.objects.get('a')?.bytes.toString(), 'hello\n');
});

t.test('a read whose connection breaks continues where it ended', async (t) => {
  const { server, proxy, objects } = await start(t);
  await objects.put('a', bytes);
  proxy.fault = first(3, isRead, 'cut-answer');
  t.ok((await buffer(await objects.open('a'))).equals(bytes));
  proxy.fault = first(2, isRead, 'cut-answer');
  t.ok((await buffer(await objects.open('a', { start: 5, end: 300_000 }))).equals(bytes.subarray(5, 300_000)));
  t.ok(server.requests.filter((one) => one.startsWith('GET')).length >= 7);
});

t.test('a read never continues with another object', async (t) => {
  const { server, proxy, objects } = await start(t);
  await objects.put('a', bytes);
  proxy.fault = (request) => {
    if (request.headers['if-match'] !== undefined) return 'pass';
    return isRead(request) ? 'cut-answer' : 'pass';
  };
  const stream = await objects.open('a');
  server.objects.set('a', { bytes: randomBytes(bytes.length), etag: '"another"' });
  await t.rejects(buffer(stream), away);
});
