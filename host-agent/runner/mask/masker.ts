// Masks the secrets of a build in its output stream.
import { type CompiledNeedles, compile } from './finder.js';
import { type Secret, type SecretNeedles, secretNeedles } from './needles.js';
import { createReplacer, type Replacer } from './replacer.js';

/** Compiled secrets, shared by any number of streams and texts. */
export interface CompiledSecrets {
  readonly search: CompiledNeedles;
  readonly needles: SecretNeedles;
  /** Names of the secrets that are too short to mask. */
  readonly unmasked: readonly string[];
}

/**
 * Compiles secrets. Takes milliseconds for a few dozen of ordinary length.
 *
 * @example
 * const secrets = compileNeedles([{ name: 'TOKEN', value: 'hunter22' }]);
 * const output = createMasker(secrets);
 * output.write(Buffer.from('token is hunt')); // 'token is '
 * output.write(Buffer.from('er22!')); // '***!'
 */
export function compileNeedles(secrets: readonly Secret[]): CompiledSecrets {
  const needles = secretNeedles(secrets);
  return { search: compile(needles), needles, unmasked: needles.unmasked };
}

/**
 * Masks one byte stream; each contiguous range of secret bytes becomes one `***`. The output does not depend on how
 * the stream is divided; the beginning of a secret is held back until the stream continues or ends.
 *
 * Finds the needles of needles.ts, also with escape sequences between their bytes, with different whitespace, and
 * wrapped over lines from 8 bytes. Does not find a secret that only a terminal assembles or splits: overwritten by
 * backspace, carriage return or cursor movement, or with 8-bit control sequences inside; nor one in another encoding,
 * reversed, compressed, or printed in part.
 */
export function createMasker(secrets: CompiledSecrets | readonly Secret[]): Replacer {
  return createReplacer(compiled(secrets).search);
}

/**
 * Returns a complete text (a failure's summary and location, a file name, an error message) with every secret replaced by
 * `***`. Mask before truncating a text: half a secret is not found.
 *
 * @example maskText('bad key hunter22', compileNeedles([{ name: 'KEY', value: 'hunter22' }])) // 'bad key ***'
 */
export function maskText(text: string, secrets: CompiledSecrets): string {
  const masker = createMasker(secrets);
  return Buffer.concat([masker.write(Buffer.from(text)), masker.end()]).toString();
}

/** Returns compiled secrets, compiling them if needed. */
export function compiled(secrets: CompiledSecrets | readonly Secret[]): CompiledSecrets {
  return 'search' in secrets ? secrets : compileNeedles(secrets);
}
