// Hosts that move to another address of their service, and what may answer there instead.
// Runs in: soak
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { createHostAgent } from '../../../host-agent/compose.js';
import { enrolHost } from '../../../host-agent/daemon/enrolment.js';
import { createMover, type MoverDeps } from '../../../host-agent/daemon/mover.js';
import { defaultDaemonLimits } from '../../../host-agent/limits.js';
import { createAdvancingClock } from '../../../shared/clock.js';
import { createLog } from '../../../shared/log.js';
import type { Message } from '../../../shared/messages/message.js';
import { moveError } from '../../../shared/messages/move-errors.js';
import { type LinkServiceOptions, startLinkService } from '../../harness/link-service.js';
import { listening } from '../../harness/listening.js';
import { until } from '../../harness/until.js';
import { startTcpProxy } from './tcp-proxy.js';

const log = createLog('test', process.env.CIDERMILL_LOG_LEVEL ?? 'silent');
const link = { reconnectBaseMs: 5, reconnectMaxMs: 20, handshakeMs: 2_000, stableMs: 1 };

/** A service, and a connected host of it. */
async function start(t: Test, { daemon = {} }: { daemon?: Record<string, number> } = {}) {
  const options: LinkServiceOptions = {};
  const service = await startLinkService(t, options);
  const { token } = await service.hosts.createEnrolment({ tier: 'local', slots: 1 });
  const dataDir = join(t.testdir(), 'host');
  const limits = { link, daemon: { moveRetryMs: 20, moveRetryMaxMs: 40, moveTrialMs: 2_000, ...daemon } };
  const config = { control_plane: service.siteUrl, allow_unisolated: true, limits };
  const { host_id, credential } = await enrolHost({ dataDir, token, config });
  const agent = createHostAgent({ dataDir, log });
  await agent.start();
  t.teardown(() => agent.stop());
  const connected = () => until(() => service.link.connectedHosts().includes(host_id), 'connected');
  await connected();
  const host = () => service.hosts.get(host_id);
  return {
    service,
    agent,
    dataDir,
    hostId: host_id,
    credential,
    connected,
    host,
    /** The address that the service is configured with. */
    configured: (url: string) => {
      options.configuredUrl = url;
    },
    move: (url: string | null) => service.hosts.moveAll({ hosts: [host_id] }, url),
    written: () => JSON.parse(readFileSync(join(dataDir, 'agent.json'), 'utf8')).control_plane as string,
    error: (text: RegExp) => until(async () => text.test((await host()).linkAddress?.move?.error ?? ''), String(text)),
  };
}

async function secondAddress(t: Test, port: number) {
  const proxy = await startTcpProxy(() => port);
  t.teardown(() => proxy.close());
  return { ...proxy, url: `http://127.0.0.1:${proxy.port}` };
}

/** Answers every request with `answer`, and records what it is sent. */
async function stranger(
  t: Test,
  answer: (body: string, request: IncomingMessage) => Promise<[status: number, body: string]>,
) {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(JSON.stringify(request.headers));
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', async () => {
      heard.push(body);
      const [status, text] = await answer(body, request);
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    });
  });
  server.on('upgrade', (request, socket) => {
    heard.push(`upgrade ${JSON.stringify(request.headers)}`);
    socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n');
  });
  const port = await listening(t, server);
  return { url: `http://127.0.0.1:${port}`, heard };
}

t.test('a host moves to another address of its service, and stays there', async (t) => {
  const h = await start(t);
  const other = await secondAddress(t, h.service.port);
  t.match(await h.host(), { linkAddress: { site_url: h.service.siteUrl, move: null } });
  t.match(await h.move(`${other.url}/`), [{ changes: [{ field: 'moves to', from: null, to: other.url }] }]);
  await h.error(new RegExp(`gives ${h.service.siteUrl} as its address: set CIDERMILL_SITE_URL`));
  h.configured(other.url);
  await until(async () => (await h.host()).linkAddress?.site_url === other.url, 'moved, without another order');
  t.match(await h.host(), { linkAddress: { move: null }, moveTo: null });
  t.equal(h.written(), other.url);
  t.match(await h.move(other.url), [{ changes: [] }], 'it is there');
  await h.connected();
  await h.agent.stop();
  await until(() => h.service.link.connectedHosts().length === 0, 'stopped');
  const before = other.sent();
  await h.agent.start();
  await h.connected();
  t.ok(other.sent() > before, 'after a restart it uses the new address');
});

