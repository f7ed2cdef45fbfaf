// Public identifiers: a prefix that says what it names, and 80 random bits.
import { randomBytes } from 'node:crypto';

export type IdPrefix =
  | 'rb'
  | 'rt'
  | 'op'
  | 'evt'
  | 'wl'
  | 'wh'
  | 'dl'
  | 'up'
  | 'file'
  | 'org'
  | 'ws'
  | 'user'
  | 'key'
  | 'host'
  | 'slot';

// Lower case only, because ids become file names on file systems that fold case; without i, l, o, u.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** @example newId('rb') // 'rb_7k2m9x0c4v8d3f6g' */
export function newId(prefix: IdPrefix): string {
  let id = `${prefix}_`;
  for (const byte of randomBytes(16)) id += ALPHABET[byte & 31];
  return id;
}
