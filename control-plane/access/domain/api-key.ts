// The format of an API key: `cm_`, 30 random base62 characters, and their CRC-32 as 6 base62 characters.
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { isLevel, type Level } from '../../platform/domain/caller.js';
import { checkStrings, int, json, type RecordOf, strings, text } from '../../platform/domain/fields.js';

export type RevokedReason = 'manual' | 'leaked';

export const apiKeyFields = {
  keyId: text(),
  /** Null: not linked to an account, so it cannot do anything. */
  accountId: int().orNull,
  workspaceId: text().orNull,
  name: text(),
  prefix: text(),
  levels: json((value): readonly Level[] => checkStrings(value).filter(isLevel)),
  cidrs: strings(),
  expiresAt: int().orNull,
  revokedAt: int().orNull.initially(null),
  revokedReason: text<RevokedReason>().orNull.initially(null),
  lastUsedAt: int().orNull.initially(null),
  createdAt: int(),
  /** The person who created it; null: an operator. */
  createdBy: text().orNull.initially(null),
  /** Where a leaked key was found, if the report said so. */
  leakedUrl: text().orNull.initially(null),
};
export type ApiKey = RecordOf<typeof apiKeyFields>;

const PREFIX = 'cm_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_CHARS = 30;
const FORM = /^cm_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;
// The largest multiple of 62 in a byte: larger bytes are discarded, so that every character is equally likely.
const FAIR = 248;

/** Base62 of CRC-32 (IEEE) over the 30 random characters, left-padded with `0` to 6 characters. */
export function keyChecksum(random: string): string {
  let n = crc32(random);
  let digits = '';
  while (digits.length < 6) {
    digits = ALPHABET.charAt(n % 62) + digits;
    n = Math.floor(n / 62);
  }
  return digits;
}

/** Creates a key; show it once and store only its `hashKey`. */
export function createKey(): string {
  let random = '';
  while (random.length < RANDOM_CHARS) {
    for (const byte of randomBytes(RANDOM_CHARS * 2)) {
      if (byte < FAIR && random.length < RANDOM_CHARS) random += ALPHABET.charAt(byte % 62);
    }
  }
  return PREFIX + random + keyChecksum(random);
}

/**
 * Whether the text is a valid key: prefix, length, alphabet, checksum. Rejects typing mistakes and keys with the
 * retired prefix `mk_` without a database query.
 *
 * @example isKeyForm('cm_000000000000000000000000000000' + keyChecksum('0'.repeat(30))) // true
 */
export function isKeyForm(key: string): boolean {
  const match = FORM.exec(key);
  return match?.[1] !== undefined && keyChecksum(match[1]) === match[2];
}

/** The stored form: SHA-256, hex. A key has 178 random bits, so a slow hash would add nothing. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** The part of a key that identifies it without revealing it, e.g. `cm_4fG7`. */
export function displayPrefix(key: string): string {
  return key.slice(0, PREFIX.length + 4);
}
