// Where passkeys work: browsers bind them to a host name, and offer them on https and on localhost only.
import { isIP } from 'node:net';

export type PasskeySite =
  | {
      /** The host name that passkeys are bound to. */
      readonly rpId: string;
      readonly origin: string;
    }
  | { readonly refused: PasskeyRefusal };

export const passkeyRefusals = ['plain_http', 'ip_address'] as const;
export type PasskeyRefusal = (typeof passkeyRefusals)[number];

/** @example passkeySiteOf('https://macs.example') // { rpId: 'macs.example', origin: 'https://macs.example' } */
export function passkeySiteOf(siteUrl: string): PasskeySite {
  const { hostname, origin, protocol } = new URL(siteUrl);
  if (isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0) return { refused: 'ip_address' };
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  return protocol === 'https:' || isLocal ? { rpId: hostname, origin } : { refused: 'plain_http' };
}
