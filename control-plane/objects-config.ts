// Configuration of where objects are kept: contents of uploads, artifacts and ended logs.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { errnoOf } from '../shared/errno.js';
import { httpUrl, nonEmpty, type Setting, setting } from './setting.js';

/** Null: in the data folder. */
export type ObjectsConfig = FolderConfig | S3Config | null;

export interface FolderConfig {
  readonly kind: 'folder';
  readonly path: string;
}

export interface S3Config {
  readonly kind: 's3';
  readonly bucket: string;
  /** Before every key; empty, or ends with a slash. */
  readonly prefix: string;
  /** Address of the store, without a trailing slash. */
  readonly endpoint: string;
  readonly region: string;
  /** The bucket is the first part of the path; otherwise it is in the name of the host. */
  readonly pathStyle: boolean;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials; null: they are not temporary. */
  readonly sessionToken: string | null;
}

const DEFAULT_REGION = 'us-east-1';

export const objectsSettings = {
  objects: setting(
    'CIDERMILL_OBJECTS',
    '',
    'where uploads, artifacts and ended logs are kept: `s3://BUCKET` or `s3://BUCKET/PREFIX` in an S3-compatible store, `file:///FOLDER` in a folder that all processes of the service share; without it in the data folder',
    (text) => (text === '' ? null : place(text)),
  ),
  endpoint: setting(
    'CIDERMILL_S3_ENDPOINT',
    '',
    'address of the S3-compatible store, such as `https://s3.example.com`; default: that of AWS in the region',
    (text) => (text === '' ? null : storeAddress(text)),
  ),
  region: setting('CIDERMILL_S3_REGION', DEFAULT_REGION, 'region of the bucket', region),
  pathStyle: setting(
    'CIDERMILL_S3_PATH_STYLE',
    'auto',
    'whether the bucket stands in the path of addresses (`true`) or in the name of the host (`false`); `auto`: in the path if `CIDERMILL_S3_ENDPOINT` is set',
    (text) => (text === 'auto' ? null : trueOrFalse(text)),
  ),
  accessKeyId: setting('AWS_ACCESS_KEY_ID', '', 'id of the key with which requests to the store are signed', visible),
  secretAccessKey: setting('AWS_SECRET_ACCESS_KEY', '', 'secret of that key', visible),
  secretFile: setting('AWS_SECRET_ACCESS_KEY_FILE', '', 'file with the secret of that key, instead of it', (text) =>
    text === '' ? null : nonEmpty(text),
  ),
  sessionToken: setting(
    'AWS_SESSION_TOKEN',
    '',
    'token of that key, if it is temporary; when it ends, the service needs new ones and a restart',
    visible,
  ),
  sessionTokenFile: setting('AWS_SESSION_TOKEN_FILE', '', 'file with that token, instead of it', (text) =>
    text === '' ? null : nonEmpty(text),
  ),
};

/** Returns where objects are kept. The variables of S3 are only read when they are kept there. */
export function readObjectsConfig(read: <T>(of: Setting<T>) => T, problem: (text: string) => void): ObjectsConfig {
  const objects = read(objectsSettings.objects);
  if (objects?.kind !== 's3') return objects;
  const endpoint = read(objectsSettings.endpoint);
  const ofRegion = read(objectsSettings.region);
  const accessKeyId = read(objectsSettings.accessKeyId);
  const { secretAccessKey: secret, secretFile, sessionToken: token, sessionTokenFile } = objectsSettings;
  const needed = `${secret.variable}: or ${secretFile.variable} is needed to keep objects in S3`;
  const secretAccessKey = readSecret(read, problem, { value: secret, inFile: secretFile, needed });
  const sessionToken = readSecret(read, problem, { value: token, inFile: sessionTokenFile, needed: null });
  if (accessKeyId === null) problem(`${objectsSettings.accessKeyId.variable}: is needed to keep objects in S3`);
  const pathStyle = read(objectsSettings.pathStyle) ?? endpoint !== null;
  if (!pathStyle && objects.bucket.includes('.')) {
    problem(`${objectsSettings.pathStyle.variable}: must be true for a bucket with a dot in its name`);
  }
  return {
    ...objects,
    endpoint: endpoint ?? `https://s3.${ofRegion}.amazonaws.com`,
    region: ofRegion,
    pathStyle,
    accessKeyId: accessKeyId ?? '',
    secretAccessKey: secretAccessKey ?? '',
    sessionToken,
  };
}

interface SecretSettings {
  readonly value: Setting<string | null>;
  readonly inFile: Setting<string | null>;
  /** The problem if both are absent; null: it is none. */
  readonly needed: string | null;
}

/** Returns a value that is given or in a file; null if it is neither, or wrong. */
function readSecret(
  read: <T>(of: Setting<T>) => T,
  problem: (text: string) => void,
  { value, inFile, needed }: SecretSettings,
): string | null {
  const given = read(value);
  const file = read(inFile);
  if (given !== null && file !== null) problem(`${inFile.variable}: must not be set together with ${value.variable}`);
  if (given === null && file === null && needed !== null) problem(needed);
  if (given !== null || file === null) return given;
  try {
    const text = visible(readFileSync(file, 'utf8').trim());
    if (text === null) throw new Error('is empty');
    return text;
  } catch (error) {
    problem(
      `${inFile.variable}: ${file}: ${errnoOf(error) ?? (error instanceof Error ? error.message : String(error))}`,
    );
    return null;
  }
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^(?:[A-Za-z0-9_][A-Za-z0-9._-]*)(?:\/[A-Za-z0-9_][A-Za-z0-9._-]*)*$/;

function place(text: string): FolderConfig | { kind: 's3'; bucket: string; prefix: string } {
  const expected = `expected s3://BUCKET, s3://BUCKET/PREFIX or file:///FOLDER, got "${text}"`;
  const [, bucket = '', path = ''] = /^s3:\/\/([^/]*)\/?(.*)$/.exec(text) ?? [];
  const prefix = path.replace(/\/+$/, '');
  if (BUCKET.test(bucket) && (prefix === '' || (PREFIX.test(prefix) && prefix.length <= 256))) {
    return { kind: 's3', bucket, prefix: prefix === '' ? '' : `${prefix}/` };
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'file:' || url.host !== '' || url.search !== '' || url.hash !== '' || url.pathname === '/') {
    throw new Error(expected);
  }
  return { kind: 'folder', path: fileURLToPath(url).replace(/\/+$/, '') };
}

function storeAddress(text: string): string {
  const url = new URL(httpUrl(text));
  if (url.search !== '' || url.hash !== '' || url.username !== '') {
    throw new Error(`expected an address without query and user, got "${url.origin}"`);
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function region(text: string): string {
  if (!/^[a-z0-9-]{1,64}$/i.test(text)) throw new Error(`expected a region such as ${DEFAULT_REGION}, got "${text}"`);
  return text;
}

function trueOrFalse(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new Error(`expected true, false or auto, got "${text}"`);
  return text === 'true';
}

function visible(text: string): string | null {
  // The value is not quoted in errors: it is a credential.
  if (!/^[\x21-\x7e]*$/.test(text)) throw new Error('expected visible ASCII characters');
  return text === '' ? null : text;
}
