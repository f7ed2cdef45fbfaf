// Large JSON bodies: what they cost the thread is bounded before they are parsed, and they are received in turns.
import { EventEmitter } from 'node:events';
import t from 'tap';
import { hasMoreValues } from '../../control-plane/platform/http/json-values.js';
import { largeJsonOf, paceBody } from '../../control-plane/platform/http/paced-body.js';
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

t.test('after each piece the body waits for a turn; without a sender it is read to its end', async (t) => {
  const calls: string[] = [];
  const body = Object.assign(new EventEmitter(), {
    pause: () => void calls.push('pause'),
    resume: () => void calls.push('resume'),
  });
  const turns: { begin: () => void; gone: () => void }[] = [];
  paceBody(
    body as never,
    () => new Promise((begin, reject) => turns.push({ begin, gone: () => reject(new Error('gone')) })),
  );
  body.emit('data', Buffer.from('one'));
  t.same(calls, ['pause']);
  turns[0]?.begin();
  await until(() => calls.length === 2, 'it is read on');
  body.emit('data', Buffer.from('two'));
  turns[1]?.gone();
  await until(() => calls.length === 4, 'it is read on');
  t.same(calls, ['pause', 'resume', 'pause', 'resume']);
});

t.test('large bodies of an account that are being received are bounded', async (t) => {
  const h = await startHarness(t, { limits: { account_waiting_bytes: 300_000 } });
  const url = `${await h.server.listen({ port: 0, host: '127.0.0.1' })}/api/v1/builds`;
  const headers = { authorization: `Bearer ${h.keys.all}`, 'content-type': 'application/json' };
  let go = () => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
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
  const slow = send(ReadableStream.from(slowly()) as never);
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
