// The way to the service: name, connection, certificate, proxy; and whether both agree on the time and the version.

import { isIP } from 'node:net';
import { errnoOf } from '../../../shared/errno.js';
import { findingFix } from '../../../shared/messages/finding-fixes.js';
import { finding, type ServiceStep } from '../../../shared/messages/findings.js';
import type { Message } from '../../../shared/messages/message.js';
import { ProxyError } from '../../../shared/network/proxy.js';
import { isLoopback } from '../../system/request.js';
import { type Check, type CheckedHost, failed, notApplicable, type Outcome, ok, warning } from '../check.js';
import { compareVersions } from '../versions.js';

const NOT_ENROLLED = notApplicable('this machine is not enrolled');
const siteOf = ({ config }: CheckedHost) => config.control_plane.replace(/\/$/, '');

/** Returns the code of the error or of what caused it. */
function codeOf(error: unknown): string {
  if (error instanceof ProxyError) return error.code;
  const code = errnoOf(error);
  if (code !== undefined) return code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && error.cause !== undefined ? codeOf(error.cause) : '';
}

const messageOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
};

/** By the code of node:tls. */
const CERTIFICATE_FIXES: Readonly<Record<string, Message>> = {
  CERT_HAS_EXPIRED: findingFix('certificate_expired'),
  CERT_NOT_YET_VALID: findingFix('certificate_not_yet_valid'),
  ERR_TLS_CERT_ALTNAME_INVALID: findingFix('certificate_of_other_name'),
};
const UNKNOWN_AUTHORITY = findingFix('certificate_of_unknown_authority');
const AUTHORITY_CODES = /^(?:UNABLE_TO_|SELF_SIGNED_CERT_IN_CHAIN$|DEPTH_ZERO_SELF_SIGNED_CERT$|CERT_UNTRUSTED$)/;

function certificateFix(code: string): Message | null {
  return CERTIFICATE_FIXES[code] ?? (AUTHORITY_CODES.test(code) ? UNKNOWN_AUTHORITY : null);
}

const service: Check = {
  check: 'service',
  needs: 'any',
  drivers: 'all',
  why: 'The agent connects to the service. The line names the step that fails: name, connection, TLS, proxy or answer.',
  help: '`control_plane`, `https_proxy`, `no_proxy` and `ca_file` in `agent.json`',
  async look(host) {
    if (!host.enrolled) return NOT_ENROLLED;
    const site = siteOf(host);
    try {
      const { status, body } = await host.ask('/healthz');
      if (status === 200 && /^(?:ok$|degraded: )/m.test(body)) return ok(finding('service_answers', { site }));
      if (status === 503)
        return failed(finding('service_unwell', { site, status, body }), findingFix('read_service_log'));
      return failed(finding('not_the_service', { site, status, body }), findingFix('other_server_answers'));
    } catch (error) {
      return unreachable(host, error);
    }
  },
};

function unreachable(host: CheckedHost, error: unknown): Outcome {
  const site = siteOf(host);
  const { hostname } = new URL(site);
  const code = codeOf(error);
  const say = (step: ServiceStep, fix: Message) =>
    failed(finding('service_unreachable', { site, step, reason: messageOf(error) }), fix);
  if (code === 'PROXY_FAILED') {
    return say('proxy', findingFix('check_proxy'));
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return say('name', findingFix('check_name', { host: hostname }));
  }
  if (certificateFix(code) !== null) return say('certificate', findingFix('see_certificate'));
  if (/^(?:EPROTO$|ERR_SSL_|ERR_TLS_)/.test(code)) {
    return say('tls', findingFix('check_tls_port'));
  }
  if (code === 'EHOSTUNREACH' && host.isMac && isPrivate(hostname))
    return say('local_network', findingFix('allow_local_network'));
  return say('connection', findingFix('check_connection'));
}

/** Names of the local network count too; the address of others is not known here. */
const isPrivate = (hostname: string) =>
  hostname.endsWith('.local') ||
  (isIP(hostname) === 4 && /^(?:10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.)/.test(hostname));

const DAY_MS = 86_400_000;
const SOON_DAYS = 14;

