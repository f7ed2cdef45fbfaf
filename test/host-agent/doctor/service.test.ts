// The connection to the service, over real sockets: each step that can fail is named, with advice.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { askService } from '../../../host-agent/doctor/ask-service.js';
import { connectTo } from '../../../host-agent/doctor/connect.js';
import { directly, type NetworkSettings, openNetwork } from '../../../host-agent/system/network.js';
import { systemClock } from '../../../shared/clock.js';
import { certificate, key } from '../../harness/certificate.js';
import { freePort } from '../../harness/free-port.js';
import { gate } from '../../harness/gate.js';
import { listening } from '../../harness/listening.js';
import { tempFolder } from '../runner/rig.js';
import { openMac } from './rig.js';

const answers: http.RequestListener = (request, answer) => {
  if (request.url === '/healthz') return answer.end('ok\n');
  answer.writeHead(404).end('{}');
};

/** The findings about the service at this address. */
function hostFor(t: Test, control_plane: string, settings: Partial<NetworkSettings> = {}) {
  const host = openMac(t);
  const network = openNetwork({ ...directly, ...settings });
  const clock = systemClock;
  host.config = { control_plane };
  host.mac.set('sntp', '');
  host.given = {
    network,
    clock,
    ask: (path) => askService({ siteUrl: control_plane, network, clock }, path),
  };
  return host;
}

t.test('a service that answers, and its clock', async (t) => {
  const port = await listening(t, http.createServer(answers));
  const host = hostFor(t, `http://127.0.0.1:${port}`);
  t.match(await host.look('service', 'certificate', 'clock', 'version'), [
    { check: 'service', status: 'ok', found: `http://127.0.0.1:${port} answers` },
    { check: 'certificate', status: 'not_applicable' },
    { check: 'clock', status: 'ok' },
    { check: 'version', status: 'ok', found: '1.2.0' },
  ]);
});

t.test('name, connection, and something else that listens', async (t) => {
  const site = hostFor(t, 'http://no-such-host.invalid');
  t.match(await site.one('service'), {
    status: 'failed',
    found: /cannot be reached: name: /,
    fix: /No address was found for no-such-host/,
  });
  const closed = await listening(t, net.createServer());
  const port = await freePort();
  t.match(await hostFor(t, `http://127.0.0.1:${port}`).one('service'), {
    status: 'failed',
    found: /: connection: .*ECONNREFUSED/,
    fix: /firewalls/,
  });
  // Speaks no HTTP: the connection is closed at once.
  t.ok(closed > 0);
  const rude = await listening(
    t,
    net.createServer((socket) => socket.end('220 mail.example ESMTP\r\n')),
  );
  t.match(await hostFor(t, `http://127.0.0.1:${rude}`).one('service'), {
    status: 'failed',
    found: /cannot be reached/,
  });
  t.match(await hostFor(t, `https://127.0.0.1:${rude}`).one('service'), {
    status: 'failed',
    found: /: TLS: /,
    fix: /does not speak TLS/,
  });
  const other = await listening(
    t,
    http.createServer((_request, answer) => answer.writeHead(302, { location: 'https://x/' }).end()),
  );
  t.match(await hostFor(t, `http://127.0.0.1:${other}`).one('service'), {
    status: 'failed',
    found: /answers 302, but is not Cidermill/,
  });
  const endless = await listening(
    t,
    http.createServer((_request, answer) => void answer.end('x'.repeat(1_000_000))),
  );
  t.match(await hostFor(t, `http://127.0.0.1:${endless}`).one('service'), { status: 'failed', found: /xxx/ });
});

t.test('connections that macOS refuses because the service is on the local network', async (t) => {
  const refused = Object.assign(new Error('connect EHOSTUNREACH 192.168.1.7:443'), { code: 'EHOSTUNREACH' });
  const host = hostFor(t, 'https://192.168.1.7');
  host.given = { ...host.given, ask: () => Promise.reject(refused) };
  t.match(await host.one('service'), { found: /: Local Network: /, fix: /System Settings/ });
  host.config = { control_plane: 'https://macs.local' };
  t.match(await host.one('service'), { found: /: Local Network: / });
  host.config = { control_plane: 'https://203.0.113.7' };
  t.match(await host.one('service'), { found: /: connection: / });
  const both = new AggregateError([Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT' })], '');
  host.given = { ...host.given, ask: () => Promise.reject(both) };
  t.match(await host.one('service'), { found: /: connection: connect ETIMEDOUT/ });
});

/** A certificate for 127.0.0.1, signed by itself. */
function certificateFor(t: Test, days: number): { key: string; cert: string; file: string } {
  const folder = tempFolder(t);
  const [keyFile, file] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-subj',
      '/O=Acme',
      '-days',
      String(days),
      '-addext',
      'subjectAltName=IP:127.0.0.1',
      '-keyout',
      keyFile,
      '-out',
      file,
    ],
    { stdio: 'ignore' },
  );
  return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(file, 'utf8'), file };
}

