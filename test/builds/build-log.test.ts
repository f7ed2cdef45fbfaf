// A build's log in its four forms, while the build runs and after it.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { type BuildHost, startBuildHost } from '../harness/build-host.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { runningBuild } from './running-build.js';

const code = (answer: { json(): unknown }) => (answer.json() as { error: { code: string } }).error.code;
const turn = () => new Promise((resolve) => setImmediate(resolve));

t.test('the whole log so far, and its last lines', async (t) => {
  const { host, id, log } = await runningBuild(t);
  const empty = await log();
  t.equal(empty.statusCode, 200);
  t.equal(empty.headers['content-type'], 'text/plain; charset=utf-8');
  t.equal(empty.body, '');
  await host.output(id, 'one\ntwo\r\nthrée\nno end');
  t.equal((await log()).body, 'one\ntwo\r\nthrée\nno end');
  const tails: [number, string][] = [
    [0, ''],
    [1, 'no end'],
    [2, 'thrée\nno end'],
    [4, 'one\ntwo\r\nthrée\nno end'],
    [10_000, 'one\ntwo\r\nthrée\nno end'],
  ];
  for (const [n, text] of tails) t.equal((await log(`?tail=${n}`)).body, text, `tail=${n}`);
  await host.finish(id);
  t.equal((await log('?tail=1')).body, 'no end', 'after the end too');
});

t.test('segments by offset count bytes and never split characters', async (t) => {
  const { host, id, log } = await runningBuild(t);
  await host.output(id, Buffer.concat([Buffer.from('a€b'), Buffer.from([0xf0, 0x9f])]));
  const segment = async (query: string) => (await log(query)).json();
  t.same(await segment('?offset=0'), {
    build_id: id,
    offset: 0,
    next_offset: 5,
    data: 'a€b',
    eof: false,
    status: 'running',
  });
  t.match(await segment('?offset=2'), { offset: 4, data: 'b', next_offset: 5 }, 'inside a character: forward');
  t.match(await segment('?offset=5'), { data: '', next_offset: 5, eof: false }, 'half a character is held back');
  t.equal(code(await log('?offset=8')), 'invalid_offset', 'beyond the end');
  await host.output(id, Buffer.concat([Buffer.from([0x91, 0x8d]), Buffer.from('!')]));
  t.match(await segment('?offset=5'), { data: '👍!', next_offset: 10 });
  await host.output(id, Buffer.from([0xe2, 0x82]));
  await host.finish(id);
  t.match(await segment('?offset=10'), { data: '\ufffd', next_offset: 12, eof: true, status: 'succeeded' });
  t.match(await segment('?offset=12'), { data: '', next_offset: 12, eof: true });
});

t.test('the segments of a long log add up to the log', async (t) => {
  const { host, id, log } = await runningBuild(t, { log_segment_bytes: 1000 });
  const text = Array.from({ length: 500 }, (_, i) => `line ${i} ${'€'.repeat(i % 7)}\n`).join('');
  await host.output(id, text);
  await host.finish(id);
  let read = '';
  let offset = 0;
  for (let eof = false; !eof; ) {
    const segment = (await log(`?offset=${offset}`)).json();
    t.ok(segment.next_offset - segment.offset <= 1000);
    read += segment.data;
    offset = segment.next_offset;
    eof = segment.eof;
  }
  t.equal(read, text);
});

t.test('a segment waits for more, and for the end', async (t) => {
  const { host, id, log } = await runningBuild(t);
  const waiting = log('?offset=0&wait=60');
  await turn();
  await host.output(id, 'there');
  t.match((await waiting).json(), { data: 'there', next_offset: 5, eof: false });
  const ending = log('?offset=5&wait=60');
  await turn();
  await host.finish(id);
  t.match((await ending).json(), { data: '', eof: true, status: 'succeeded' });
});

t.test('invalid requests for a log are refused', async (t) => {
  const { log } = await runningBuild(t);
  const table: [string, string][] = [
    ['?offset=-1', 'invalid_offset'],
    ['?offset=x', 'invalid_offset'],
    ['?offset=', 'invalid_offset'],
    ['?offset=1.5', 'invalid_offset'],
    ['?offset=1', 'invalid_offset'],
    ['?offset=0&wait=61', 'invalid_wait'],
    ['?offset=0&wait=-1', 'invalid_wait'],
    ['?format=text&wait=3601', 'invalid_wait'],
    ['?format=text&wait=x', 'invalid_wait'],
    ['?format=json', 'invalid_query'],
    ['?tail=10001', 'invalid_query'],
    ['?tail=-1', 'invalid_query'],
    ['?tail=1&offset=0', 'invalid_query'],
    ['?format=text&offset=9&wait=1', 'invalid_offset'],
  ];
  for (const [query, expected] of table) {
    const answer = await log(query);
    t.equal(answer.statusCode, 400, query);
    t.equal(code(answer), expected, query);
  }
});

