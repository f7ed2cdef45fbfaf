// Requests of one account beside those of others, over real connections: answers that nobody reads, senders that have
// gone, requests that wait for each other.
// Runs in: soak
import { connect, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { z } from 'zod';
import { gate } from '../harness/gate.js';
import { type Harness, type HarnessOptions, startHarness } from '../harness/harness.js';
import { testRoute } from '../harness/test-route.js';
import { until } from '../harness/until.js';

/** More than the buffers of a connection take. */
const LARGE = 'x'.repeat(12 * 1024 * 1024);

async function start(t: Test, options: HarnessOptions = {}) {
  const handled: string[] = [];
  const steps: string[] = [];
  const { open: release, opened: held } = gate();
  const read = (path: string, answer: () => object | Promise<object>) =>
    testRoute({
      ...({ method: 'GET', path, level: 'read', summary: 'For tests' } as const),
      responses: { 200: z.looseObject({}) },
      async handle({ step }) {
        handled.push(path);
        await step();
        return { status: 200, body: await answer() };
      },
    });
  const h: Harness = await startHarness(t, {
    ...options,
    extraRoutes: () => [
      read('/large', () => ({ text: LARGE })),
      read('/small', () => ({})),
      read('/held', async () => {
        await held;
        return {};
      }),
      testRoute({
        ...({ method: 'GET', path: '/steps', level: 'read', summary: 'For tests' } as const),
        responses: { 200: z.looseObject({}) },
        async handle({ step }) {
          steps.push('first');
          await held;
          try {
            await step();
            steps.push('second');
          } catch (error) {
            steps.push(String((error as Error).name));
            throw error;
          }
          return { status: 200, body: {} };
        },
      }),
      testRoute({
        ...({
          method: 'POST',
          path: '/inner',
          level: 'build',
          summary: 'For tests',
          idempotent: true,
        } as const),
        responses: { 200: z.looseObject({}) },
        async handle() {
          const url = '/api/v1/me';
          const { statusCode } = await h.inject({ url, headers: { authorization: `Bearer ${h.keys.all}` } });
          return { status: 200, body: { statusCode } };
        },
      }),
    ],
  });
  const { port } = new URL(await h.server.listen({ port: 0, host: '127.0.0.1' }));
  const sockets: Socket[] = [];
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
  });
  /** Sends the text and reads nothing. */
  const send = (text: string) => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined).pause();
    socket.write(text);
    sockets.push(socket);
    return socket;
  };
  const get = (path: string, key = h.keys.all) =>
    `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`;
  const metric = async (name: string) =>
    Number(new RegExp(`^${name} (\\d+)$`, 'm').exec((await h.inject({ url: '/metrics' })).body)?.[1]);
  const count = (path: string) => handled.filter((one) => one === path).length;
  return { ...h, send, get, metric, count, steps, release };
}

const connections = (h: Harness) =>
  new Promise<number>((resolve, reject) =>
    h.server.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );

const read = (socket: Socket) => {
  let text = '';
  socket.setEncoding('latin1').on('data', (more: string) => {
    text += more;
  });
  return () => text;
};

