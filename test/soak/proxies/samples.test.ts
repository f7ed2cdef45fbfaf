// nginx and Caddy with the samples of docs/deploy in front of the real service: the link of the hosts, long polls, output
// that streams, uploads that pass through, client addresses, HTTP/2. Compression is on, as many operators have it.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { request } from 'node:https';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import t, { type Test } from 'tap';
import { type Service, startService } from '../../../bench/service.js';
import { defaultLimits } from '../../../control-plane/platform/domain/limits.js';
import { adminIn } from '../../harness/admin.js';
import { type Authority, createAuthority } from '../../harness/authority.js';
import { freePort } from '../../harness/free-port.js';
import { listening } from '../../harness/listening.js';
import { until } from '../../harness/until.js';
import { enrolFakeHost, startFakeHost } from '../../hosts/fake-host.js';
import { startCaddy } from './caddy.js';
import { startNginx } from './nginx.js';
import type { ProxyWanted, SampleProxy } from './sample-proxy.js';

const MEBIBYTE = 2 ** 20;

/** Between proxy and service: counts what the service gets. */
async function startCounter(t: Test, port: number) {
  let bytes = 0;
  const server = createServer((socket) => {
    const behind = connect(port, '127.0.0.1');
    socket.on('data', (data) => (bytes += data.length));
    socket.pipe(behind).pipe(socket);
    for (const [one, other] of [
      [socket, behind],
      [behind, socket],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  return { port: await listening(t, server), bytes: () => bytes };
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly from?: string;
  readonly key?: string;
}

/** A client of the site that trusts the private authority. */
function clientOf(service: Service, proxy: SampleProxy, authority: Authority) {
  const ca = readFileSync(authority.file);
  const open = (path: string, { method = 'GET', headers = {}, from, key = service.api_key }: Asked = {}) =>
    request({
      host: '127.0.0.1',
      servername: 'macs.example',
      port: proxy.httpsPort,
      path,
      method,
      ca,
      ...(from === undefined ? {} : { localAddress: from }),
      agent: false,
      headers: { host: 'macs.example', authorization: `Bearer ${key}`, ...headers },
    });
  const answerOf = async (sent: ClientRequest): Promise<IncomingMessage> => {
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return answer;
  };
  return {
    ca,
    open,
    answerOf,
    async call(path: string, asked: Asked = {}, body?: object) {
      const sent = open(path, {
        ...asked,
        headers: { 'content-type': 'application/json', ...asked.headers },
      });
      sent.end(body && JSON.stringify(body));
      const answer = await answerOf(sent);
      return { status: answer.statusCode, text: await text(answer) };
    },
  };
}

type Client = ReturnType<typeof clientOf>;
interface Setting {
  readonly service: Service;
  readonly proxy: SampleProxy;
  readonly client: Client;
  readonly counter: { bytes(): number };
  readonly folder: string;
}

/** An upload in two halves; the service has the first one before the second one is sent. */
async function uploads(t: Test, { client, counter, proxy, folder }: Setting): Promise<string> {
  writeFileSync(join(folder, 'random.bin'), randomBytes(6 * MEBIBYTE));
  execFileSync('tar', ['-czf', 'source.tgz', 'random.bin'], { cwd: folder });
  const body = readFileSync(join(folder, 'source.tgz'));
  const before = counter.bytes();
  const sent = client.open('/api/v1/uploads/tar', {
    method: 'POST',
    headers: { 'content-type': 'application/gzip', 'content-length': body.length },
  });
  sent.write(body.subarray(0, 4 * MEBIBYTE));
  await until(() => counter.bytes() - before > 3 * MEBIBYTE, 'the service has what was sent');
  t.same(proxy.buffered(), [], 'nothing of it is on the disk of the proxy');
  sent.end(body.subarray(4 * MEBIBYTE));
  const answer = await client.answerOf(sent);
  const said = await text(answer);
  t.equal(answer.statusCode, 201, said);
  return (JSON.parse(said) as { id: string }).id;
}

/** Output is there while the build runs, compressed or not. */
async function streams(t: Test, { client, folder }: Setting, uploadId: string): Promise<void> {
  const gate = join(folder, 'gate');
  rmSync(gate, { force: true });
  const script = `echo first; until [ -e ${gate} ]; do sleep 0.1; done; echo last`;
  const created = await client.call('/api/v1/builds', { method: 'POST' }, { script, upload_id: uploadId });
  t.equal(created.status, 201, created.text);
  const { id } = JSON.parse(created.text) as { id: string };
  const follow = async (encoding: string) => {
    const sent = client.open(`/api/v1/builds/${id}/log?format=text&wait=60`, {
      headers: { 'accept-encoding': encoding },
    });
    sent.end();
    const answer = await client.answerOf(sent);
    const isCompressed = answer.headers['content-encoding'] === 'gzip';
    const stream = isCompressed ? answer.pipe(createGunzip()) : answer;
    let got = '';
    stream.on('data', (data) => (got += String(data)));
    return { got: () => got, ended: once(stream, 'end'), encoding: answer.headers['content-encoding'] };
  };
  const followers = [await follow('identity'), await follow('gzip')];
  for (const follower of followers) {
    await until(() => follower.got().includes('first'), `output with ${follower.encoding ?? 'no'} compression`);
    t.notMatch(follower.got(), /^last/m);
  }
  const polled = await client.call(`/api/v1/builds/${id}/wait?timeout=2`);
  t.match(JSON.parse(polled.text), { status: 'running' }, 'a long poll that ends without news');
  writeFileSync(gate, '');
  for (const follower of followers) {
    await follower.ended;
    t.match(follower.got(), /^last/m);
  }
  t.match(JSON.parse((await client.call(`/api/v1/builds/${id}/wait?timeout=30`)).text), {
    status: 'succeeded',
  });
}

/** A host over TLS: the socket stays, and messages pass in both directions. */
async function links(t: Test, { service, proxy, client }: Setting): Promise<void> {
  const { token = '' } = await adminIn(service.data)(...'host enroll --name far --tier local --slots 1'.split(' '));
  const { credential, host_id: hostId } = await enrolFakeHost(service.site_url, token);
  if (credential === null) throw new Error('no credential');
  const siteUrl = `https://127.0.0.1:${proxy.httpsPort}`;
  const host = await startFakeHost({ siteUrl, credential, tls: { name: 'macs.example', ca: client.ca } });
  t.equal(host.hostId(), hostId);
  await host.message((message): message is Extract<typeof message, { type: 'desire' }> => message.type === 'desire');
  t.match(await adminIn(service.data)('host', 'show', hostId), { connected: true });
  await host.close();
}

/** The service sees the client's address, and no address that the client makes up. */
async function addresses(t: Test, { service, client }: Setting): Promise<void> {
  const { key = '' } = await adminIn(service.data)(
    ...['key', 'create', '--org', service.org_id, '--name', `one-${randomBytes(4).toString('hex')}`],
    ...['--levels', 'read', '--cidrs', '127.0.0.2/32'],
  );
  const from = async (address: string, headers: Record<string, string> = {}) =>
    (await client.call('/api/v1/me', { from: address, key, headers })).status;
  t.equal(await from('127.0.0.2'), 200);
  t.not(await from('127.0.0.3'), 200);
  for (const forged of ['127.0.0.2', '127.0.0.2, 127.0.0.2']) {
    t.not(await from('127.0.0.3', { 'x-forwarded-for': forged, forwarded: 'for=127.0.0.2' }), 200, forged);
  }
  t.equal((await client.call('/metrics', { key: 'none' })).status, 404, 'through the proxy nobody is local');
}

async function speaksHttp2(t: Test, { proxy, client }: Setting): Promise<void> {
  const session = connectHttp2(`https://127.0.0.1:${proxy.httpsPort}`, {
    ca: client.ca,
    servername: 'macs.example',
  });
  await once(session, 'connect');
  t.equal(session.alpnProtocol, 'h2');
  const stream = session.request({ ':path': '/healthz', ':authority': 'macs.example' });
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
  t.equal(headers[':status'], 200);
  t.equal(await text(stream), 'ok\n');
  session.close();
  const plain = httpRequest({
    host: '127.0.0.1',
    port: proxy.httpPort,
    path: '/sign-in',
    headers: { host: 'macs.example' },
  });
  plain.end();
  const [redirect] = (await once(plain, 'response')) as [IncomingMessage];
  redirect.resume();
  t.ok([301, 308].includes(redirect.statusCode ?? 0));
  t.match(redirect.headers.location, /^https:\/\/macs\.example(:\d+)?\/sign-in$/);
}

/** The tokens in addresses stay out of the logs. */
async function logsNoTokens(t: Test, proxy: SampleProxy, client: Client): Promise<void> {
  const token = randomBytes(80).toString('base64url');
  const seen = [
    [`/shared/${token}`, '/shared/***'],
    [`/api/runner/v1/shared/${token}/agent/builds/rb_1/log?wait=1`, '/shared/***/agent/builds/rb_1/log?wait=1'],
    [`/api/runner/v1/downloads/${token}?`, '/downloads/***?'],
  ] as const;
  for (const [path] of seen) await client.call(path, { headers: { referer: `https://macs.example/shared/${token}` } });
  const plain = httpRequest({ host: '127.0.0.1', port: proxy.httpPort, path: `/shared/${token}` });
  plain.setHeader('host', 'macs.example');
  plain.end();
  const [redirect] = (await once(plain, 'response')) as [IncomingMessage];
  redirect.resume();
  for (const [, logged] of seen) {
    await until(() => proxy.logged().includes(logged), `the log has ${logged}`);
  }
  await client.call('/healthz');
  await until(() => proxy.logged().includes('/healthz'), 'the log has a request without a token');
  t.notMatch(proxy.logged(), token);
}

const secondsOf = (config: string, name: string) => Number(new RegExp(`^\\s*${name} (\\d+)s;$`, 'm').exec(config)?.[1]);

t.test('the samples of docs/deploy', async (t) => {
  const service = await startService({ CIDERMILL_TRUSTED_PROXIES: '127.0.0.1' }, ['--macs', '1']);
  t.teardown(() => service.stop());
  const authority = createAuthority(t);
  const folder = mkdtempSync(join(tmpdir(), 'cidermill-proxied-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const { port } = new URL(service.site_url);
  const counter = await startCounter(t, Number(port));
  const setUp = async (
    t: Test,
    start: (t: Test, wanted: ProxyWanted) => Promise<SampleProxy>,
    change?: ProxyWanted['change'],
  ) => {
    const proxy = await start(t, { authority, port: counter.port, ...(change ? { change } : {}) });
    return { service, proxy, counter, folder, client: clientOf(service, proxy, authority) };
  };
  const wholeLife = async (t: Test, setting: Setting) => {
    await speaksHttp2(t, setting);
    await links(t, setting);
    await addresses(t, setting);
    await streams(t, setting, await uploads(t, setting));
  };

  await t.test('nginx', async (t) => {
    const setting = await setUp(t, startNginx);
    const { understood } = setting.proxy;
    const longest = Math.max(defaultLimits.log_stream_wait_s, defaultLimits.long_poll_s);
    for (const name of ['proxy_read_timeout', 'proxy_send_timeout']) {
      t.ok(secondsOf(understood, name) > longest, `${name} outlasts ${longest} seconds`);
    }
    t.match(understood, /^\s*client_max_body_size 0;$/m);
    await wholeLife(t, setting);
    await logsNoTokens(t, setting.proxy, setting.client);
  });

  await t.test('with a shorter time limit nginx cuts long polls, so the one of the sample is in force', async (t) => {
    const setting = await setUp(t, startNginx, (sample) => sample.replaceAll('3700s', '4s'));
    const { client } = setting;
    const body = { script: 'sleep 60', upload_id: await uploads(t, setting) };
    const created = await client.call('/api/v1/builds', { method: 'POST' }, body);
    const { id } = JSON.parse(created.text) as { id: string };
    t.equal((await client.call(`/api/v1/builds/${id}/wait?timeout=30`)).status, 504);
    t.equal((await client.call(`/api/v1/builds/${id}/cancel`, { method: 'POST' }, {})).status, 200);
  });

  await t.test('caddy', async (t) => {
    const setting = await setUp(t, startCaddy);
    t.notMatch(setting.proxy.understood, /timeout/, 'it sets none, and has none for requests by default');
    await wholeLife(t, setting);
    await logsNoTokens(t, setting.proxy, setting.client);
  });

  for (const [name, start] of [
    ['nginx', startNginx],
    ['caddy', startCaddy],
  ] as const) {
    await t.test(`${name} logs no tokens while the service does not run`, async (t) => {
      const proxy = await start(t, { authority, port: await freePort() });
      await logsNoTokens(t, proxy, clientOf(service, proxy, authority));
    });
  }
});
