// Signs requests to S3: AWS Signature Version 4, in headers and in addresses.
import { createHash, createHmac } from 'node:crypto';

export interface SigningKey {
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Belongs to temporary credentials; null or absent: they are not temporary. */
  readonly sessionToken?: string | null;
}

export interface ToSign {
  readonly method: string;
  readonly url: URL;
  /** Names in lower case. `host` is added. */
  readonly headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body. */
  readonly bodyHash: string;
  /** Ms since the epoch. */
  readonly at: number;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const UNSIGNED = 'UNSIGNED-PAYLOAD';

export const sha256Of = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

/** Returns all headers of the request, with the signature. */
export function signedHeaders(key: SigningKey, { method, url, headers, bodyHash, at }: ToSign): Record<string, string> {
  const time = timeOf(at);
  const token: Record<string, string> = key.sessionToken ? { 'x-amz-security-token': key.sessionToken } : {};
  const signed: Record<string, string> = {
    ...headers,
    ...token,
    host: url.host,
    'x-amz-content-sha256': bodyHash,
    'x-amz-date': time,
  };
  const names = Object.keys(signed).sort();
  const { scope, signature } = sign(key, { method, url, headers: signed, names, bodyHash, time });
  const credential = `Credential=${key.accessKeyId}/${scope}`;
  const authorization = `${ALGORITHM} ${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return { ...signed, authorization };
}

/** Returns an address with which anybody can send the GET request until `validMs` have passed. */
export function signedAddress(
  key: SigningKey,
  { url, at, validMs }: { readonly url: URL; readonly at: number; readonly validMs: number },
): string {
  const time = timeOf(at);
  const signed = new URL(url);
  const parameters = {
    ...(key.sessionToken ? { 'X-Amz-Security-Token': key.sessionToken } : {}),
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Credential': `${key.accessKeyId}/${scopeOf(key, time)}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': String(Math.floor(validMs / 1000)),
    'X-Amz-SignedHeaders': 'host',
  };
  for (const [name, value] of Object.entries(parameters)) signed.searchParams.set(name, value);
  const headers = { host: url.host };
  const { signature } = sign(key, { method: 'GET', url: signed, headers, names: ['host'], bodyHash: UNSIGNED, time });
  return `${signed.origin}${signed.pathname}?${queryOf(signed)}&X-Amz-Signature=${signature}`;
}

interface Canonical extends Pick<ToSign, 'method' | 'url' | 'headers' | 'bodyHash'> {
  /** Of the signed headers, sorted. */
  readonly names: readonly string[];
  readonly time: string;
}

/** Exported for the server of the tests, which verifies signatures. */
export function sign(key: SigningKey, { method, url, headers, names, bodyHash, time }: Canonical) {
  const lines = names.map((name) => `${name}:${headers[name]?.trim().replace(/ +/g, ' ')}\n`).join('');
  const canonical = [method, url.pathname, queryOf(url), lines, names.join(';'), bodyHash].join('\n');
  const scope = scopeOf(key, time);
  const text = [ALGORITHM, time, scope, sha256Of(canonical)].join('\n');
  const derived = scope.split('/').reduce<Buffer | string>((of, part) => hmac(of, part), `AWS4${key.secretAccessKey}`);
  return { scope, signature: hmac(derived, text).toString('hex') };
}

const scopeOf = ({ region }: SigningKey, time: string) => `${time.slice(0, 8)}/${region}/s3/aws4_request`;

const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest();

/** @example timeOf(0) // '19700101T000000Z' */
const timeOf = (at: number) => new Date(at).toISOString().replace(/[:-]|\.\d{3}/g, '');

/** Returns the query in the form that is signed: sorted, and with everything encoded that RFC 3986 reserves. */
export function queryOf(url: URL): string {
  const pairs = [...url.searchParams].map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  return pairs.sort().join('&');
}

const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
