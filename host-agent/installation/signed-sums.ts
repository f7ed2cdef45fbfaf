// The checksums of packages, SHA256SUMS, with their signature, SHA256SUMS.minisig.
import { parsePublicKey, SignatureError, verifySignature } from '../../shared/minisign.js';
import { InstallError } from './install-error.js';

export interface SignedSums {
  /** Content of SHA256SUMS. */
  readonly sums: Buffer;
  /** Content of SHA256SUMS.minisig. */
  readonly signature: string;
}

/**
 * Returns the checksum of a package, and the key that has signed it.
 *
 * @param name of the package
 * @throws InstallError unless one of the keys has signed the checksums, and they name the package
 */
export function signedChecksum(
  { sums, signature }: SignedSums,
  name: string,
  keys: readonly string[],
): { readonly sha256: string; readonly keyId: string } {
  try {
    const { id } = verifySignature(sums, signature, keys.map(parsePublicKey));
    const line = sums
      .toString()
      .split('\n')
      .map((one) => /^([0-9a-f]{64}) [ *](\S+)$/.exec(one))
      .find((match) => match?.[2] === name);
    if (!line?.[1]) throw new SignatureError(`SHA256SUMS does not name ${name}`);
    return { sha256: line[1], keyId: id };
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    throw new InstallError(`the package ${name} was not installed: ${error.message}`, 78, { cause: error });
  }
}
