// Addresses that customers give for us to call: what can be refused without asking the name service, and which of
// the addresses that a name leads to may be called.
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import type { AllowedReceivers } from './allowed-receivers.js';
import { isLoopbackAddress, isPublicAddress, isSameAddress } from './public-address.js';

export interface ReceiverRules {
  /** Also http, and only there, to this machine itself: for tests of receivers. */
  readonly allowLoopback: boolean;
  readonly allowed: AllowedReceivers;
}

const LONGEST = 2048;
const LOCAL_NAME = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/;
const NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})+$/;

export const NOT_PUBLIC = 'must not lead to a private or special-purpose address';

/** The host as it is compared: lower case, an address without brackets, a name without the root's dot. */
export function hostOf(url: URL): string {
  return url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
}

/** This machine by a literal address or its one well-known name; a name that leads to it does not count. */
const isThisMachine = (host: string) => isLoopbackAddress(host) || host === 'localhost';

/**
 * Why the address may not be called, as a sentence; null when nothing is wrong with it as it stands. What its
 * host name leads to is for the time of the call: {@link mayDial}.
 *
 * @example publicUrlProblem('https://[::1]/hook', rules) // 'must not lead to a private …'
 */
export function publicUrlProblem(text: string, { allowLoopback, allowed }: ReceiverRules): string | null {
  // The URL parser would silently drop white space and controls.
  if (text.length > LONGEST || /[\s\p{Cc}\\]/u.test(text) || !URL.canParse(text)) return 'must be a URL';
  const url = new URL(text);
  if (url.username || url.password) return 'must not hold a user name or password';
  // Numbers in every notation have become dotted ones in `hostname`.
  const host = hostOf(url);
  if (allowLoopback && isThisMachine(host) && /^https?:$/.test(url.protocol)) return null;
  if (url.protocol !== 'https:') return 'must be an https address';
  if (allowed.hasName(host) || allowed.hasAddress(host)) return null;
  const outside = ipaddr.isValid(host) ? isPublicAddress(host) : NAME.test(host) && !LOCAL_NAME.test(host);
  return outside ? null : NOT_PUBLIC;
}

/**
 * May this address be connected to for the sake of a URL with that host? Neither may be this machine's own, because
 * what listens here may trust whoever comes from here.
 *
 * @param address as the name service gave it, or the host itself
 * @param host by {@link hostOf}
 */
export function mayDial(address: string, host: string, { allowLoopback, allowed }: ReceiverRules): boolean {
  if (allowed.hasName(host) || allowed.hasAddress(address)) return true;
  if (allowLoopback && isThisMachine(host) && isLoopbackAddress(address)) return true;
  return isPublicAddress(address) && !isOwnAddress(address);
}

function isOwnAddress(address: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  return own.some((entry) => isSameAddress(entry.address, address));
}
