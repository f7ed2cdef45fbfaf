// What unauthenticated clients can occupy: time for headers and bodies, and connections. Over real sockets.
// Runs in: soak
import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import Fastify from 'fastify';
import t, { type Test } from 'tap';
import { attachLinkSocket } from '../../control-plane/hosts/link/server.js';
import { compileRanges } from '../../control-plane/platform/domain/cidr.js';
import { ApiError, errorCatalog } from '../../control-plane/platform/domain/error-catalog.js';
import { createBodyDeadline } from '../../control-plane/platform/http/body-deadline.js';
import { createConnectionSlots } from '../../control-plane/platform/http/connection-slots.js';
import { createAdvancingClock } from '../../shared/clock.js';
import { type HarnessOptions, startHarness } from '../harness/harness.js';
import { until } from '../harness/until.js';

const SECONDS = 40_000;

/** A connection that collects what it receives. */
function dial(t: Test, port: number, text: string) {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (more: string) => {
    received += more;
  });
  socket.on('error', () => undefined);
  if (text !== '') socket.write(text);
  t.teardown(() => socket.destroy());
  const statuses = () => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
  return {
    socket,
    write: (more: string) => socket.write(more),
    received: () => received,
    statuses,
    answered: (status: number) => until(() => statuses().includes(status), `${status}, not ${received}`, SECONDS),
    closed: () => until(() => socket.destroyed || socket.readableEnded, `the end after ${received}`, SECONDS),
  };
}

async function listening(t: Test, options: HarnessOptions = {}) {
  const h = await startHarness(t, options);
  const { port } = new URL(await h.server.listen({ port: 0, host: '127.0.0.1' }));
  return { ...h, dial: (text: string) => dial(t, Number(port), text) };
}

const post = (path: string, bytes: number, headers: readonly string[] = []) =>
  [
    `POST ${path} HTTP/1.1`,
    'host: cidermill.test',
    `content-length: ${bytes}`,
    ...(headers.some((line) => line.startsWith('content-type')) ? [] : ['content-type: application/json']),
    ...headers,
    '\r\n',
  ].join('\r\n');

t.test('headers must arrive within seconds, even the first byte', async (t) => {
  const { dial } = await listening(t, { limits: { headers_ms: 1_000 } });
  const silent = dial('');
  const slow = dial('GET /healthz HTTP/1.1\r\nhost: cidermill.test\r\nx-slow: ');
  await Promise.all([silent.closed(), slow.closed()]);
  t.same(slow.statuses(), [408]);
  t.match(slow.received(), /"code":"invalid_request"/);
});

t.test('a refused connection is closed even if its client leaves it open', async (t) => {
  const h = await startHarness(t, { limits: { headers_ms: 200, stranger_body_ms: 200 } });
  const { port } = new URL(await h.server.listen({ port: 0, host: '127.0.0.1' }));
  const link = attachLinkSocket(h.server.server, {
    ...h.parts.platform,
    ...h.parts.link,
    ...h.parts.hosts,
    builds: h.parts.builds.runs,
    macs: h.parts.macs.macs,
  });
  t.teardown(() => link.close());
  for (const text of [
    'nonsense\r\n\r\n',
    'GET / HTTP/1.1\r\nhost: ',
    `${post('/api/runner/v1/session', 9, ['origin: http://cidermill.test'])}{`,
    'GET /link HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
    'GET /else HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
  ]) {
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => undefined).resume();
    t.teardown(() => socket.destroy());
    socket.write(text);
    await once(socket, 'end');
  }
  const open = () => new Promise<number>((done) => h.server.server.getConnections((_, count) => done(count)));
  await until(async () => (await open()) === 0, 'all connections are closed', SECONDS);
});

t.test('a request without credentials is refused before its body arrives', async (t) => {
  // Long enough to be refused for the credentials before, on a busy machine too.
  const { dial, keys } = await listening(t, { limits: { stranger_body_ms: 3_000 } });
  const gzip = 'content-type: application/gzip';
  const requests = [
    ['/api/v1/uploads', [gzip], 401],
    ['/api/v1/uploads', [gzip, 'authorization: Bearer cm_live_wrong'], 401],
    ['/api/v1/builds', [], 401],
    ['/api/v1/builds', [`authorization: Bearer ${keys.read}`], 403],
    ['/api/v1/nothing', [], 408],
    ['/nothing', [], 408],
  ] as const;
  await Promise.all(
    requests.map(async ([path, headers, status]) => {
      const sent = dial(`${post(path, 1_000, headers)}{`);
      await sent.answered(status);
      await sent.closed();
      t.same(sent.statuses(), [status], `${path} ${headers.join()}`);
    }),
  );
});

