// Signs SHA256SUMS with the publisher's key, in minisign's format. See docs/adr/0056-signed-packages.md.
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { DER_PREFIX, parsePublicKey, SignatureError, verifySignature } from '../../shared/minisign.js';
import { SUMS } from './sums.js';

export const SIGNATURE = `${SUMS}.minisig`;
/** The public key beside the packages, as `minisign -p` reads it. */
export const PUBLIC_KEY = 'cidermill.pub';

export interface SigningKey {
  /** Public key of minisign. */
  readonly text: string;
  readonly id: string;
  readonly secret: KeyObject;
}

/** Where the key is if nothing else was said: outside of the source tree. */
export const defaultKeyFile = (env: NodeJS.ProcessEnv): string =>
  env.CIDERMILL_SIGNING_KEY || join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'cidermill', 'signing-key.pem');

/**
 * Reads the key, or makes one in a file that only this user can read.
 *
 * @param options.outsideOf folders that are published or committed
 * @throws Error for a key that others can read, or in one of these folders
 */
export function openKey(
  file: string,
  options: { readonly outsideOf: readonly string[]; readonly say: (text: string) => void },
): SigningKey {
  const path = resolve(file);
  const folder = existsSync(dirname(path)) ? realpathSync(dirname(path)) : dirname(path);
  for (const other of options.outsideOf) {
    const inside = relative(existsSync(other) ? realpathSync(other) : other, folder);
    if (inside === '' || !(inside.startsWith('..') || inside.startsWith('/'))) {
      throw new Error(
        `the signing key ${path} would be in ${other}, whose files are published or committed: name another file with --signing-key`,
      );
    }
  }
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const { privateKey } = generateKeyPairSync('ed25519');
    writeFileSync(path, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600, flag: 'wx' });
    options.say(`made the signing key ${path}: keep a copy in a safe place. Hosts accept upgrades signed with it only`);
  }
  if ((statSync(path).mode & 0o077) !== 0) {
    throw new Error(
      `others can read the signing key ${path}: run chmod 600, or make a new key if they may have read it`,
    );
  }
  const secret = createPrivateKey(readFileSync(path));
  if (secret.asymmetricKeyType !== 'ed25519') throw new Error(`${path} is not an Ed25519 key`);
  const raw = createPublicKey(secret).export({ format: 'der', type: 'spki' }).subarray(DER_PREFIX.length);
  // minisign chooses the id at random; this one needs no second file.
  const id = createHash('sha256').update(raw).digest().subarray(0, 8);
  const text = Buffer.concat([Buffer.from('Ed'), id, raw]).toString('base64');
  return { text, id: parsePublicKey(text).id, secret };
}

/** @param comment is signed too; one line */
export function signContent(content: Buffer, { text, id, secret }: SigningKey, comment: string): string {
  const keyId = Buffer.from(text, 'base64').subarray(2, 10);
  const signed = sign(null, createHash('blake2b512').update(content).digest(), secret);
  const overall = sign(null, Buffer.concat([signed, Buffer.from(comment)]), secret);
  return [
    `untrusted comment: signature of cidermill, key ${id}`,
    Buffer.concat([Buffer.from('ED'), keyId, signed]).toString('base64'),
    `trusted comment: ${comment}`,
    overall.toString('base64'),
    '',
  ].join('\n');
}

/** Signs SHA256SUMS of the folder, and puts the public key beside it. */
export function signSums(folder: string, key: SigningKey): void {
  const content = readFileSync(join(folder, SUMS));
  writeFileSync(join(folder, SIGNATURE), signContent(content, key, `file:${SUMS}\thashed`), { mode: 0o644 });
  const pub = `untrusted comment: minisign public key ${key.id}\n${key.text}\n`;
  writeFileSync(join(folder, PUBLIC_KEY), pub, { mode: 0o644 });
}

/**
 * Returns the key that has signed SHA256SUMS of the folder; null when there is no signature of these keys.
 */
export function signerOf(folder: string, keys: readonly string[]): string | null {
  const [sums, signature] = [SUMS, SIGNATURE].map((name) => join(folder, name)) as [string, string];
  if (!existsSync(sums) || !existsSync(signature)) return null;
  try {
    return verifySignature(readFileSync(sums), readFileSync(signature, 'utf8'), keys.map(parsePublicKey)).text;
  } catch (error) {
    if (error instanceof SignatureError) return null;
    throw error;
  }
}