/** Follows over a real socket. */
async function follow(t: Parameters<typeof startHarness>[0], h: Harness, id: string, query: string) {
  if (!h.server.server.listening) await h.server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = h.server.server.address() as AddressInfo;
  const sent = request({
    port,
    path: `/api/v1/builds/${id}/log${query}`,
    headers: { authorization: `Bearer ${h.keys.read}` },
  });
  sent.on('error', () => {
    // The test hangs up on purpose.
  });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.setEncoding('utf8');
  let text = '';
  let ended = false;
  response.on('data', (piece) => {
    text += piece;
  });
  response.on('close', () => {
    ended = true;
  });
  const until = async (holds: () => boolean) => {
    const deadline = Date.now() + 20_000;
    while (!holds()) {
      if (Date.now() > deadline) throw new Error(`the stream stands at: ${text}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  t.teardown(() => sent.destroy());
  return {
    response,
    text: () => text,
    reads: (wanted: string) => until(() => text === wanted),
    ends: () => until(() => ended),
    hangUp: () => sent.destroy(),
  };
}

t.test('a text stream follows from before the start to the end', async (t) => {
  const h = await startHarness(t);
  const created = await h.call('POST', '/builds', {
    body: { script: 'make', repo: 'apple/swift', queue_until_rental: true },
  });
  const { id } = created.json();
  const followers = await Promise.all([1, 2, 3].map(() => follow(t, h, id, '?format=text&wait=3600')));
  t.match(followers[0]?.response.headers, {
    'content-type': 'text/plain; charset=utf-8',
    'x-accel-buffering': 'no',
  });
  const host = await startBuildHost(h, { macs: 1 });
  await host.start();
  let all = '';
  for (const piece of ['first\n', 'second', ' half\n', 'last']) {
    await host.output(id, piece);
    all += piece;
    for (const follower of followers) await follower.reads(all);
  }
  const late = await follow(t, h, id, '?format=text&wait=60&tail=1');
  const middle = await follow(t, h, id, '?format=text&wait=60&offset=6');
  await host.output(id, '!\n');
  await host.finish(id);
  for (const follower of followers) await follower.ends();
  t.equal(followers[0]?.text(), `${all}!\n`);
  await late.ends();
  t.equal(late.text(), 'last!\n', 'from the last line on');
  await middle.ends();
  t.equal(middle.text(), 'second half\nlast!\n', 'from an offset on');
  const after = await follow(t, h, id, '?format=text&wait=3600');
  await after.ends();
  t.equal(after.text(), `${all}!\n`, 'a log that has ended ends at once');
});

t.test('a stream ends at the timeout and when its reader disconnects', async (t) => {
  const { h, host, id } = await runningBuild(t);
  await host.output(id, 'so far');
  const short = await follow(t, h, id, '?format=text&wait=1');
  await short.ends();
  t.equal(short.text(), 'so far');
  const gone = await follow(t, h, id, '?format=text&wait=3600');
  await gone.reads('so far');
  gone.hangUp();
  const without = await follow(t, h, id, '?format=text');
  await without.ends();
  t.equal(without.text(), 'so far', 'without wait it does not follow');
  await h.close();
  t.pass('closing does not wait for the one that is gone');
});

const sends = async (host: BuildHost, id: string, offset: number, text: string, h: Harness) =>
  (await h.runs.output(host.hostId, { build_id: id, attempt: 1, offset }, Buffer.from(text))).nextOffset;

t.test('repeated, late and early output is stored once and in order', async (t) => {
  const { h, host, id, log } = await runningBuild(t);
  t.equal(await sends(host, id, 0, '', h), 0, 'asking only');
  t.equal(await sends(host, id, 0, 'abc', h), 3);
  t.equal(await sends(host, id, 0, 'abc', h), 3, 'again');
  t.equal(await sends(host, id, 0, 'abcdef', h), 6, 'overlapping');
  t.equal(await sends(host, id, 9, 'jkl', h), 6, 'too early: nothing of it is kept');
  t.equal(await sends(host, id, 6, 'ghi', h), 9);
  t.equal((await log()).body, 'abcdefghi');
  const foreign = await startBuildHost(h, { macs: 1, accountId: h.other.id });
  t.equal(await sends(foreign, id, 9, 'not mine', h), 17, 'another host is told what it wants to hear');
  t.equal((await log()).body, 'abcdefghi');
});