t.test('bodies to public endpoints must arrive within seconds', async (t) => {
  const { dial } = await listening(t, { limits: { stranger_body_ms: 300 } });
  const paths = ['/api/runner/v1/session', '/api/runner/v1/leaked-keys'];
  const sent = paths.map((path) => dial(`${post(path, 1_000, ['origin: http://cidermill.test'])}{`));
  for (const one of sent) {
    await one.closed();
    t.same(one.statuses(), [408], one.received());
  }
});

t.test('authenticated clients may send slowly', async (t) => {
  const { dial, keys } = await listening(t, { limits: { stranger_body_ms: 2_000 } });
  const key = `authorization: Bearer ${keys.all}`;
  const bytes = 10_000;
  const upload = dial(`${post('/api/v1/uploads', bytes, [key, 'content-type: application/gzip'])}\x1f`);
  const json = dial(`${post('/api/v1/quote', bytes, [key])} `);
  const stranger = dial(`${post('/api/runner/v1/session', bytes, ['origin: http://cidermill.test'])}{`);
  let sent = 1;
  const strangerIsRefused = () => {
    json.write(' ');
    sent++;
    return stranger.statuses().includes(408);
  };
  await until(strangerIsRefused, 'a stranger who began later is refused', SECONDS);
  t.same([upload.statuses(), json.statuses()], [[], []]);
  upload.write(' '.repeat(bytes - 1));
  json.write(' '.repeat(bytes - sent));
  await upload.answered(400);
  t.match(upload.received(), /invalid_gzip/);
  await json.answered(400);
  t.notOk(json.socket.destroyed, 'the connection stays open');
  json.write(`GET /api/v1/me HTTP/1.1\r\nhost: x\r\n${key}\r\n\r\n`);
  await json.answered(200);
});

t.test('the rest of a body whose request was refused must arrive soon too', async (t) => {
  const { dial, keys } = await listening(t, { limits: { stranger_body_ms: 1_000 } });
  const headers = [`authorization: Bearer ${keys.all}`, 'content-type: text/plain'];
  const sent = dial(`${post('/api/v1/uploads', 1_000, headers)}x`);
  await sent.closed();
  t.same(sent.statuses(), [415]);
});

t.test('anonymous requests behind a trusted proxy are limited per client', async (t) => {
  const { dial, keys } = await listening(t, {
    trustedProxies: ['127.0.0.1'],
    limits: { connections_per_address: 2 },
  });
  const from = (ip: string) =>
    `${post('/api/runner/v1/session', 1_000, ['origin: http://cidermill.test', `x-forwarded-for: ${ip}`])}{`;
  const ask = (ip: string) =>
    dial(`GET /api/v1/me HTTP/1.1\r\nhost: x\r\nx-forwarded-for: ${ip}\r\nauthorization: Bearer ${keys.all}\r\n\r\n`);
  const first = ['2001:db8::1', '2001:db8::2:3'].map((ip) => dial(from(ip)));
  const over = async () => {
    const asked = ask('2001:db8::ffff');
    await until(() => asked.statuses().length > 0, 'an answer');
    return asked;
  };
  await until(async () => (await over()).statuses()[0] === 429, 'the limit is reached');
  const refused = await over();
  t.match(refused.received(), /retry-after: 5/);
  t.match(refused.received(), /"code":"rate_limited".*|"error":"rate_limited"/);
  t.match(refused.received(), /2001:db8::ffff/);
  await ask('2001:db8:0:1::1').answered(200);
  await ask('192.0.2.1').answered(200);
  await dial(`GET /api/v1/me HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${keys.all}\r\n\r\n`).answered(200);
  first[0]?.socket.destroy();
  await until(async () => (await over()).statuses()[0] === 200, 'a new request is accepted immediately');
});

t.test('concurrent connections of a key are limited', async (t) => {
  const { dial, keys } = await listening(t, { limits: { connections_per_key: 2 } });
  const open = (key: string) => dial(`${post('/api/v1/quote', 100, [`authorization: Bearer ${key}`])}{`);
  const held = [open(keys.all), open(keys.all)];
  const ask = (key: string) => dial(`GET /api/v1/me HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`);
  const statusOf = async (key: string) => {
    const asked = ask(key);
    await until(() => asked.statuses().length > 0, 'an answer');
    return asked.statuses()[0];
  };
  await until(async () => (await statusOf(keys.all)) === 429, 'the limit is reached');
  t.equal(await statusOf(keys.read), 200, 'another key');
  held[0]?.socket.destroy();
  await until(async () => (await statusOf(keys.all)) === 200, 'a new request is accepted immediately');
});

