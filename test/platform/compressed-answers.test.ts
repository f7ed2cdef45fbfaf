// Answers are compressed for clients that accept it, and are the same for all.
import { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import t from 'tap';
import { compressAnswers } from '../../control-plane/platform/http/compressed-answers.js';
import { contentCoding } from '../../control-plane/platform/http/content-coding.js';
import { startBuildHost } from '../harness/build-host.js';
import { startHarness } from '../harness/harness.js';

t.test('the coding that the client likes best; of equal ones the smaller', async (t) => {
  const cases: readonly (readonly [string | undefined, string | null])[] = [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['GZIP;q=1.0, br;q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0, gzip;q=0', null],
    ['*', 'br'],
    ['*;q=0', null],
    ['br;q=0, *', 'gzip'],
    ['identity', null],
    ['brave, gzippy', null],
    ['br;q=nothing', null],
    ['', null],
    [undefined, null],
  ];
  for (const [accepted, coding] of cases) t.equal(contentCoding(accepted), coding, String(accepted));
});

async function longLog(t: Parameters<typeof startHarness>[0]) {
  const h = await startHarness(t);
  const host = await startBuildHost(h, { macs: 1 });
  const { id } = (await h.call('POST', '/builds', { body: { script: 'make', repo: 'apple/swift' } })).json();
  await host.start();
  const lines = Array.from(
    { length: 1_000 },
    (_, i) => `CompileSwift normal arm64 Sources/App/Screen${i}.swift (${i * 7919})\n`,
  );
  await host.output(id, lines.join(''));
  const get = (path: string, accepted?: string) =>
    h.server.inject({
      url: `/api/v1${path}`,
      headers: {
        authorization: `Bearer ${h.keys.all}`,
        ...(accepted === undefined ? {} : { 'accept-encoding': accepted }),
      },
    });
  return { id: id as string, get };
}

t.test('a thousand lines: a fraction of the bytes, decoded the same', async (t) => {
  const { id, get } = await longLog(t);
  const path = `/builds/${id}/log?from_line=1`;
  const plain = await get(path);
  t.equal(plain.headers['content-encoding'], undefined);
  t.equal(plain.headers.vary, 'accept-encoding', 'a cache keeps it apart from the compressed ones');
  for (const [coding, decode] of [
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    const packed = await get(path, coding);
    t.equal(packed.headers['content-encoding'], coding);
    t.equal(packed.headers.vary, 'accept-encoding');
    t.equal(Number(packed.headers['content-length']), packed.rawPayload.length);
    t.ok(
      packed.rawPayload.length < plain.rawPayload.length / 5,
      `${packed.rawPayload.length} of ${plain.rawPayload.length}`,
    );
    t.equal(decode(packed.rawPayload).toString('utf8'), plain.body);
  }
  t.equal((await get(path, 'br;q=0, identity')).body, plain.body);
});

t.test('short and long answers are the same decoded, and their bytes are counted', async (t) => {
  const server = Fastify();
  compressAnswers(server);
  const textOf = (length: number) => Array.from({ length: length / 8 }, (_, n) => `${n} `.padStart(8, '0')).join('');
  server.get<{ Params: { length: string } }>('/:length', ({ params }, reply) =>
    reply.type('text/plain').send(textOf(Number(params.length))),
  );
  for (const length of [1_024, 16 * 1_024 - 8, 16 * 1_024, 100_000]) {
    for (const [coding, decode] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const answer = await server.inject({ url: `/${length}`, headers: { 'accept-encoding': coding } });
      t.equal(answer.headers['content-encoding'], coding);
      t.equal(Number(answer.headers['content-length']), answer.rawPayload.length);
      t.equal(decode(answer.rawPayload).toString('utf8'), textOf(length));
    }
  }
  await server.close();
});

t.test('what is compressed, and what is not', async (t) => {
  const server = Fastify();
  compressAnswers(server);
  const text = 'a text that its sender chose '.repeat(50);
  server.get('/json', () => ({ text }));
  server.post('/json', () => ({ text }));
  server.get('/short', () => ({ text: 'short' }));
  server.get('/bytes', (_, reply) => reply.type('text/css').send(Buffer.from(text)));
  server.get('/picture', (_, reply) => reply.type('image/png').send(Buffer.from(text)));
  server.get('/events', (_, reply) => reply.type('text/event-stream').send(text));
  server.get('/stream', (_, reply) => reply.type('text/plain').send(Readable.from([text])));
  server.get('/tagged', (_, reply) => reply.type('text/plain').header('etag', '"sum"').send(text));
  server.get('/part', (_, reply) => reply.type('text/plain').code(206).send(text));
  server.get('/origin', (_, reply) => reply.type('text/plain').header('vary', 'origin').send(text));
  const codingOf = async (url: string, method: 'GET' | 'POST' | 'HEAD' = 'GET') =>
    (await server.inject({ url, method, headers: { 'accept-encoding': 'gzip, br' } })).headers['content-encoding'];
  t.equal(await codingOf('/json'), 'br');
  t.equal(await codingOf('/bytes'), 'br');
  t.equal(await codingOf('/json', 'POST'), undefined, 'it could be a secret that is shown once');
  for (const url of ['/short', '/picture', '/events', '/stream', '/tagged', '/part']) {
    t.equal(await codingOf(url), undefined, url);
  }
  t.equal(await codingOf('/json', 'HEAD'), undefined);
  const { headers } = await server.inject({ url: '/origin', headers: { 'accept-encoding': 'br' } });
  t.match(headers, { vary: 'origin, accept-encoding', 'content-encoding': 'br' });
  await server.close();
});

t.test('documents are compressed too', async (t) => {
  const h = await startHarness(t);
  const page = await h.server.inject({
    url: '/docs/errors',
    headers: { 'accept-encoding': 'gzip', accept: 'text/html' },
  });
  t.equal(page.headers['content-encoding'], 'gzip');
  t.match(gunzipSync(page.rawPayload).toString('utf8'), /internal_error/);
});
