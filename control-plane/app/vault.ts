// Seals values under the current key and opens them under the one they were sealed with.
import { packSealed, type Sealed, seal, unpackSealed, unseal } from '../domain/sealing.js';
import type { KeyFile } from '../store/key-file.js';

export interface Vault {
  /** @param context what the value belongs to, e.g. `secret:7:TOKEN`; it must be given again to open */
  seal(plaintext: string | Buffer, context: string): Sealed;
  open(sealed: Sealed, context: string): Buffer;
  /** The same in one column. */
  pack(plaintext: string | Buffer, context: string): Buffer;
  unpack(packed: Buffer, context: string): Buffer;
  /** Id of the key that a packed value is sealed under. */
  keyOf(packed: Buffer): string;
}

export function createVault(keys: KeyFile): Vault {
  const vault: Vault = {
    seal: (plaintext, context) =>
      seal(keys.current(), typeof plaintext === 'string' ? Buffer.from(plaintext) : plaintext, context),
    open: (sealed, context) => unseal(keys.find(sealed.keyId), sealed, context),
    pack: (plaintext, context) => packSealed(vault.seal(plaintext, context)),
    unpack: (packed, context) => vault.open(unpackSealed(packed), context),
    keyOf: (packed) => unpackSealed(packed).keyId,
  };
  return vault;
}
