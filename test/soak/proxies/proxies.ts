// The proxies of docs/deploy as real processes: the samples as they stand, with other ports and a throw-away certificate.
// Requires: caddy, nginx
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { Authority } from '../../harness/authority.js';
import { freePort } from '../../harness/free-port.js';
import { until } from '../../harness/until.js';

const samples = new URL('../../../../docs/deploy/', import.meta.url).pathname;

export interface SampleProxy {
  readonly httpsPort: number;
  readonly httpPort: number;
  /** The configuration as the proxy understands it, with its defaults where it shows them. */
  readonly understood: string;
  /** Files that it has written request or response bodies to. */
  buffered(): string[];
  /** Everything that it has logged about requests, and its errors. */
  logged(): string;
}

export interface ProxyWanted {
  readonly authority: Authority;
  /** Of the service. */
  readonly port: number;
  /** Changes the sample before it is used. */
  readonly change?: (sample: string) => string;
}

/** Replaces what must be there, so that a changed sample is noticed. */
function replaced(text: string, changes: readonly (readonly [from: string, to: string])[]): string {
  return changes.reduce((sample, [from, to]) => {
    if (!sample.includes(from)) throw new Error(`the sample has no "${from}"`);
    return sample.replaceAll(from, to);
  }, text);
}

const accepts = (port: number) =>
  new Promise<boolean>((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      done(true);
    });
    socket.once('error', () => done(false));
  });

/** Returns a function that returns what it has written to standard error. */
async function start(t: Test, child: ChildProcess, ports: readonly number[]): Promise<() => string> {
  let said = '';
  child.stderr?.on('data', (data) => {
    said += String(data);
  });
  const ended = once(child, 'exit');
  t.teardown(async () => {
    if (child.exitCode === null) child.kill('SIGTERM');
    await ended;
  });
  for (const port of ports) {
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`the proxy has ended with ${child.exitCode}: ${said}`);
      return accepts(port);
    }, 'the proxy listens');
  }
  return () => said;
}

function newFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'cidermill-proxy-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Compresses everything that it may, as many operators have it. */
const NGINX = (folder: string) => `
daemon off; master_process off; user root;
pid ${folder}/nginx.pid; error_log stderr warn;
events {}
http {
  access_log off; default_type application/octet-stream;
  gzip on; gzip_types *; gzip_min_length 0; gzip_proxied any;
  client_body_temp_path ${folder}/temp/client; proxy_temp_path ${folder}/temp/proxy;
  fastcgi_temp_path ${folder}/temp/f; uwsgi_temp_path ${folder}/temp/u; scgi_temp_path ${folder}/temp/s;
  include ${folder}/cidermill.conf;
}`;

export async function startNginx(
  t: Test,
  { authority, port, change = (same) => same }: ProxyWanted,
): Promise<SampleProxy> {
  const folder = newFolder(t);
  const { key, cert } = authority.certificate(['macs.example', '127.0.0.1']);
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const sample = replaced(readFileSync(join(samples, 'nginx.conf'), 'utf8'), [
    ['listen 80;', `listen 127.0.0.1:${httpPort};`],
    ['listen [::]:80;', ''],
    ['listen 443 ssl http2;', `listen 127.0.0.1:${httpsPort} ssl http2;`],
    ['listen [::]:443 ssl http2;', ''],
    ['server 127.0.0.1:8460;', `server 127.0.0.1:${port};`],
    ['/etc/cidermill/tls/fullchain.pem', cert],
    ['/etc/cidermill/tls/privkey.pem', key],
    ['/var/log/nginx/cidermill.log', join(folder, 'access.log')],
  ]);
  mkdirSync(join(folder, 'temp'));
  writeFileSync(join(folder, 'cidermill.conf'), change(sample));
  writeFileSync(join(folder, 'nginx.conf'), NGINX(folder));
  const args = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'];
  const understood = execFileSync('/usr/sbin/nginx', [...args, '-T'], { encoding: 'utf8', stdio: 'pipe' });
  const child = spawn('/usr/sbin/nginx', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const errors = await start(t, child, [httpPort, httpsPort]);
  const logged = () => readFileSync(join(folder, 'access.log'), 'utf8') + errors();
  const buffered = () =>
    readdirSync(join(folder, 'temp'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  return { httpPort, httpsPort, understood, buffered, logged };
}

export async function startCaddy(
  t: Test,
  { authority, port, change = (same) => same }: ProxyWanted,
): Promise<SampleProxy> {
  const folder = newFolder(t);
  const { key, cert } = authority.certificate(['macs.example', '127.0.0.1']);
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const global = `admin off\n\thttp_port ${httpPort}\n\thttps_port ${httpsPort}\n\tdefault_bind 127.0.0.1`;
  const sample = replaced(readFileSync(join(samples, 'Caddyfile'), 'utf8'), [
    ['127.0.0.1:8460', `127.0.0.1:${port}`],
    ['{\n\tlog default', `{\n\t${global}\n\tlog default`],
    ['macs.example {\n', `macs.example {\n\ttls ${cert} ${key}\n\tencode gzip\n`],
  ]);
  const file = join(folder, 'Caddyfile');
  writeFileSync(file, change(sample));
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const args = ['--config', file, '--adapter', 'caddyfile'];
  const understood = execFileSync('caddy', ['adapt', ...args], { encoding: 'utf8', env, stdio: 'pipe' });
  const child = spawn('caddy', ['run', ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const logged = await start(t, child, [httpPort, httpsPort]);
  return { httpPort, httpsPort, understood, buffered: () => [], logged };
}
