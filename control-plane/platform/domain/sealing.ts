// Encryption of secrets at rest: AES-256-GCM with a key that is stored outside the database.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

export interface SealingKey {
  readonly id: string;
  /** 32 bytes. */
  readonly bytes: Buffer;
}

export interface Sealed {
  readonly keyId: string;
  readonly nonce: Buffer;
  /** Ciphertext followed by the authentication tag (16 bytes). */
  readonly ciphertext: Buffer;
}

const NONCE_BYTES = 12;
/** Length of a ciphertext minus length of its plaintext, in bytes. */
export const TAG_BYTES = 16;

/** @param context identifies the value's owner: a value copied to another row cannot be decrypted */
export function seal(key: SealingKey, plaintext: Buffer, context: string): Sealed {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce).setAAD(Buffer.from(context));
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
  return { keyId: key.id, nonce, ciphertext };
}

/** Decrypts a value. Throws if it was encrypted with another key or context, or was altered. */
export function unseal(key: SealingKey, sealed: Sealed, context: string): Buffer {
  const end = sealed.ciphertext.length - TAG_BYTES;
  if (end < 0) throw new Error('a sealed value is cut short');
  const decipher = createDecipheriv('aes-256-gcm', key.bytes, sealed.nonce)
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.ciphertext.subarray(end));
  return Buffer.concat([decipher.update(sealed.ciphertext.subarray(0, end)), decipher.final()]);
}

/** Packs a sealed value into one buffer: key id, NUL, nonce, ciphertext. */
export function packSealed({ keyId, nonce, ciphertext }: Sealed): Buffer {
  return Buffer.concat([Buffer.from(`${keyId}\0`, 'latin1'), nonce, ciphertext]);
}

export function unpackSealed(packed: Buffer): Sealed {
  const end = packed.indexOf(0);
  if (end < 0) throw new Error('a sealed value has no key id');
  return {
    keyId: packed.toString('latin1', 0, end),
    nonce: packed.subarray(end + 1, end + 1 + NONCE_BYTES),
    ciphertext: packed.subarray(end + 1 + NONCE_BYTES),
  };
}
