// Codes of authenticator apps: RFC 6238 with the parameters that every app supports (SHA-1, six digits, 30 s).
import { createHmac, timingSafeEqual } from 'node:crypto';

export const TOTP_STEP_MS = 30_000;
/** As RFC 4226 recommends: as long as the hash. */
export const TOTP_SECRET_BYTES = 20;
/** Steps by which the clock of a phone may differ, in both directions. */
const DRIFT = 1;

export const totpStep = (now: number): number => Math.floor(now / TOTP_STEP_MS);

/** @example totpCode(secret, totpStep(clock.now())) // '492039' */
export function totpCode(secret: Buffer, step: number, digits = 6): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const number = mac.readUInt32BE(mac.readUInt8(mac.length - 1) & 15) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/**
 * Returns the step that the code is of, or null if it is wrong.
 *
 * @param usedStep the last step of which a code was used: codes up to it are wrong
 */
export function stepOfCode(secret: Buffer, code: string, now: number, usedStep: number): number | null {
  if (!isTotpForm(code)) return null;
  const current = totpStep(now);
  let found: number | null = null;
  for (let step = current - DRIFT; step <= current + DRIFT; step++) {
    const same = timingSafeEqual(Buffer.from(code), Buffer.from(totpCode(secret, step)));
    if (same && step > usedStep) found = step;
  }
  return found;
}

export const isTotpForm = (code: string): boolean => /^\d{6}$/.test(code);

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Base32 as of RFC 4648 without padding, in which people type a secret into an app. */
export function base32(bytes: Buffer): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text += BASE32[(value >> (bits - 5)) & 31];
  }
  return bits === 0 ? text : text + BASE32[(value << (5 - bits)) & 31];
}

/**
 * Returns the address that an authenticator app reads from a QR code.
 *
 * @param issuer name of the service, as the app shows it
 */
export function totpAddress(secret: Buffer, { issuer, email }: { issuer: string; email: string }): string {
  const name = encodeURIComponent(issuer);
  return `otpauth://totp/${name}:${encodeURIComponent(email)}?secret=${base32(secret)}&issuer=${name}`;
}
