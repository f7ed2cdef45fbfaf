// An authenticator app.
import { totpCode, totpStep } from '../../control-plane/access/domain/totp.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** @param secret in base32, as the service shows it */
export const appCode = (secret: string, now: number, steps = 0): string =>
  totpCode(appSecret(secret), totpStep(now) + steps);

/** Returns the bytes of a secret in base32. */
export function appSecret(secret: string): Buffer {
  const bits = [...secret].map((one) => ALPHABET.indexOf(one).toString(2).padStart(5, '0')).join('');
  const bytes = bits.match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((one) => Number.parseInt(one, 2)));
}
