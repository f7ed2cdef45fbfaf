// Runs in: soak
import { pino } from 'pino';
import t from 'tap';
import { createControlPlane } from '../../control-plane/control-plane.js';
import { allDegradations } from '../../control-plane/platform/domain/degradation.js';
import { startHarness } from '../harness/harness.js';
import { testRoute } from '../harness/test-route.js';

t.test('health and readiness', async (t) => {
  const { inject, close, server } = await startHarness(t);
  t.match((await inject({ url: '/healthz' })).body, /^ok\nversion \S+, schema \d+, process cp_\w+\n$/);
  t.equal((await inject({ url: '/healthz', remoteAddress: '192.0.2.1' })).body, 'ok\n', 'strangers see no version');
  t.equal((await inject({ url: '/readyz' })).body, 'ready\n');
  t.ok(server);
  await close();
});

t.test('degradations are listed, and the service stays alive', async (t) => {
  const sources = [
    () => [{ name: 'calendar', message: 'two\ndifferences' }],
    () => [],
    async () => {
      throw new Error('no answer');
    },
  ];
  t.same(await allDegradations([])(), []);
  const { inject } = await startHarness(t, { degradations: sources });
  const answer = await inject({ url: '/healthz' });
  t.equal(answer.statusCode, 200);
  t.match(
    answer.body,
    /^degraded: calendar: two differences\ndegraded: health_check: A health check failed: no answer\nversion .*\n$/,
  );
});

t.test('callers without permission do not see the reason', async (t) => {
  const operatorToken = 'operator-token-of-the-test';
  const degradations = [() => [{ name: 'host_disk_full', message: 'Host mac-07 has 3 GB left' }]];
  const { inject } = await startHarness(t, { operatorToken, degradations, trustedProxies: ['10.0.0.0/8'] });
  const ask = async (remoteAddress: string, headers: Record<string, string> = {}) => {
    const { statusCode, body } = await inject({ url: '/healthz', remoteAddress, headers });
    t.equal(statusCode, 200);
    t.match(body, /^degraded: /, 'agents of hosts, also older ones, look for this');
    return body.includes('mac-07');
  };
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  t.same(
    [
      await ask('127.0.0.1'),
      await ask('192.0.2.1', bearer(operatorToken)),
      await ask('10.0.0.1', { 'x-forwarded-for': '127.0.0.1', ...bearer(operatorToken) }),
      await ask('192.0.2.1'),
      await ask('192.0.2.1', bearer('another')),
      await ask('127.0.0.1', { 'x-forwarded-for': '192.0.2.1' }),
      await ask('127.0.0.1', { host: 'rebound.example' }),
    ],
    [true, true, true, false, false, false, false],
  );
});

t.test('what is degraded is found out once a second for all strangers', async (t) => {
  let reads = 0;
  let isDegraded = true;
  const degradations = [
    () => {
      reads++;
      return isDegraded ? [{ name: 'host_disk_full', message: 'Host mac-07 has 3 GB left' }] : [];
    },
  ];
  const { inject, clock } = await startHarness(t, { degradations });
  const ask = async (remoteAddress: string) => (await inject({ url: '/healthz', remoteAddress })).body;
  const asked = await Promise.all(Array.from({ length: 50 }, (_, n) => ask(`192.0.2.${n}`)));
  t.equal(asked.filter((body) => body.startsWith('degraded: only operators')).length, 50);
  t.equal(reads, 1);
  isDegraded = false;
  t.match(await ask('127.0.0.1'), /^ok\n/, 'operators see it at once');
  await clock.advance(1_000);
  t.equal(await ask('192.0.2.1'), 'ok\n');
  t.equal(reads, 3);
});

