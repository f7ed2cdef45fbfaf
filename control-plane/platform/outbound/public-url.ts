// Addresses that customers give for us to call: what can be refused without asking the name service, and which of
// the addresses that a name leads to may be called.
import { isIP } from 'node:net';
import type { AllowedReceivers } from './allowed-receivers.js';
import { isLoopbackAddress, isPublicAddress } from './public-address.js';

export interface ReceiverRules {
  /** Also http, and only there, to this machine itself: for tests of receivers. */
  readonly allowLoopback: boolean;
  readonly allowed: AllowedReceivers;
}

const LONGEST = 2048;
const LOCAL_NAME = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/;
const NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})+$/;

/** Below it only https itself: what else is known there is no receiver of webhooks (22 ssh, 25 smtp). */
const FIRST_FREE_PORT = 1024;
/** What is known above it as something else: the ports that browsers do not call, and those of databases. */
const OTHER_SERVICES: ReadonlySet<number> = new Set([
  ...[
    1433, 1521, 1719, 1720, 1723, 2049, 3306, 3389, 3659, 4045, 4190, 5060, 5061, 5432, 5900, 6000, 6379,
    6566,
  ],
  ...[6665, 6666, 6667, 6668, 6669, 6679, 6697, 9042, 10_080, 11_211, 27_017],
]);

const NOT_WEB = 'must have port 443, or one from 1024 on that is not known as another service';
export const NOT_PUBLIC = 'must not lead to a private or special-purpose address';

/** All that is asked of a receiver's address, for whoever has to choose another one. */
export const RECEIVER_RULES =
  `A receiver is an https address of at most ${LONGEST} characters, with port 443 or one from ${FIRST_FREE_PORT} on that ` +
  'is not known as another service, without user name and password, whose host is public: no localhost, no private, ' +
  'link-local or special-purpose address, and neither does its name lead to one.';

/** The host as it is compared: lower case, an address without brackets, a name without the root's dot. */
export function hostOf(url: URL): string {
  return url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
}

/** This machine by a literal address or its one well-known name; a name that leads to it does not count. */
const isThisMachine = (host: string) => isLoopbackAddress(host) || host === 'localhost';

/** A URL that may be called as it stands, or why not, as a sentence. */
export type ReadUrl = { readonly url: URL; readonly host: string } | { readonly problem: string };

/**
 * Reads an address as a customer gave it. What its host name leads to is for the time of the call: {@link mayDial}.
 *
 * @returns the host by {@link hostOf}
 * @example readPublicUrl('https://[::1]/hook', rules) // { problem: 'must not lead to a private …' }
 */
export function readPublicUrl(text: string, { allowLoopback, allowed }: ReceiverRules): ReadUrl {
  // The URL parser would silently drop white space and controls.
  const url =
    text.length > LONGEST || /[\s\p{Cc}\\]/u.test(text) ? null : URL.canParse(text) ? new URL(text) : null;
  if (!url) return { problem: 'must be a URL' };
  if (url.username || url.password) return { problem: 'must not hold a user name or password' };
  // Numbers in every notation have become dotted ones in `hostname`.
  const host = hostOf(url);
  if (allowLoopback && isThisMachine(host) && /^https?:$/.test(url.protocol)) return { url, host };
  if (url.protocol !== 'https:') return { problem: 'must be an https address' };
  if (!isWebPort(url.port)) return { problem: NOT_WEB };
  if (allowed.hasName(host) || allowed.hasAddress(host)) return { url, host };
  const outside = isIP(host) > 0 ? isPublicAddress(host) : NAME.test(host) && !LOCAL_NAME.test(host);
  return outside ? { url, host } : { problem: NOT_PUBLIC };
}

/** Why the address may not be called as it stands; null when nothing is wrong with it. */
export function publicUrlProblem(text: string, rules: ReceiverRules): string | null {
  const read = readPublicUrl(text, rules);
  return 'problem' in read ? read.problem : null;
}

/** @param port '' for the scheme's own */
const isWebPort = (port: string): boolean =>
  port === '' || (Number(port) >= FIRST_FREE_PORT && !OTHER_SERVICES.has(Number(port)));

/**
 * May this address be connected to for the sake of a URL with that host? Neither may be this machine's own, because
 * what listens here may trust whoever comes from here.
 *
 * @param address as the name service gave it, or the host itself
 * @param host by {@link hostOf}
 * @param isOwn whether an address is this machine's
 */
export function mayDial(
  address: string,
  host: string,
  { allowLoopback, allowed }: ReceiverRules,
  isOwn: (address: string) => boolean,
): boolean {
  if (allowed.hasName(host) || allowed.hasAddress(address)) return true;
  if (allowLoopback && isThisMachine(host) && isLoopbackAddress(address)) return true;
  return isPublicAddress(address) && !isOwn(address);
}