const certificate: Check = {
  check: 'certificate',
  needs: 'any',
  drivers: 'all',
  why: 'With an invalid or expired certificate of the service, no host can connect.',
  help: 'renew it; `ca_file` in `agent.json` for an authority of your own',
  async look(host) {
    if (!host.enrolled) return NOT_ENROLLED;
    const site = siteOf(host);
    if (!site.startsWith('https:')) {
      if (isLoopback(site)) return notApplicable('the service is on this machine');
      return warning(finding('not_encrypted', { site }), findingFix('use_https'));
    }
    let answer: Awaited<ReturnType<CheckedHost['ask']>>;
    try {
      answer = await host.ask('/healthz');
    } catch (error) {
      const fix = certificateFix(codeOf(error));
      return fix === null ? notApplicable('the service cannot be reached') : failed(messageOf(error), fix);
    }
    if (answer.certificate === null) return notApplicable('the certificate was not sent again');
    const { validTo, issuer } = answer.certificate;
    const days = Math.floor((validTo - host.clock.now()) / DAY_MS);
    const found = finding('certificate_valid', { days, issuer });
    if (days >= SOON_DAYS) return ok(found);
    return warning(found, findingFix('renew_certificate'));
  },
};

const MUCH_MS = 60_000;
const SOME_MS = 5_000;
/** A Date header has no fractions of a second. */
const DATE_PRECISION_MS = 1_000;

const clock: Check = {
  check: 'clock',
  needs: 'any',
  drivers: 'all',
  why: 'With a wrong clock certificates and signatures are refused, and times of builds are wrong.',
  help: '`sudo sntp -sS time.apple.com`; `sudo systemsetup -setusingnetworktime on`',
  async look(host) {
    const [fromService, fromNetwork] = await Promise.all([offsetFromService(host), offsetFromNetwork(host)]);
    const offset = fromNetwork ?? fromService;
    if (offset === null) {
      return host.enrolled ? notApplicable('neither the service nor a time server tells the time') : NOT_ENROLLED;
    }
    const ms = Math.abs(offset);
    if (ms < SOME_MS) {
      const theirs = Math.abs(fromService ?? 0);
      if (theirs < SOME_MS) return ok(finding('clock_differs', { seconds: Math.round(ms / 100) / 10 }));
      return warning(
        finding('clock_of_service_differs', { seconds: Math.round(theirs / 1000) }),
        findingFix('set_clock_of_service'),
      );
    }
    const found = finding(offset > 0 ? 'clock_behind' : 'clock_ahead', { seconds: Math.round(ms / 1000) });
    const fix = host.isMac
      ? findingFix('keep_clock', {
          command: 'sudo sntp -sS time.apple.com && sudo systemsetup -setusingnetworktime on',
        })
      : findingFix('set_a_clock');
    return ms < MUCH_MS ? warning(found, fix) : failed(found, fix);
  },
};

/** How far this clock is behind that of the service, ms; null: unknown. */
async function offsetFromService({ enrolled, ask }: CheckedHost): Promise<number | null> {
  if (!enrolled) return null;
  // The check `service` says why it does not answer.
  const date = (await ask('/healthz').catch(() => null))?.date ?? null;
  if (date === null) return null;
  const { theirs, sent, answered } = date;
  if (theirs + DATE_PRECISION_MS < sent) return theirs + DATE_PRECISION_MS - sent;
  return theirs > answered ? theirs - answered : 0;
}

/** How far this clock is behind the time of Apple, ms; null: unknown. */
async function offsetFromNetwork({ isMac, run }: CheckedHost): Promise<number | null> {
  if (!isMac) return null;
  const { code, stdout } = await run('/usr/bin/sntp', ['time.apple.com']);
  const seconds = /^(?:.*\s)?([+-]\d{1,12}\.\d+) \+\/- \d/m.exec(stdout)?.[1];
  return code === 0 && seconds !== undefined ? Number(seconds) * 1000 : null;
}

const version: Check = {
  check: 'version',
  needs: 'any',
  drivers: 'all',
  why: 'An agent may be one version older or newer than the service, not more.',
  help: '`cidermill admin host upgrade`',
  async look(host) {
    if (!host.enrolled) return ok(host.version);
    // The check `service` says why it does not answer.
    const answer = await host.ask('/packages/SHA256SUMS').catch(() => null);
    const names = answer?.status === 200 ? answer.body : '';
    const served = [...names.matchAll(/ cidermill-host-agent-(\d+\.\d+\.\d+)-/g)].map(([, text = '']) => text);
    const newest = served.sort(compareVersions).at(-1);
    if (newest === undefined) return ok(host.version);
    const order = compareVersions(host.version, newest);
    if (order === 0) return ok(finding('version_same', { version: host.version }));
    if (order > 0)
      return warning(
        finding('version_newer', { version: host.version, theirs: newest }),
        findingFix('upgrade_service'),
      );
    const fix = findingFix('run_at_service', { command: 'cidermill admin host upgrade HOST' });
    return warning(finding('version_older', { version: host.version, theirs: newest }), fix);
  },
};

export const serviceChecks = [service, certificate, clock, version] as const;
