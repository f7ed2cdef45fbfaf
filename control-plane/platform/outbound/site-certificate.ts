// The certificate that the service's public address presents, to its operator's monitoring.
import { connect } from 'node:tls';

export interface SiteCertificate {
  /** Ms since the epoch. */
  readonly expiresAt: number;
  /** Whether it is trusted by this machine, valid now, and made for the name in the address. */
  readonly valid: boolean;
}

/**
 * Rejects when nothing answers with TLS there.
 *
 * @param siteUrl an https address
 * @param ca trusted certificates, instead of those of the system
 */
export function readSiteCertificate(
  siteUrl: string,
  { timeoutMs, ca }: { timeoutMs: number; ca?: string },
): Promise<SiteCertificate> {
  const { hostname, port } = new URL(siteUrl);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port: Number(port || 443),
      timeout: timeoutMs,
      // An invalid certificate is reported, not refused: nothing is sent.
      rejectUnauthorized: false,
      ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
      ...(ca === undefined ? {} : { ca }),
    });
    socket.once('secureConnect', () => {
      const expiresAt = Date.parse(socket.getPeerCertificate().valid_to);
      const valid = socket.authorized;
      socket.destroy();
      if (Number.isNaN(expiresAt)) reject(new Error(`${host} presents no certificate`));
      else resolve({ expiresAt, valid });
    });
    socket.once('timeout', () => socket.destroy(new Error(`${host} does not answer`)));
    socket.once('error', reject);
  });
}
