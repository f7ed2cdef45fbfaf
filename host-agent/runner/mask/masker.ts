// Masks the secrets of a build in its output stream.
import { type Automaton, compile } from './finder.js';
import { type Secret, type SecretNeedles, secretNeedles } from './needles.js';
import { createReplacer, type Replacer } from './replacer.js';

/** Secrets made ready to be looked for, shared by any number of streams and texts. */
export interface CompiledSecrets {
  readonly automaton: Automaton;
  readonly needles: SecretNeedles;
  /** Names of the secrets that are too short to be masked. */
  readonly unmasked: readonly string[];
}

/**
 * Prepares the masking of some secrets. It takes milliseconds for a few dozen of ordinary length.
 *
 * @example
 * const secrets = compileNeedles([{ name: 'TOKEN', value: 'hunter22' }]);
 * const output = createMasker(secrets);
 * output.write(Buffer.from('token is hunt')); // 'token is '
 * output.write(Buffer.from('er22!')); // '***!'
 */
export function compileNeedles(secrets: readonly Secret[]): CompiledSecrets {
  const needles = secretNeedles(secrets);
  return { automaton: compile(needles), needles, unmasked: needles.unmasked };
}

/**
 * Masks one byte stream, each unbroken stretch of secret bytes by one `***`. The output does not depend on how the
 * stream is cut into pieces; the beginning of a secret is held back until the stream goes on or ends.
 *
 * Found are the needles of needles.ts, also with escape sequences between their bytes, with other whitespace where they
 * hold whitespace, and wrapped over lines from 8 bytes. Not found is a secret that only a terminal puts together or
 * takes apart: written over by backspace, carriage return or cursor movement, or with 8-bit control sequences inside;
 * nor one in another encoding, reversed, compressed, or printed in part.
 */
export function createMasker(secrets: CompiledSecrets | readonly Secret[]): Replacer {
  return createReplacer(compiled(secrets).automaton);
}

/** The secrets compiled, when they are not yet. */
export function compiled(secrets: CompiledSecrets | readonly Secret[]): CompiledSecrets {
  return 'automaton' in secrets ? secrets : compileNeedles(secrets);
}