t.test('a host stays while the new address is dead, and remembers it', async (t) => {
  const h = await start(t);
  const other = await secondAddress(t, h.service.port);
  await other.close();
  await h.move(other.url);
  await h.error(/cannot be reached: ECONNREFUSED/);
  await h.connected();
  t.equal(h.written(), h.service.siteUrl);
  t.match((await h.host()).moveTo, other.url);

  // It is remembered, because the service may answer only there by the time the agent is restarted.
  await h.agent.stop();
  t.match(JSON.parse(readFileSync(join(h.dataDir, 'move.json'), 'utf8')), { to: other.url });
  await h.agent.start();
  await h.connected();
  await h.move(null);
  await until(async () => (await h.host()).linkAddress?.move === null, 'cancelled');
  t.match(JSON.parse(readFileSync(join(h.dataDir, 'move.json'), 'utf8')), { to: null });
});

t.test('no stranger gets the credential', async (t) => {
  const h = await start(t);
  const elsewhere = await startLinkService(t);
  const strangers = [
    [await stranger(t, async () => [200, '{"hello":"you"}']), /is not a Cidermill service/],
    [await stranger(t, async () => [200, 'x'.repeat(100_000)]), /is not a Cidermill service/],
    [await stranger(t, async () => [404, 'no']), /not this service, or the service is not available now \(404\)/],
    [
      await stranger(t, async () => [200, JSON.stringify({ site_url: 'http://x', proof: 'a'.repeat(64) })]),
      /does not know the credential/,
    ],
    // Passes the question on to the service.
    [
      await stranger(t, async (body, { url, method, headers }) => {
        const type = { 'content-type': headers['content-type'] ?? '' };
        const answer = await fetch(h.service.siteUrl + url, { method, headers: type, body });
        return [answer.status, await answer.text()];
      }),
      new RegExp(`gives ${h.service.siteUrl} as its address`),
    ],
    // The same, and says that it is its own address.
    [
      await stranger(t, async (body, { url, method, headers }) => {
        const type = { 'content-type': headers['content-type'] ?? '' };
        const answer = await fetch(h.service.siteUrl + url, { method, headers: type, body });
        const { proof } = (await answer.json()) as { proof: string };
        return [200, JSON.stringify({ site_url: `http://${headers.host}`, proof })];
      }),
      /does not know the credential/,
    ],
  ] as const;
  for (const [{ url, heard }, message] of strangers) {
    await h.move(url);
    await h.error(message);
    t.notMatch(heard.join('\n'), new RegExp(`upgrade|authorization|${h.credential}`, 'i'), String(message));
  }
  await h.move(elsewhere.siteUrl);
  await h.error(/does not know this host/);
  await h.connected();
  t.equal(h.written(), h.service.siteUrl);
});

t.test('a host that is not welcomed at the new address returns', async (t) => {
  const h = await start(t, { daemon: { moveTrialMs: 300 } });
  // Passes on requests, but not the link.
  const half = await stranger(t, async (body, { url, method, headers }) => {
    const type = { 'content-type': headers['content-type'] ?? '' };
    const answer = await fetch(h.service.siteUrl + url, { method, headers: type, body });
    return [answer.status, await answer.text()];
  });
  h.configured(half.url);
  await h.move(half.url);
  await h.error(/does not know this host/);
  t.match(half.heard.join('\n'), /upgrade/);
  await h.connected();
  t.equal(h.written(), h.service.siteUrl);
  t.equal((await h.host()).status, 'active');
});

