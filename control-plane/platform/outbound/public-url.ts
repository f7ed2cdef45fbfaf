// Rules for URLs that customers give to the service: the checks without DNS, and which of the resolved addresses are
// allowed.
import { isIP } from 'node:net';
import { deliveryError } from '../../../shared/messages/delivery-errors.js';
import type { Message } from '../../../shared/messages/message.js';
import type { AllowedReceivers } from './allowed-receivers.js';
import { isLoopbackAddress, isPublicAddress } from './public-address.js';

export interface ReceiverRules {
  /** Allows loopback addresses of this machine, with http as well as https, for tests of receivers. */
  readonly allowLoopback: boolean;
  readonly allowed: AllowedReceivers;
  /** Every address and port, and http too: for a URL of the operator, who could reach them from this machine anyway. */
  readonly unrestricted?: boolean;
}

const LONGEST = 2048;
const LOCAL_NAME = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/;
const NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})+$/;

/** Lower ports are refused except that of https: they belong to other services, e.g. 22 (ssh) and 25 (smtp). */
const FIRST_FREE_PORT = 1024;
const HTTPS_PORT = 443;
const WEB_PORTS = { port: HTTPS_PORT, least: FIRST_FREE_PORT };
/** Refused higher ports: those that browsers block, and those of databases. */
const OTHER_SERVICES: ReadonlySet<number> = new Set([
  1433, 1521, 1719, 1720, 1723, 2049, 3306, 3389, 3659, 4045, 4190, 5060, 5061, 5432, 5900, 6000, 6379, 6566, 6665,
  6666, 6667, 6668, 6669, 6679, 6697, 9042, 10_080, 11_211, 27_017,
]);

export const NOT_PUBLIC = deliveryError('address_not_public');

/** All rules for the URL of a receiver, for error messages. */
export const RECEIVER_RULES =
  `A receiver must be an https address of at most ${LONGEST} characters, without user name and password. Its port must be ` +
  `${HTTPS_PORT}, or one from ${FIRST_FREE_PORT} on that is not reserved for another service. Its host must be public: not ` +
  'localhost, not a private, link-local or special-purpose address, and not a name that resolves to one.';

/** Returns the host in its form for comparisons: lower case, without brackets and without a trailing dot. */
export function hostOf(url: URL): string {
  return url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
}

/** Returns true for literal loopback addresses and `localhost`, but not for other names that resolve to them. */
const isThisMachine = (host: string) => isLoopbackAddress(host) || host === 'localhost';

/** An allowed URL and its host, or why the URL is refused. */
export type ReadUrl = { readonly url: URL; readonly host: string } | { readonly problem: Message };

/**
 * Parses and checks a URL as given by a customer. Resolved addresses are checked for each request by {@link mayDial}.
 *
 * @returns the host by {@link hostOf}
 * @example readPublicUrl('https://[::1]/hook', rules) // { problem: { code: 'address_not_public', … } }
 */
export function readPublicUrl(text: string, rules: ReceiverRules): ReadUrl {
  const { allowLoopback, allowed } = rules;
  // The URL parser would silently drop whitespace and control characters.
  const url = text.length > LONGEST || /[\s\p{Cc}\\]/u.test(text) ? null : URL.canParse(text) ? new URL(text) : null;
  if (!url) return { problem: deliveryError('not_a_url') };
  if (url.username || url.password) return { problem: deliveryError('url_with_password') };
  // `hostname` has IPv4 addresses of any notation in dotted decimal form.
  const host = hostOf(url);
  if (rules.unrestricted) {
    return /^https?:$/.test(url.protocol) ? { url, host } : { problem: deliveryError('not_http') };
  }
  if (allowLoopback && isThisMachine(host) && /^https?:$/.test(url.protocol)) return { url, host };
  if (url.protocol !== 'https:') return { problem: deliveryError('not_https') };
  if (!isWebPort(url.port)) return { problem: deliveryError('port_not_allowed', WEB_PORTS) };
  if (allowed.hasName(host) || allowed.hasAddress(host)) return { url, host };
  const outside = isIP(host) > 0 ? isPublicAddress(host) : NAME.test(host) && !LOCAL_NAME.test(host);
  return outside ? { url, host } : { problem: NOT_PUBLIC };
}

/** @param port '' for the default port of the scheme */
const isWebPort = (port: string): boolean =>
  port === '' || (Number(port) >= FIRST_FREE_PORT && !OTHER_SERVICES.has(Number(port)));

/**
 * Returns whether a request to a URL with this host may connect to the address. Addresses of this machine are refused
 * unless allowed by the rules, because local services may trust local clients.
 *
 * @param address a resolved address, or the host itself if it is an address
 * @param host by {@link hostOf}
 * @param isOwn returns whether an address belongs to this machine
 */
export function mayDial(
  address: string,
  host: string,
  { allowLoopback, allowed, unrestricted = false }: ReceiverRules,
  isOwn: (address: string) => boolean,
): boolean {
  if (unrestricted) return true;
  if (allowed.hasName(host) || allowed.hasAddress(address)) return true;
  if (allowLoopback && isThisMachine(host) && isLoopbackAddress(address)) return true;
  return isPublicAddress(address) && !isOwn(address);
}
