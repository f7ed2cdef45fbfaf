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
  | 'slot'
  | 'pc'
  | 'notice'
  | 'mail'
  | 'req';

// Lower case only, because ids become file names on file systems that fold case; without i, l, o, u.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

// Random bytes are drawn a page at a time: one call of the system serves 256 ids.
const LENGTH = 16;
let page = Buffer.alloc(0);
let used = 0;

/** @example newId('rb') // 'rb_7k2m9x0c4v8d3f6g' */
export function newId(prefix: IdPrefix): string {
  let id = `${prefix}_`;
  if (used === page.length) {
    page = randomBytes(LENGTH * 256);
    used = 0;
  }
  for (const byte of page.subarray(used, used + LENGTH)) id += ALPHABET[byte & 31];
  used += LENGTH;
  return id;
}
