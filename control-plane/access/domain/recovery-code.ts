// Recovery codes: for a person whose authenticator app is lost. Each works once.
import { hash, randomBytes } from 'node:crypto';

/** Codes of a person. */
export const RECOVERY_CODES = 10;

// Without i, l, o and u, which are mistaken for others when they are written down.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 16;

/** Returns new codes of 80 random bits. @example createRecoveryCodes()[0] // '7k2m-9x0c-4v8d-3f6g' */
export function createRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const text = Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte & 31]).join('');
    return text.replaceAll(/(.{4})(?=.)/g, '$1-');
  });
}

/** Returns what to store of a code: SHA-256, because the code is random; null for a text that is no code. */
export function recoveryCodeHash(text: string): string | null {
  const code = text.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');
  return code.length === LENGTH && [...code].every((one) => ALPHABET.includes(one))
    ? hash('sha256', code, 'hex')
    : null;
}
