// Reads the certificate of the service's public address every hour, for the metrics.
import type { Log } from '../../../shared/log.js';
import type { Gauge } from '../app/gauge.js';
import { readSiteCertificate, type SiteCertificate } from '../outbound/site-certificate.js';
import type { Worker } from './worker.js';

const PERIOD_MS = 3_600_000;
const TIMEOUT_MS = 10_000;

/** Without workers and values when the address is not https. */
export function createSiteCertificateWatch(deps: {
  readonly siteUrl: string;
  readonly log: Pick<Log, 'debug'>;
  readonly read?: typeof readSiteCertificate;
}): { readonly workers: readonly Worker[]; readonly gauges: readonly Gauge[] } {
  const { siteUrl, log, read = readSiteCertificate } = deps;
  let known: SiteCertificate | null = null;
  const whenKnown = (value: (certificate: SiteCertificate) => number): Record<string, number> =>
    known === null ? {} : { '': value(known) };
  const watch: Worker = {
    name: 'site-certificate',
    inEachProcess: true,
    periodMs: PERIOD_MS,
    async run() {
      try {
        known = await read(siteUrl, { timeoutMs: TIMEOUT_MS });
      } catch (error) {
        // Some networks do not let a machine reach its own public address.
        known = null;
        log.debug({ err: error }, 'cannot read the certificate of the public address');
      }
      return null;
    },
  };
  return {
    workers: siteUrl.startsWith('https:') ? [watch] : [],
    gauges: [
      {
        name: 'cidermill_site_certificate_expiry_timestamp_seconds',
        help: 'When the certificate of the public address expires; missing while it cannot be read.',
        read: () => whenKnown(({ expiresAt }) => expiresAt / 1000),
      },
      {
        name: 'cidermill_site_certificate_valid',
        help: 'Whether that certificate is trusted by this machine, valid now, and made for the address.',
        read: () => whenKnown(({ valid }) => (valid ? 1 : 0)),
      },
    ],
  };
}
