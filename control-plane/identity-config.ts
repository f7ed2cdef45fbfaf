// Configuration of the identity provider with which people can sign in.
import { isThisMachine, list, type Setting, setting } from './setting.js';

export interface IdentityConfig {
  readonly issuer: string;
  readonly clientId: string;
  /** Null: a public client. */
  readonly clientSecret: string | null;
  /** In lower case; empty: any. */
  readonly allowedDomains: readonly string[];
}

export const identitySettings = {
  issuer: setting(
    'CIDERMILL_OIDC_ISSUER',
    '',
    'identity provider (OpenID Connect) with which people can sign in: the issuer that its discovery document names, such as `https://accounts.google.com`; https, or this machine',
    (text) => (text === '' ? null : issuer(text)),
  ),
  clientId: setting(
    'CIDERMILL_OIDC_CLIENT_ID',
    '',
    'id of the client that is registered at the provider for this service',
    optional,
  ),
  clientSecret: setting(
    'CIDERMILL_OIDC_CLIENT_SECRET',
    '',
    'secret of that client; without it the client is public',
    optional,
  ),
  allowedDomains: setting(
    'CIDERMILL_OIDC_ALLOWED_DOMAINS',
    '',
    'domains of the e-mail addresses with which people may sign in there, separated by commas; default: any',
    (text) => list(text).map(domain),
  ),
};

/** Returns null when no provider is configured. */
export function readIdentityConfig(
  read: <T>(of: Setting<T>) => T,
  problem: (text: string) => void,
): IdentityConfig | null {
  const given = {
    issuer: read(identitySettings.issuer),
    clientId: read(identitySettings.clientId),
    clientSecret: read(identitySettings.clientSecret),
    allowedDomains: read(identitySettings.allowedDomains),
  };
  const { issuer, clientId, clientSecret, allowedDomains } = given;
  const { issuer: ofIssuer, clientId: ofClient } = identitySettings;
  if (issuer !== null && clientId !== null) return { issuer, clientId, clientSecret, allowedDomains };
  const needsIssuer = [
    ...(clientId === null ? [] : [ofClient]),
    ...(clientSecret === null ? [] : [identitySettings.clientSecret]),
    ...(allowedDomains.length === 0 ? [] : [identitySettings.allowedDomains]),
  ];
  if (issuer !== null) problem(`${ofClient.variable}: is needed together with ${ofIssuer.variable}`);
  else if (needsIssuer[0]) problem(`${ofIssuer.variable}: is needed together with ${needsIssuer[0].variable}`);
  return null;
}

function issuer(text: string): string {
  const given = text.trim();
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url?.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new Error(`expected an https address without query and user, got "${given}"`);
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isThisMachine(url.hostname))) {
    throw new Error(`expected an https address (http only on this machine), got "${given}"`);
  }
  if (url.pathname.includes('/.well-known/')) {
    throw new Error(`expected the issuer without "/.well-known/openid-configuration", got "${given}"`);
  }
  return given;
}

function optional(text: string): string | null {
  // The value is not quoted in errors: one of them is a credential.
  const given = text.trim();
  if (!/^[\x20-\x7e]*$/.test(given)) throw new Error('expected visible ASCII characters');
  return given === '' ? null : given;
}

function domain(text: string): string {
  const given = text.toLowerCase().replace(/^@/, '');
  if (!/^[^\s@*/:,]+\.[^\s@*/:,.]+$/u.test(given)) {
    throw new Error(`expected domains such as example.com, got "${text}"`);
  }
  return given;
}