t.test('a host whose configuration cannot be written returns', async (t) => {
  const h = await start(t);
  const other = await secondAddress(t, h.service.port);
  h.configured(other.url);
  writeFileSync(join(h.dataDir, 'agent.json'), 'not JSON');
  await h.move(other.url);
  await h.error(/cannot be written: .*not JSON/);
  await h.connected();
  t.match((await h.host()).linkAddress, { site_url: h.service.siteUrl });
});

t.test('after a move a host returns if the new address dies on the first day', async (t) => {
  const h = await start(t, { daemon: { moveReturnAfterMs: 100 } });
  const other = await secondAddress(t, h.service.port);
  h.configured(other.url);
  await h.move(other.url);
  await until(async () => (await h.host()).linkAddress?.site_url === other.url, 'moved');
  await other.close();
  await until(async () => (await h.host()).linkAddress?.site_url === h.service.siteUrl, 'returned');
  await h.connected();
  t.equal(h.written(), h.service.siteUrl);
  t.ok(existsSync(join(h.dataDir, 'credential.json')));
});

t.test('attempts back off, and a later order replaces an earlier one', async (t) => {
  const clock = createAdvancingClock({ start: 0 });
  const calls: string[] = [];
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const at = { siteUrl: 'https://old.example', credential: 'cmh_x' };
  let refusal: Message | null = moveError('unknown_host', { url: 'https://a.example' });
  const deps: MoverDeps = {
    configured: () => at,
    refusalOf: async (siteUrl) => {
      calls.push(`ask ${siteUrl}`);
      return refusal;
    },
    configure: (siteUrl) => {
      at.siteUrl = siteUrl;
    },
    file: { read: () => ({ to: null, previous: null }), write: () => {} },
    isUp: () => true,
    reconnect: () => calls.push('reconnect'),
    report: ({ move }) => calls.push(`report ${move?.to ?? '-'} ${move?.error ?? ''}`),
    limits: () => defaultDaemonLimits,
    clock,
    log,
  };
  const mover = createMover(deps);
  t.teardown(() => mover.close());
  mover.start();
  for (const [siteUrl, reason] of [
    ['http://new.example', 'not encrypted'],
    ['http://127.evil.example', 'not encrypted'],
    ['ftp://new.example', 'not an http'],
    ['nonsense', 'not an http'],
  ]) {
    mover.wanted(siteUrl ?? null);
    await settled();
    t.match(mover.facts(), {
      site_url: 'https://old.example',
      move: { to: siteUrl, error: new RegExp(reason ?? ''), error_message: { params: { url: siteUrl } } },
    });
  }
  t.notOk(
    calls.some((call) => call.startsWith('ask')),
    'these are not even asked',
  );

  mover.wanted('https://a.example');
  await settled();
  const asked = () => calls.filter((call) => call === 'ask https://a.example').length;
  t.equal(asked(), 1);
  mover.wanted('https://a.example');
  await settled();
  t.equal(asked(), 1, 'a repeated desire starts nothing');
  await clock.advance(24 * 3_600_000);
  t.ok(asked() > 100 && asked() < 400, `${asked()} attempts in a day`);

  refusal = null;
  mover.wanted('https://b.example');
  await settled();
  t.equal(calls.at(-1), 'reconnect');
  t.equal(mover.address().siteUrl, 'https://b.example');
  t.match(mover.facts(), { site_url: 'https://old.example' }, 'until it is welcomed');
  t.equal(mover.refused(), true);
  t.equal(mover.address().siteUrl, 'https://old.example');
  t.equal(mover.refused(), false, 'at the configured address it is removed');
  await clock.advance(defaultDaemonLimits.moveRetryMs * 2);
  await settled();
  t.equal(calls.filter((call) => call === 'ask https://b.example').length, 2, 'tried again');
  await clock.advance(defaultDaemonLimits.moveTrialMs);
  t.match(mover.facts().move?.error, /did not accept the link within 30 s/);
});
