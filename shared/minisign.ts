// Signatures in minisign's format (Ed25519 over BLAKE2b-512), which `minisign -V` verifies too.
// See docs/adr/0056-signed-packages.md.
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';

export class SignatureError extends Error {
  override name = 'SignatureError';
}

export interface PublicKey {
  /** Base64, as `minisign -P` takes it. */
  readonly text: string;
  /** Which key it is, as minisign prints it: 16 hexadecimal digits. */
  readonly id: string;
  readonly key: KeyObject;
}

const KEY = 'Ed';
const PREHASHED = 'ED';
/** DER before the 32 bytes of a public Ed25519 key (RFC 8410). */
export const DER_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
/** Other forms of base64 are refused, so that a key or signature has one text. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Reads a public key: its text, or a file with a comment above it.
 *
 * @throws SignatureError
 */
export function parsePublicKey(text: string): PublicKey {
  const line = text.trim().split('\n').at(-1)?.trim() ?? '';
  const bytes = BASE64.test(line) ? Buffer.from(line, 'base64') : Buffer.alloc(0);
  if (bytes.length !== 42 || bytes.toString('latin1', 0, 2) !== KEY) {
    throw new SignatureError(`${JSON.stringify(line.slice(0, 80))} is not a public key of minisign`);
  }
  const key = createPublicKey({
    key: Buffer.concat([DER_PREFIX, bytes.subarray(10)]),
    format: 'der',
    type: 'spki',
  });
  return { text: line, id: idText(bytes.subarray(2, 10)), key };
}

const idText = (id: Buffer) => Buffer.from(id).reverse().toString('hex').toUpperCase();

/**
 * Returns the key that has signed the content.
 *
 * @param signature text of a `.minisig` file
 * @throws SignatureError if none of the keys has
 */
export function verifySignature(content: Buffer, signature: string, keys: readonly PublicKey[]): PublicKey {
  const [, body = '', trusted = '', overall = ''] = signature.replaceAll('\r', '').split('\n');
  const [bytes, global] = [body, overall].map((line) =>
    BASE64.test(line) ? Buffer.from(line, 'base64') : Buffer.alloc(0),
  ) as [Buffer, Buffer];
  const comment = /^trusted comment: (.*)$/.exec(trusted)?.[1];
  if (bytes.length !== 74 || global.length !== 64 || comment === undefined) {
    throw new SignatureError('the signature is damaged, or not one of minisign');
  }
  if (bytes.toString('latin1', 0, 2) !== PREHASHED) {
    throw new SignatureError('the signature is of a kind that is not supported: only prehashed ones are');
  }
  const id = idText(bytes.subarray(2, 10));
  const key = keys.find((one) => one.id === id);
  if (key === undefined) {
    throw new SignatureError(`it is signed with the key ${id}, not with ${keys.map((one) => one.id).join(' or ')}`);
  }
  const signed = bytes.subarray(10);
  const hash = createHash('blake2b512').update(content).digest();
  if (!verify(null, hash, key.key, signed)) throw new SignatureError('the signature is not of this content');
  if (!verify(null, Buffer.concat([signed, Buffer.from(comment)]), key.key, global)) {
    throw new SignatureError('the comment of the signature was changed');
  }
  return key;
}
