// A private certificate authority, and TLS in front of local servers, as in an organization.
// Requires: openssl
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import type { Test } from 'tap';

export interface Authority {
  /** PEM file of the authority's certificate. */
  file: string;
  folder: string;
  /** Makes a certificate for these names and addresses; returns its PEM files. */
  certificate(names: readonly string[]): { readonly key: string; readonly cert: string };
  /** Serves TLS for these names and forwards the bytes to a local port; returns the port that it listens on. */
  front(names: readonly string[], port: number): Promise<number>;
}

export function createAuthority(t: Test): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'cidermill-authority-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...ec, '-days', '30', '-subj', '/CN=Private CA', '-keyout', 'ca.key', '-out', 'ca.pem');
  let count = 0;
  const certificate = (names: readonly string[]) => {
    count += 1;
    const [key, request, cert, extensions] = ['key', 'csr', 'pem', 'ext'].map((end) => `${count}.${end}`) as [
      ...[string, string, string, string],
    ];
    const isAddress = (name: string) => /^[\d.]+$/.test(name);
    const alternatives = names.map((name) => `${isAddress(name) ? 'IP' : 'DNS'}:${name}`);
    writeFileSync(join(folder, extensions), `subjectAltName=${alternatives.join(',')}\n`);
    openssl('req', ...ec, '-subj', `/CN=${names[0]}`, '-keyout', key, '-out', request);
    const signer = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'];
    openssl('x509', '-req', '-days', '30', ...signer, '-in', request, '-out', cert, '-extfile', extensions);
    return { key: join(folder, key), cert: join(folder, cert) };
  };
  return {
    file: join(folder, 'ca.pem'),
    folder,
    certificate,
    async front(names, port) {
      const { key, cert } = certificate(names);
      const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (socket) => {
        const behind = connect(port, '127.0.0.1');
        socket.pipe(behind).pipe(socket);
        socket.on('error', () => behind.destroy());
        behind.on('error', () => socket.destroy());
        socket.on('close', () => behind.destroy());
        behind.on('close', () => socket.destroy());
      }).listen(0, '127.0.0.1');
      // Clients that do not trust the certificate abort the handshake.
      server.on('tlsClientError', () => undefined);
      await once(server, 'listening');
      t.teardown(() => server.close());
      return (server.address() as AddressInfo).port;
    },
  };
}
