// Addresses that customers give for us to call: what can be refused without asking the name service.
import ipaddr from 'ipaddr.js';
import { isLoopbackAddress, isPublicAddress } from './public-address.js';

export interface PublicUrlOptions {
  /** Also http, and only there, to this machine itself: for tests of receivers. */
  readonly allowLoopback: boolean;
}

const LONGEST = 2048;
const LOCAL_NAME = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/;

/**
 * Why the address may not be called, as a sentence; null when nothing is wrong with it as it stands. What its
 * host name leads to is for the time of the call.
 *
 * @example publicUrlProblem('https://[::1]/hook', { allowLoopback: false }) // 'must not lead to a private …'
 */
export function publicUrlProblem(text: string, { allowLoopback }: PublicUrlOptions): string | null {
  // The URL parser would silently drop white space and controls.
  if (text.length > LONGEST || /[\s\p{Cc}\\]/u.test(text) || !URL.canParse(text)) return 'must be a URL';
  const url = new URL(text);
  if (url.username || url.password) return 'must not hold a user name or password';
  // Numbers in every notation have become dotted ones in `hostname`.
  const host = url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  const loopback = isLoopbackAddress(host) || host === 'localhost';
  if (allowLoopback && loopback && /^https?:$/.test(url.protocol)) return null;
  if (url.protocol !== 'https:') return 'must be an https address';
  const isAddress = ipaddr.isValid(host);
  const outside = isAddress ? isPublicAddress(host) : host.includes('.') && !LOCAL_NAME.test(host);
  return outside ? null : 'must not lead to a private or special-purpose address';
}