t.test('connections count against their address until they are authenticated', async (t) => {
  const server = Fastify();
  const slots = createConnectionSlots({
    limits: { connections_per_address: 2, connections_per_key: 10 },
    trusted: null,
    exempt: compileRanges(['192.0.2.1/32']),
    clientIp: (request) => request.ip,
  });
  const open: Socket[] = [];
  server.server.on('connection', (socket) => {
    open.push(socket);
    slots.connected(socket);
  });
  server.addHook('onRequest', async (request, reply) => {
    slots.arrived(request, reply);
    if (request.headers.authorization) slots.known(request, reply, request.headers.authorization);
  });
  server.addHook('onResponse', async ({ raw }) => {
    if (slots.isRefused(raw.socket)) raw.socket.destroySoon();
  });
  server.setErrorHandler((error, _request, reply) =>
    reply.code(error instanceof ApiError ? errorCatalog[error.code].status : 500).send(''),
  );
  server.get('/', async () => 'ok');
  const { port } = new URL(await server.listen({ port: 0, host: '127.0.0.1' }));
  t.teardown(() => server.close());
  const request = (key?: string) =>
    `GET / HTTP/1.1\r\nhost: x\r\n${key === undefined ? '' : `authorization: ${key}\r\n`}\r\n`;
  const go = async (text = '') => {
    const before = open.length;
    const made = dial(t, Number(port), text);
    await once(made.socket, 'connect');
    await until(() => open.length > before, 'the connection');
    return made;
  };

  const [one, two] = [await go(), await go()];
  const three = await go(request());
  await three.closed();
  t.same(three.statuses(), [429], 'answered and closed');
  const waiting = [await go(), await go()];
  const flood = await go(request());
  await flood.closed();
  t.same(flood.statuses(), [], 'twice as many are closed at once');

  one.write(request('key'));
  await one.answered(200);
  const known = await go(request());
  await known.answered(200);
  t.notOk(known.socket.destroyed, 'the first now counts against the key');
  two.socket.destroy();
  await until(() => open[1]?.destroyed === true, 'the end');
  waiting[0]?.write(request());
  await waiting[0]?.answered(200);
});

t.test('a connection that closes before it is authenticated is no longer counted', async (t) => {
  for (const exempt of ['192.0.2.1/32', '127.0.0.1/32']) {
    const server = Fastify();
    const slots = createConnectionSlots({
      limits: { connections_per_address: 10, connections_per_key: 2 },
      trusted: null,
      exempt: compileRanges([exempt]),
      clientIp: (request) => request.ip,
    });
    server.server.on('connection', slots.connected);
    let known = 0;
    let waiting = 0;
    server.get('/', async (request, reply) => {
      slots.arrived(request, reply);
      waiting++;
      if (request.headers.wait) await until(() => request.raw.socket.destroyed, 'the end');
      slots.known(request, reply, 'key');
      known++;
      return 'ok';
    });
    const { port } = new URL(await server.listen({ port: 0, host: '127.0.0.1' }));
    t.teardown(() => server.close());
    for (let i = 1; i <= 3; i++) {
      const gone = dial(t, Number(port), 'GET / HTTP/1.1\r\nhost: x\r\nwait: 1\r\n\r\n');
      await until(() => waiting === i, 'the request');
      gone.socket.destroy();
      await until(() => known === i, 'the key is authenticated');
    }
    await dial(t, Number(port), 'GET / HTTP/1.1\r\nhost: x\r\n\r\n').answered(200);
  }
});

t.test('a server that is closed leaves no deadline behind', async (t) => {
  const clock = createAdvancingClock({ start: 0 });
  for (const closes of [false, true]) {
    let expired = 0;
    const deadline = createBodyDeadline({ clock, ms: 1_000, expired: () => expired++ });
    const request = new IncomingMessage(new Socket());
    request.headers['content-length'] = '5';
    deadline.start(request, new ServerResponse(request));
    if (closes) deadline.close();
    await clock.advance(1_000);
    t.equal(expired, closes ? 0 : 1);
  }
});
