// Secrets at rest: AES-256-GCM under a key that is kept outside the database.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

export interface SealingKey {
  readonly id: string;
  /** 32 bytes. */
  readonly bytes: Buffer;
}

export interface Sealed {
  readonly keyId: string;
  readonly nonce: Buffer;
  /** Ciphertext and, in its last 16 bytes, the tag. */
  readonly ciphertext: Buffer;
}

const NONCE_BYTES = 12;
/** How much longer a ciphertext is than its value. */
export const TAG_BYTES = 16;

/** @param context what the value belongs to: a sealed value moved to another row does not open */
export function seal(key: SealingKey, plaintext: Buffer, context: string): Sealed {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce).setAAD(Buffer.from(context));
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
  return { keyId: key.id, nonce, ciphertext };
}

/** Throws when the value was sealed under another key or context, or was altered. */
export function unseal(key: SealingKey, sealed: Sealed, context: string): Buffer {
  const end = sealed.ciphertext.length - TAG_BYTES;
  if (end < 0) throw new Error('a sealed value is cut short');
  const decipher = createDecipheriv('aes-256-gcm', key.bytes, sealed.nonce)
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.ciphertext.subarray(end));
  return Buffer.concat([decipher.update(sealed.ciphertext.subarray(0, end)), decipher.final()]);
}

/** One column instead of three: the key's id, a NUL, the nonce, the ciphertext. */
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
