// Public identifiers: a prefix for the type, and 80 random bits.
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
  | 'pk'
  | 'inv'
  | 'host'
  | 'enr'
  | 'slot'
  | 'pc'
  | 'ce'
  | 'rollout'
  | 'notice'
  | 'mail'
  | 'req';

// Lower case only, because ids are used as file names on case-insensitive file systems; without i, l, o, u.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

// Random bytes are read in pages, so that one system call serves 256 ids.
const LENGTH = 16;
let page = Buffer.alloc(0);
let used = 0;

// 1,024 consecutive ids share their first 20 random bits; the other 60 are random for each id. This keeps new ids
// adjacent in an index, so that a commit of many rows writes few index pages.
const SHARED = 4;
const TOGETHER = 1024;
let shared = '';
let left = 0;

/** @example newId('rb') // 'rb_7k2m9x0c4v8d3f6g' */
export function newId(prefix: IdPrefix): string {
  if (left === 0) {
    shared = randomText(SHARED);
    left = TOGETHER;
  }
  left--;
  return `${prefix}_${shared}${randomText(LENGTH - SHARED)}`;
}

function randomText(length: number): string {
  if (used + length > page.length) {
    page = randomBytes(LENGTH * 256);
    used = 0;
  }
  let text = '';
  for (const end = used + length; used < end; used++) text += ALPHABET[(page[used] ?? 0) & 31];
  return text;
}

/**
 * Returns a new number of an order (RT) or a top-up (TU) that is easy to read aloud: 60 random bits in capitals and
 * digits.
 *
 * @example newOrderNo() // 'RT-7K2M-9X0C-4V8D'
 */
export function newOrderNo(prefix: 'RT' | 'TU' = 'RT'): string {
  let text: string = prefix;
  for (const [i, byte] of randomBytes(12).entries()) {
    text += (i % 4 === 0 ? '-' : '') + ALPHABET[byte & 31]?.toUpperCase();
  }
  return text;
}
