// nginx with the sample of docs/deploy.
// Requires: nginx
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { createAuthority } from '../../harness/authority.js';
import { freePort } from '../../harness/free-port.js';
import { newFolder, type ProxyWanted, replaced, type SampleProxy, samples, started } from './sample-proxy.js';

/** Compresses everything that it may, as many operators have it. */
const NGINX = (folder: string) => `
daemon off; master_process off; user root;
pid ${folder}/nginx.pid; error_log stderr warn;
events { worker_connections 4096; }
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
  const errors = await started(t, child, [httpPort, httpsPort]);
  const logged = () => readFileSync(join(folder, 'access.log'), 'utf8') + errors();
  const buffered = () =>
    readdirSync(join(folder, 'temp'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  return { httpPort, httpsPort, understood, buffered, logged };
}

/** The sample without TLS, which the programs of a test need not trust, and with these processes as its upstream. */
export async function startBalancer(t: Test, ports: readonly number[]): Promise<{ url: string; logged(): string }> {
  const first = ports[0] as number;
  const proxy = await startNginx(t, {
    authority: createAuthority(t),
    port: first,
    change: (sample) =>
      replaced(sample, [
        [`server 127.0.0.1:${first};`, ports.map((port) => `server 127.0.0.1:${port};`).join(' ')],
        [' ssl http2;', ';'],
        ['ssl_certificate', '# ssl_certificate'],
      ]),
  });
  return { url: `http://127.0.0.1:${proxy.httpsPort}`, logged: proxy.logged };
}
