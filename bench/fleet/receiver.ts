// A receiver of webhooks on this machine, with a certificate of its own. Requires: openssl
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from './child.js';

export interface Receiver {
  readonly url: string;
  /** What the service has to trust, for NODE_EXTRA_CA_CERTS. */
  readonly certificate: string;
  posts(): Promise<number>;
  stop(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const folder = mkdtempSync(join(tmpdir(), 'cidermill-receiver-'));
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', ['req', '-x509', ...ec, ...subject, '-keyout', key, '-out', certificate], { stdio: 'pipe' });
  const child = startChild(new URL('./receiving.js', import.meta.url));
  const port = await child.ask<number>('listen', { key, certificate });
  return {
    url: `https://127.0.0.1:${port}`,
    certificate,
    posts: () => child.ask<number>('posts'),
    async stop() {
      await child.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
