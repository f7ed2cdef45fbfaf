// Large JSON bodies: what they cost the thread is bounded before they are parsed, and they are received in turns.
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import t from 'tap';
import { hasMoreValues } from '../../control-plane/platform/http/json-values.js';
import { largeJsonOf, paceBody } from '../../control-plane/platform/http/paced-body.js';
import { gate } from '../harness/gate.js';
import { startHarness } from '../harness/harness.js';
import { until } from '../harness/until.js';

const MOST = 10_000;
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

t.test('values are counted outside of strings', async (t) => {
  const cases: readonly (readonly [text: string, most: number, more: boolean])[] = [
    ['[1,2,3,4]', 4, false],
    ['[1,2,3,4]', 3, true],
    ['{"a":1,"b":2}', 2, false],
    ['{"a":1,"b":2}', 1, true],
    ['{"a,:[{":",,,,,[[[["}', 2, false],
    ['["a\\",,,,\\\\",1]', 3, false],
    ['["a\\\\",1,1,1]', 3, true],
    [nested(20), 19, true],
    ['"an open string,,,,,', 1, false],
  ];
  for (const [text, most, more] of cases) t.equal(hasMoreValues(Buffer.from(text), most), more, `${text} and ${most}`);
});

t.test('a body of very many values is refused before it is parsed', async (t) => {
  const h = await startHarness(t);
  const post = (payload: string) =>
    h.inject({
      method: 'POST',
      url: '/api/v1/builds',
      headers: { authorization: `Bearer ${h.keys.all}`, 'content-type': 'application/json' },
      payload,
    });
  for (const body of [nested(400_000), `{"a":[${'{},'.repeat(300_000)}{}]}`]) {
    const answer = await post(body);
    t.equal(answer.statusCode, 400);
    t.match(answer.json(), { error: 'invalid_json', error_detail: { message: /at most 10000 values/ } });
  }
  const fields = Object.fromEntries(Array.from({ length: MOST / 2 - 10 }, (_, n) => [`f${n}`, 1]));
  const { error } = (await post(JSON.stringify(fields))).json() as { error: string };
  t.not(error, 'invalid_json', 'as many as it may have');
});

t.test('which bodies are received in turns', async (t) => {
  const of = (headers: Record<string, string>) => largeJsonOf({ headers } as never, 7_000_000);
  const json = { 'content-type': 'application/json' };
  t.equal(of({ ...json, 'content-length': '65536' }), null, 'it has arrived with the first piece');
  t.equal(of({ ...json, 'content-length': '65537' }), 65_537);
  t.equal(of({ ...json, 'transfer-encoding': 'chunked' }), 7_000_000, 'as long as it may be');
  t.equal(of({ 'content-type': 'application/gzip', 'content-length': '65537' }), null, 'its route reads it in steps');
  t.equal(of({ 'content-length': '65537' }), null);
});

t.test('after each piece the body waits for a turn', async (t) => {
  const calls: string[] = [];
  const body = Object.assign(new EventEmitter(), {
    pause: () => void calls.push('pause'),
    resume: () => void calls.push('resume'),
  });
  const turns: (() => void)[] = [];
  paceBody(body as never, () => new Promise((begin) => turns.push(begin)));
  body.emit('data', Buffer.from('one'));
  t.same(calls, ['pause']);
  turns[0]?.();
  await until(() => calls.length === 2, 'it is read on');
  body.emit('data', Buffer.from('two'));
  t.same(calls, ['pause', 'resume', 'pause']);
});

t.test('the body of a refused request is read in turns too, and the connection serves the next request', async (t) => {
  const h = await startHarness(t, { limits: { account_concurrent_uploads: 0 } });
  const { port } = new URL(await h.server.listen({ port: 0, host: '127.0.0.1' }));
  let received = 0;
  let turn = 0;
  const piecesOf = new Map<number, number>();
  const count = () => {
    turn++;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  t.teardown(() => clearImmediate(counting));
  h.server.server.on('request', (request: IncomingMessage) => {
    if (request.url !== '/api/v1/uploads') return;
    // Not before the service reads it: a listener would begin to.
    request.once('resume', () =>
      request.on('data', (piece: Buffer) => {
        received += piece.length;
        piecesOf.set(turn, (piecesOf.get(turn) ?? 0) + 1);
      }),
    );
  });
  const bytes = 4 * 1024 ** 2;
  const head = (line: string, more: string) =>
    `${line} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${h.keys.all}\r\n${more}\r\n`;
  const socket = connect(Number(port), '127.0.0.1');
  t.teardown(() => socket.destroy());
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.write(head('POST /api/v1/uploads', `content-type: application/gzip\r\ncontent-length: ${bytes}\r\n`));
  socket.write(Buffer.alloc(bytes));
  socket.write(head('GET /api/v1/me', ''));
  await until(() => text.includes('HTTP/1.1 200'), 'the next request is answered');
  t.match(text, /^HTTP\/1\.1 429 /);
  t.equal(received, bytes);
  t.ok(
    Math.max(...piecesOf.values()) <= 2,
    'in each turn of the event loop one piece, and what is left of the one before',
  );
});

t.test('large bodies of an account that are being received are bounded', async (t) => {
  const h = await startHarness(t, { limits: { account_waiting_bytes: 300_000 } });
  const url = `${await h.server.listen({ port: 0, host: '127.0.0.1' })}/api/v1/builds`;
  const headers = { authorization: `Bearer ${h.keys.all}`, 'content-type': 'application/json' };
  const { open: go, opened: held } = gate();
  const half = '{"script":"'.padEnd(100_000, 'x');
  async function* slowly() {
    yield Buffer.from(half);
    await held;
    yield Buffer.from(`${'x'.repeat(100_000)}","no":1}`);
  }
  const bytes = half.length + 100_000 + '","no":1}'.length;
  const send = (body: string | ReadableStream) =>
    fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': String(bytes) },
      body,
      duplex: 'half',
    } as never);
  const read = new Promise((resolve) => {
    h.server.server.once('request', (request: IncomingMessage) => request.once('resume', resolve));
  });
  const slow = send(ReadableStream.from(slowly()) as never);
  await read;
  const whole = `${half}${'x'.repeat(100_000)}","no":1}`;
  await until(async () => (await send(whole)).status === 429, 'the slow one is being received');
  const refused = await send(whole);
  t.equal(refused.status, 429);
  t.ok(Number(refused.headers.get('retry-after')) >= 1);
  t.match(await refused.json(), { error: 'rate_limited' });
  go();
  t.equal((await slow).status, 400, 'the first one is read to its end');
  t.equal((await send(whole)).status, 400, 'and there is room again');
});