t.test('trusting everybody as a proxy logs a warning', async (t) => {
  const cases: [string, boolean][] = [
    ['0.0.0.0/0', true],
    ['::/0', true],
    ['0.0.0.0/1,128.0.0.0/1', true],
    ['10.0.0.1, 2000::/3', true],
    ['::ffff:0.0.0.0/96', true],
    ['10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7,fe80::/10,2001:db8::/32', false],
    ['', false],
  ];
  for (const [ranges, warned] of cases) {
    const lines: { msg: string }[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const env = {
      CIDERMILL_DATA: t.testdir({}),
      CIDERMILL_PORT: '0',
      CIDERMILL_HOST: '127.0.0.1',
      CIDERMILL_TRUSTED_PROXIES: ranges,
    };
    await (await createControlPlane({ env, log })).stop();
    t.equal(
      lines.some(({ msg }) => /claim any address/.test(msg)),
      warned,
      ranges,
    );
  }
});

t.test('a service whose database is gone is alive but not ready', async (t) => {
  const { inject, store } = await startHarness(t);
  await store.close();
  t.equal((await inject({ url: '/healthz' })).statusCode, 200);
  t.equal((await inject({ url: '/readyz' })).statusCode, 503);
});

t.test('metrics are available to this machine and to the operator only', async (t) => {
  const operatorToken = 'operator-token-of-the-test';
  const { inject, call } = await startHarness(t, { operatorToken, trustedProxies: ['10.0.0.0/8'] });
  await call('GET', '/me');
  await call('GET', '/secrets/none');
  const text = (await inject({ url: '/metrics' })).body;
  t.match(text, 'cidermill_http_request_seconds_count{method="GET",route="/api/v1/me",status="200"} 1');
  t.match(text, '# TYPE cidermill_builds gauge\ncidermill_builds{status="running"} 0');
  for (const line of text.trim().split('\n')) {
    t.match(line, /^(#.*|[a-z_]+(\{([a-z]+="[^"]*",?)+\})? -?[0-9.e+-]+)$/);
  }
  for (const [host, status] of [
    ['127.0.0.1:8460', 200],
    ['[::1]:8460', 200],
    ['localhost', 200],
    ['cidermill.test', 200],
    ['rebound.example:8460', 404],
    ['localhost.rebound.example', 404],
    ['127.0.0.1.rebound.example', 404],
    ['192.0.2.1', 404],
    ['[', 404],
  ] as const) {
    t.equal((await inject({ url: '/metrics', headers: { host } })).statusCode, status, `Host: ${host}`);
    const asked = { host, authorization: `Bearer ${operatorToken}` };
    t.equal((await inject({ url: '/metrics', headers: asked })).statusCode, 200, 'the operator');
  }
  const ask = async (remoteAddress: string, headers: Record<string, string> = {}) =>
    (await inject({ url: '/metrics', remoteAddress, headers })).statusCode;
  t.equal(await ask('::1'), 200);
  t.equal(await ask('::ffff:127.0.0.1'), 200);
  t.equal(await ask('192.0.2.1'), 404);
  t.equal(await ask('127.0.0.1', { 'x-forwarded-for': '192.0.2.1' }), 404, 'through a proxy nobody told us of');
  t.equal(await ask('10.0.0.1', { 'x-forwarded-for': '127.0.0.1' }), 404, 'a claim is not an address');
  t.equal(await ask('192.0.2.1', { authorization: `Bearer ${operatorToken}` }), 200);
  t.equal(await ask('192.0.2.1', { authorization: 'Bearer another' }), 404);
});

t.test('a log line per request, without query, headers or body', async (t) => {
  const lines: string[] = [];
  const { call, keys, org } = await startHarness(t, { log: (line) => lines.push(line) });
  await call('PUT', '/secrets/A?note=in-the-query', {
    body: { value: 'in-the-body' },
    headers: { 'x-request-id': 'r-1', cookie: 'in-the-cookie' },
  });
  const line = lines.map((text) => JSON.parse(text)).find((entry) => entry.request_id === 'r-1');
  t.match(line, {
    method: 'PUT',
    path: '/api/v1/secrets/A',
    status: 400,
    ms: Number,
    account: org.id,
    key: /^key_/,
  });
  const all = lines.join('\n');
  for (const hidden of ['in-the-query', 'in-the-body', 'in-the-cookie', keys.all]) t.notMatch(all, hidden);
});

/** A long poll: responds when `wait` resolves. */
const parkRoute = (wait: (signal: AbortSignal) => Promise<string>) =>
  testRoute({
    method: 'GET',
    path: '/park',
    level: 'read',
    summary: 'For tests',
    responses: { 200: 'text/plain' },
    handle: async ({ signal }) => ({ status: 200, type: 'text/plain', body: await wait(signal) }),
  });

t.test('closing answers pending long polls with the current state and accepts no new connections', async (t) => {
  let parked = 0;
  const { server, close, keys, wake } = await startHarness(t, {
    extraRoutes: ({ wake: bus }) => [
      parkRoute(async (signal) => {
        parked++;
        return (await bus.wait('build', 'rb_1', 60_000, signal)) ? 'woken' : 'home';
      }),
    ],
  });
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  const park = () =>
    fetch(`${url}/api/v1/park`, { headers: { authorization: `Bearer ${keys.all}` } }).then((r) => r.text());
  const waiting = Array.from({ length: 50 }, park);
  while (parked < 50) await new Promise((resolve) => setImmediate(resolve));
  wake.wake('build', 'rb_1');
  t.same(new Set(await Promise.all(waiting)), new Set(['woken']));
  const late = Array.from({ length: 50 }, park);
  while (parked < 100) await new Promise((resolve) => setImmediate(resolve));
  const closed = close();
  t.same(new Set(await Promise.all(late)), new Set(['home']));
  await closed;
  await t.rejects(park());
});

t.test('a long poll ends when its client disconnects', async (t) => {
  const { server, keys } = await startHarness(t, {
    extraRoutes: ({ wake }) => [
      parkRoute(async (signal) => {
        started();
        await wake.wait('build', 'rb_1', 60_000, signal);
        ended();
        return '';
      }),
    ],
  });
  let started = () => {};
  let ended = () => {};
  const hasStarted = new Promise<void>((resolve) => (started = resolve));
  const hasEnded = new Promise<void>((resolve) => (ended = resolve));
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  const client = new AbortController();
  const request = fetch(`${url}/api/v1/park`, {
    headers: { authorization: `Bearer ${keys.all}` },
    signal: client.signal,
  });
  await hasStarted;
  client.abort();
  await t.rejects(request);
  await hasEnded;
  t.pass('the handler was told');
});

t.test('a plain http site URL that is not on this machine logs a warning', async (t) => {
  for (const [siteUrl, warned] of [
    ['http://macs.example', true],
    ['https://macs.example', false],
    ['http://[::1]:8460', false],
  ] as const) {
    const lines: { level: number; msg: string }[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const env = {
      CIDERMILL_DATA: t.testdir({}),
      CIDERMILL_PORT: '0',
      CIDERMILL_HOST: '127.0.0.1',
      CIDERMILL_SITE_URL: siteUrl,
    };
    const controlPlane = await createControlPlane({ env, log });
    await controlPlane.stop();
    t.equal(
      lines.some(({ msg }) => /unencrypted/.test(msg)),
      warned,
      siteUrl,
    );
  }
});