t.test('unread answers of an account hold its further requests back, and no others', async (t) => {
  const h = await start(t, { limits: { account_answer_bytes: 30 * 1024 * 1024 } });
  const readers = Array.from({ length: 20 }, () => h.send(h.get('/api/v1/large')));
  await until(async () => (await h.metric('cidermill_waiting_turns')) === 17, 'the others wait');
  t.equal(h.count('/large'), 3, 'three answers are larger than the bound');
  const { id, workspaceId } = await h.organizations.create({ name: 'Quiet' });
  const quiet = await h.apiKeys.create({ accountId: id, workspaceId, name: 'quiet', levels: ['read'] });
  for (const request of [h.get('/api/v1/small', quiet.key), 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n']) {
    const socket = h.send(request);
    const text = read(socket);
    socket.resume();
    await until(() => text().includes('200 OK'), 'others are answered');
  }
  for (const reader of readers) reader.resume();
  await until(() => h.count('/large') === 20, 'all are answered once the clients read');
  await until(async () => (await h.metric('cidermill_answer_bytes_in_flight')) < 1_000, 'nothing is left');
});

t.test('a client that reads nothing is disconnected; its account goes on', async (t) => {
  const h = await start(t, {
    oneClock: true,
    limits: { account_answer_bytes: 1024 * 1024, answer_read_ms: 30_000 },
  });
  h.send(h.get('/api/v1/large'));
  const written = async () => (await h.metric('cidermill_answer_bytes_in_flight')) > LARGE.length;
  await until(written, 'the answer is written');
  const next = h.send(h.get('/api/v1/small'));
  const text = read(next);
  next.resume();
  await until(async () => (await h.metric('cidermill_waiting_turns')) === 1, 'the next request waits');
  await h.clock.advance(29_000);
  t.equal(await h.metric('cidermill_unread_disconnects_total'), 0);
  await h.clock.advance(15_000);
  t.equal(await h.metric('cidermill_unread_disconnects_total'), 1);
  await until(() => text().includes('200 OK'), 'the next request is answered');
});

t.test('a slow reader is not disconnected, and gets every byte', async (t) => {
  const h = await start(t, { oneClock: true, limits: { answer_read_ms: 30_000 } });
  const socket = h.send(h.get('/api/v1/large'));
  let bytes = 0;
  let wanted = 0;
  socket.on('data', (more: Buffer) => {
    bytes += more.length;
    if (bytes > wanted) socket.pause();
  });
  await until(() => h.count('/large') === 1, 'the answer is written');
  // Less is hidden by the buffers of the connection.
  for (wanted = 2 ** 21; wanted < LARGE.length; wanted += 2 ** 21) {
    socket.resume();
    await until(() => bytes > wanted, 'more is read');
    await h.clock.advance(10_000);
  }
  wanted = Number.POSITIVE_INFINITY;
  socket.resume();
  await until(() => bytes > LARGE.length, 'all is read');
  t.equal(await h.metric('cidermill_unread_disconnects_total'), 0);
});

t.test('requests whose sender has gone while they waited are never worked on', async (t) => {
  const h = await start(t, { limits: { account_answer_bytes: 1024 * 1024 } });
  const unread = h.send(h.get('/api/v1/large'));
  await until(() => h.count('/large') === 1, 'the account is held back');
  const gone = Array.from({ length: 100 }, () => h.send(h.get('/api/v1/small')));
  await until(async () => (await h.metric('cidermill_waiting_turns')) === 100, 'all wait');
  for (const socket of gone) socket.destroy();
  await until(async () => (await h.metric('cidermill_waiting_turns')) === 0, 'none waits');
  unread.resume();
  await until(async () => (await h.metric('cidermill_answer_bytes_in_flight')) < 1_000, 'all is read');
  t.equal((await h.call('GET', '/small')).statusCode, 200);
  t.equal(h.count('/small'), 1);
  t.equal((await h.call('GET', '/errors')).json().errors.length, 0, 'and are no errors of the account');
});

t.test('work under way ends at its next step when its sender has gone', async (t) => {
  const h = await start(t);
  const [gone, stays] = [h.send(h.get('/api/v1/steps')), h.send(h.get('/api/v1/steps'))];
  const text = read(stays);
  stays.resume();
  await until(() => h.steps.length === 2, 'both are worked on');
  gone.destroy();
  await until(async () => (await connections(h)) === 1, 'one sender has gone');
  h.release();
  await until(() => h.steps.length === 4, 'both went on');
  t.same(h.steps.slice(2).sort(), ['SenderGone', 'second']);
  await until(() => text().includes('200 OK'), 'the other is answered');
  t.equal((await h.call('GET', '/errors')).json().errors.length, 0, 'it is no error of the account');
});

t.test('requests on one connection run one after the other', async (t) => {
  const h = await start(t);
  const socket = h.send(h.get('/api/v1/held') + h.get('/api/v1/small').repeat(3));
  const text = read(socket);
  socket.resume();
  await until(() => h.count('/held') === 1, 'the first has begun');
  const other = h.send(h.get('/api/v1/small'));
  await until(() => h.count('/small') === 1, 'one of another connection is handled');
  other.destroy();
  t.equal(text(), '');
  h.release();
  await until(() => text().split('200 OK').length === 5, 'all are answered');
  t.equal(h.count('/small'), 4);
});

t.test('too many waiting requests are refused with the time to wait', async (t) => {
  const h = await start(t, { limits: { account_answer_bytes: 1024 * 1024, account_waiting_requests: 5 } });
  h.send(h.get('/api/v1/large'));
  await until(() => h.count('/large') === 1, 'the account is held back');
  for (let i = 0; i < 5; i++) h.send(h.get('/api/v1/small'));
  await until(async () => (await h.metric('cidermill_waiting_turns')) === 5, 'five wait');
  const socket = h.send(h.get('/api/v1/small'));
  const text = read(socket);
  socket.resume();
  await until(() => text().includes('rate_limited'), 'the sixth is refused');
  t.match(text(), /HTTP\/1\.1 429/);
  // As long as the turns of those that wait are expected to take on this machine.
  const [, seconds = ''] = /retry-after: (\d+)\r\n/i.exec(text()) ?? [];
  t.ok(Number(seconds) >= 1 && Number(seconds) <= 60, `retry-after: ${seconds}`);
  t.ok(text().includes(`"retry_after_s":${seconds}`), 'the body says the same');
  t.equal(await h.metric('cidermill_refused_turns_total'), 1);
});

t.test('a connection with too many unanswered requests is closed', async (t) => {
  const h = await start(t, { limits: { account_answer_bytes: 1024 * 1024 } });
  const socket = h.send(h.get('/api/v1/small').repeat(1_000));
  socket.resume();
  await until(() => socket.destroyed, 'it is closed');
  t.ok(h.count('/small') <= 100);
  const few = h.send(h.get('/api/v1/small').repeat(100));
  const text = read(few);
  few.resume();
  await until(() => text().split('200 OK').length === 101, 'all of a hundred are answered');
});

t.test('requests that wait for each other hold no turn', async (t) => {
  const h = await start(t, { limits: { account_answer_bytes: 1 } });
  const headers = { 'idempotency-key': 'the-same' };
  const answers = await Promise.all(Array.from({ length: 20 }, () => h.call('POST', '/inner', { headers })));
  t.same([...new Set(answers.map(({ statusCode }) => statusCode))], [200]);
  t.same(answers[0]?.json(), { statusCode: 200 });
});
