// Seals values under the current key and opens them under the one they were sealed with.
import { ApiError } from '../domain/error-catalog.js';
import { packSealed, type Sealed, seal, unpackSealed, unseal } from '../domain/sealing.js';
import type { KeyFile } from '../store/key-file.js';

/** A value that does not open: its key is lost (`key_missing`), or the value itself was changed (`damaged`). */
export class UnreadableError extends Error {
  readonly reason: 'key_missing' | 'damaged';
  constructor(reason: 'key_missing' | 'damaged', options?: ErrorOptions) {
    super(
      reason === 'damaged'
        ? 'a sealed value is damaged'
        : 'the key file holds no key that opens a sealed value',
      options,
    );
    this.name = 'UnreadableError';
    this.reason = reason;
  }
}

export interface Vault {
  /**
   * Throws secrets_unavailable while the key file cannot be used.
   *
   * @param context what the value belongs to, e.g. `secret:7:TOKEN`; it must be given again to open
   */
  seal(plaintext: string | Buffer, context: string): Sealed;
  /** Throws UnreadableError. */
  open(sealed: Sealed, context: string): Buffer;
  /** The same in one column. */
  sealBytes(plaintext: string | Buffer, context: string): Buffer;
  openBytes(packed: Buffer, context: string): Buffer;
  /** Id of the key that a packed value is sealed under. */
  keyOf(packed: Buffer): string;
  /** Whether the key file holds that key. */
  has(keyId: string): boolean;
  /** What is wrong with the key file, for the operator; null when nothing is. */
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

/** The opened value as text, or null when it does not open. */
export const openedOrNull = (open: () => Buffer): string | null => openedBytes(open)?.toString() ?? null;

/** The opened value, or null when it does not open. */
export function openedBytes(open: () => Buffer): Buffer | null {
  try {
    return open();
  } catch (error) {
    if (error instanceof UnreadableError) return null;
    throw error;
  }
}
