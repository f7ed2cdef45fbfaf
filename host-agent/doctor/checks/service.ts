// The way to the service: name, connection, certificate, proxy; and whether both agree on the time and the version.

import { isIP } from 'node:net';
import { errnoOf } from '../../../shared/errno.js';
import { ProxyError } from '../../../shared/network/proxy.js';
import { isLoopback } from '../../system/request.js';
import { type Check, type CheckedHost, failed, notApplicable, type Outcome, ok, warning } from '../check.js';
import { compareVersions } from '../versions.js';
import { LOCAL_NETWORK_FIX } from './guest-network.js';

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
const CERTIFICATE_FIXES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'The certificate has expired: renew it where TLS ends, and have the server load it.',
  CERT_NOT_YET_VALID:
    'The certificate is not valid yet: compare the clock of this machine (see the check clock).',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'The certificate is for another name: use the address that it names (control_plane in agent.json), or get one for this name.',
};
const UNKNOWN_AUTHORITY =
  'The certificate is not signed by an authority that this machine trusts: set ca_file in agent.json to a PEM file of that authority, or have the server send the intermediate certificates.';
const AUTHORITY_CODES =
  /^(?:UNABLE_TO_|SELF_SIGNED_CERT_IN_CHAIN$|DEPTH_ZERO_SELF_SIGNED_CERT$|CERT_UNTRUSTED$)/;

function certificateFix(code: string): string | null {
  return CERTIFICATE_FIXES[code] ?? (AUTHORITY_CODES.test(code) ? UNKNOWN_AUTHORITY : null);
}

const service: Check = {
  ...{ check: 'service', needs: 'any', drivers: 'all' },
  why: 'The agent connects to the service. The line names the step that fails: name, connection, TLS, proxy or answer.',
  help: '`control_plane`, `https_proxy`, `no_proxy` and `ca_file` in `agent.json`',
  async look(host) {
    if (!host.enrolled) return NOT_ENROLLED;
    const site = siteOf(host);
    try {
      const { status, body } = await host.ask('/healthz');
      if (status === 200 && /^(?:ok$|degraded: )/m.test(body)) return ok(`${site} answers`);
      if (status === 503)
        return failed(`${site} answers ${status}: ${body}`, 'Look at the log of the control plane.');
      const fix =
        'Another server or a proxy answers in its place: check control_plane in agent.json, and the proxy.';
      return failed(`${site} answers ${status}, but not as Cidermill does: ${body}`, fix);
    } catch (error) {
      return unreachable(host, error);
    }
  },
};

function unreachable(host: CheckedHost, error: unknown): Outcome {
  const site = siteOf(host);
  const { hostname } = new URL(site);
  const code = codeOf(error);
  const say = (step: string, fix: string) =>
    failed(`${site} cannot be reached: ${step}: ${messageOf(error)}`, fix);
  if (code === 'PROXY_FAILED') {
    return say(
      'proxy',
      'Check the proxy (https_proxy and no_proxy in agent.json, HTTPS_PROXY): its address, its password, and whether it allows this host.',
    );
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return say(
      'name',
      `No address was found for ${hostname}: check control_plane in agent.json, and the name servers of this machine (scutil --dns).`,
    );
  }
  if (certificateFix(code) !== null) return say('certificate', 'See the check certificate.');
  if (/^(?:EPROTO$|ERR_SSL_|ERR_TLS_)/.test(code)) {
    return say(
      'TLS',
      'The server does not speak TLS on this port, or no version of TLS that is allowed: check the port in control_plane.',
    );
  }
  if (code === 'EHOSTUNREACH' && host.isMac && isPrivate(hostname))
    return say('Local Network', LOCAL_NETWORK_FIX);
  return say(
    'connection',
    'Check that the service runs, the port in control_plane, firewalls on the way, and whether a proxy is needed (https_proxy in agent.json).',
  );
}

/** Names of the local network count too; the address of others is not known here. */
const isPrivate = (hostname: string) =>
  hostname.endsWith('.local') ||
  (isIP(hostname) === 4 && /^(?:10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.)/.test(hostname));

const DAY_MS = 86_400_000;
const SOON_DAYS = 14;

const certificate: Check = {
  ...{ check: 'certificate', needs: 'any', drivers: 'all' },
  why: 'With an invalid or expired certificate of the service, no host can connect.',
  help: 'renew it; `ca_file` in `agent.json` for an authority of your own',
  async look(host) {
    if (!host.enrolled) return NOT_ENROLLED;
    const site = siteOf(host);
    if (!site.startsWith('https:')) {
      if (isLoopback(site)) return notApplicable('the service is on this machine');
      return warning(
        `${site} is not encrypted`,
        'Use https: builds and their secrets can be read on the way.',
      );
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
    const found = `valid for ${days} more days, by ${issuer}`;
    if (days >= SOON_DAYS) return ok(found);
    return warning(found, 'Renew it where TLS ends, and find out why that did not happen by itself.');
  },
};

const MUCH_MS = 60_000;
const SOME_MS = 5_000;
/** A Date header has no fractions of a second. */
const DATE_PRECISION_MS = 1_000;

const clock: Check = {
  ...{ check: 'clock', needs: 'any', drivers: 'all' },
  why: 'With a wrong clock certificates and signatures are refused, and times of builds are wrong.',
  help: '`sudo sntp -sS time.apple.com`; `sudo systemsetup -setusingnetworktime on`',
  async look(host) {
    const [fromService, fromNetwork] = await Promise.all([offsetFromService(host), offsetFromNetwork(host)]);
    const offset = fromNetwork ?? fromService;
    if (offset === null) {
      return host.enrolled
        ? notApplicable('neither the service nor a time server tells the time')
        : NOT_ENROLLED;
    }
    const ms = Math.abs(offset);
    if (ms < SOME_MS) {
      const theirs = Math.abs(fromService ?? 0);
      if (theirs < SOME_MS) return ok(`differs by ${(ms / 1000).toFixed(1)} s`);
      return warning(
        `right, but the clock of the service differs by ${(theirs / 1000).toFixed(0)} s`,
        'Set the clock of the machine with the control plane.',
      );
    }
    const found = `${offset > 0 ? 'behind' : 'ahead'} by ${(ms / 1000).toFixed(0)} s`;
    const fix = host.isMac
      ? 'Set it, and keep it right: sudo sntp -sS time.apple.com && sudo systemsetup -setusingnetworktime on'
      : 'Set the clock of this machine, or of the one with the control plane.';
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
  ...{ check: 'version', needs: 'any', drivers: 'all' },
  why: 'An agent may be one version older or newer than the service, not more.',
  help: '`cidermill admin host upgrade`',
  async look(host) {
    if (!host.enrolled) return ok(host.version);
    // The check `service` says why it does not answer.
    const answer = await host.ask('/packages/SHA256SUMS').catch(() => null);
    const names = answer?.status === 200 ? answer.body : '';
    const served = [...names.matchAll(/ cidermill-host-agent-(\d+\.\d+\.\d+)-/g)].map(
      ([, text = '']) => text,
    );
    const newest = served.sort(compareVersions).at(-1);
    if (newest === undefined) return ok(host.version);
    const order = compareVersions(host.version, newest);
    if (order === 0) return ok(`${host.version}, as the service has it`);
    if (order > 0)
      return warning(`${host.version}, newer than the service’s ${newest}`, 'Upgrade the control plane.');
    const fix = 'cidermill admin host upgrade HOST, where the control plane runs';
    return warning(`${host.version}; the service has ${newest}`, fix);
  },
};

export const serviceChecks = [service, certificate, clock, version] as const;
