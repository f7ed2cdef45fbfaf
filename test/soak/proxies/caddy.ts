// Caddy with the sample of docs/deploy.
// Requires: caddy
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { freePort } from '../../harness/free-port.js';
import { newFolder, type ProxyWanted, replaced, type SampleProxy, samples, started } from './sample-proxy.js';

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
  const logged = await started(t, child, [httpPort, httpsPort]);
  return { httpPort, httpsPort, understood, buffered: () => [], logged };
}
