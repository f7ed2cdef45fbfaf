// The code that a machine shows while it waits for approval: without vowels, and without letters that look alike.
import { randomInt, timingSafeEqual } from 'node:crypto';

const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

/** @example newApprovalCode() // 'WDJB-MJHT' */
export function newApprovalCode(): string {
  const letters = Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]);
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`;
}

/** Returns the code as it is stored, or null if the text cannot be one. Case, spaces and hyphens do not matter. */
export function parseApprovalCode(text: string): string | null {
  const letters = text.toUpperCase().replace(/[\s-]/g, '');
  if (letters.length !== 8 || [...letters].some((letter) => !LETTERS.includes(letter))) return null;
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** Compares in a time that does not depend on the contents. */
export function sameCode(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