t.test('certificates', async (t) => {
  const soon = certificateFor(t, 5);
  const port = await listening(t, https.createServer(soon, answers));
  const site = `https://127.0.0.1:${port}`;
  t.match(await hostFor(t, site).look('service', 'certificate', 'clock'), [
    { check: 'service', status: 'failed', found: /: certificate: /, fix: 'See the check certificate.' },
    { check: 'certificate', status: 'failed', found: /self-signed/, fix: /ca_file in agent\.json/ },
    { check: 'clock', status: 'not_applicable' },
  ]);
  t.match(await hostFor(t, site, { ca_files: [soon.file] }).look('service', 'certificate'), [
    { check: 'service', status: 'ok' },
    { check: 'certificate', status: 'warning', found: 'valid for 4 more days, issued by Acme', fix: /^Renew/ },
  ]);
  const long = certificateFor(t, 90);
  const longPort = await listening(t, https.createServer(long, answers));
  t.match(await hostFor(t, `https://127.0.0.1:${longPort}`, { ca_files: [long.file] }).one('certificate'), {
    status: 'ok',
    found: 'valid for 89 more days, issued by Acme',
  });
  // For receiver.test, not for this address.
  const file = join(tempFolder(t), 'ca.pem');
  writeFileSync(file, certificate);
  const otherPort = await listening(t, https.createServer({ key, cert: certificate }, answers));
  t.match(await hostFor(t, `https://127.0.0.1:${otherPort}`, { ca_files: [file] }).one('certificate'), {
    status: 'failed',
    found: /altnames/,
    fix: /is for another name/,
  });
  const expired = Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' });
  const host = hostFor(t, site);
  host.given = { ...host.given, ask: () => Promise.reject(expired) };
  t.match(await host.one('certificate'), {
    status: 'failed',
    found: 'certificate has expired',
    fix: /renew it/,
  });
});

t.test('proxies', async (t) => {
  const { file, ...pair } = certificateFor(t, 30);
  const port = await listening(t, https.createServer(pair, answers));
  const seen: string[] = [];
  const proxy = http.createServer();
  proxy.on('connect', (request, socket: net.Socket) => {
    seen.push(request.url ?? '');
    const upstream = net.connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    socket.on('error', () => upstream.destroy());
  });
  const proxyPort = await listening(t, proxy);
  const through = { proxy: `http://127.0.0.1:${proxyPort}`, ca_files: [file] };
  // The name is looked up by the proxy, and the certificate is for another one.
  t.match(await hostFor(t, 'https://macs.example', through).look('service', 'certificate'), [
    { found: /: certificate: / },
    { status: 'failed', fix: /another name/ },
  ]);
  t.same(seen.slice(0, 1), ['macs.example:443']);
  const refusing = http.createServer();
  refusing.on('connect', (_request, socket: net.Socket) =>
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'),
  );
  const refusingPort = await listening(t, refusing);
  t.match(await hostFor(t, 'https://macs.example', { proxy: `http://127.0.0.1:${refusingPort}` }).one('service'), {
    status: 'failed',
    found: /: proxy: .*407/,
    fix: /its password/,
  });
});

t.test('a request to a service that does not answer ends with the daemon', async (t) => {
  const { open: asked, opened: request } = gate();
  const port = await listening(
    t,
    http.createServer(() => asked()),
  );
  const closing = new AbortController();
  const site = { siteUrl: `http://127.0.0.1:${port}`, network: openNetwork(directly), clock: systemClock };
  const answer = askService({ ...site, signal: closing.signal }, '/healthz');
  await request;
  closing.abort();
  await t.rejects(answer, { name: 'AbortError' });
});

t.test('whether an address of the local network can be reached', async (t) => {
  const port = await listening(t, net.createServer());
  t.match(await connectTo('127.0.0.1', port, systemClock), { result: 'connected' });
  t.match(await connectTo('127.0.0.1', await freePort(), systemClock), { result: 'refused' });
});
