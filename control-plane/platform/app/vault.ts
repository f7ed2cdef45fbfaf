// Encrypts values with the current key and decrypts them with the key they were encrypted with.
import { ApiError } from '../domain/error-catalog.js';
import { packSealed, type Sealed, seal, unpackSealed, unseal } from '../domain/sealing.js';
import type { KeyFile } from '../store/key-file.js';

/** The value cannot be decrypted: its key is missing (`key_missing`), or the value was altered (`damaged`). */
export class UnreadableError extends Error {
  readonly reason: 'key_missing' | 'damaged';
  constructor(reason: 'key_missing' | 'damaged', options?: ErrorOptions) {
    super(
      reason === 'damaged' ? 'a sealed value is damaged' : 'the key file holds no key that opens a sealed value',
      options,
    );
    this.name = 'UnreadableError';
    this.reason = reason;
  }
}

export interface Vault {
  /**
   * Encrypts a value. Throws secrets_unavailable while the key file cannot be used.
   *
   * @param context identifies the value's owner, e.g. `secret:7:TOKEN`; decryption requires the same context
   */
  seal(plaintext: string | Buffer, context: string): Sealed;
  /** Throws UnreadableError. */
  open(sealed: Sealed, context: string): Buffer;
  /** Like `seal`, packed into one buffer for one column. */
  sealBytes(plaintext: string | Buffer, context: string): Buffer;
  openBytes(packed: Buffer, context: string): Buffer;
  /** Returns the id of the key that a packed value is encrypted with. */
  keyOf(packed: Buffer): string;
  /** Returns whether the key file contains the key. */
  has(keyId: string): boolean;
  /** Returns the problem with the key file, for the operator; null if there is none. */
  problem(): string | null;
}

export function createVault(keys: KeyFile): Vault {
  const current = () => {
    try {
      return keys.current();
    } catch (cause) {
      throw new ApiError('secrets_unavailable', { cause });
    }
  };
  const vault: Vault = {
    seal: (plaintext, context) =>
      seal(current(), typeof plaintext === 'string' ? Buffer.from(plaintext) : plaintext, context),
    open(sealed, context) {
      const key = keys.find(sealed.keyId);
      if (key === null) throw new UnreadableError('key_missing');
      try {
        return unseal(key, sealed, context);
      } catch (cause) {
        throw new UnreadableError('damaged', { cause });
      }
    },
    sealBytes: (plaintext, context) => packSealed(vault.seal(plaintext, context)),
    openBytes: (packed, context) => vault.open(unpacked(packed), context),
    keyOf: (packed) => unpacked(packed).keyId,
    has: (keyId) => keys.find(keyId) !== null,
    problem: keys.problem,
  };
  return vault;
}

function unpacked(packed: Buffer): Sealed {
  try {
    return unpackSealed(packed);
  } catch (cause) {
    throw new UnreadableError('damaged', { cause });
  }
}

/** Returns the decrypted value as text, or null if it cannot be decrypted. */
export const openedOrNull = (open: () => Buffer): string | null => openedBytes(open)?.toString() ?? null;

/** Returns the decrypted value, or null if it cannot be decrypted. */
export function openedBytes(open: () => Buffer): Buffer | null {
  try {
    return open();
  } catch (error) {
    if (error instanceof UnreadableError) return null;
    throw error;
  }
}
