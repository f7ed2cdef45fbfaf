// Rules for one path of an upload.

import { isGitName } from './metadata-name.js';

/** Longest part of a path, in bytes of UTF-8: more than that no file system of a Mac takes. */
const LONGEST_PART = 255;

const NOT_ASCII = /[^\0-\x7f]/;
const UNPAIRED = /\p{Surrogate}/u;
const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const TILDE = 0x7e;
const DOT = 0x2e;

/**
 * Why a path cannot be part of an upload, or null when it can. A backslash, a colon or a line break is an
 * ordinary character, as it is on macOS.
 *
 * @param longest bytes of UTF-8 that a whole path may have
 * @example
 * badPath('src/main.c', 1024)   // null
 * badPath('../main.c', 1024)    // 'has a ".." part'
 */
export function badPath(path: string, longest: number): string | null {
  return path.length <= longest && isPlain(path) ? null : lookClosely(path, longest);
}

/** One glance at each character of ASCII, which is all that most paths take. False says nothing. */
function isPlain(path: string): boolean {
  let start = 0;
  for (let i = 0; i < path.length; i++) {
    const code = path.charCodeAt(i);
    if (code === SLASH) {
      if (i === start || i - start > LONGEST_PART) return false;
      start = i + 1;
    } else if (code >= TILDE || code === 0 || code === BACKSLASH || (code === DOT && i === start)) {
      return false;
    }
  }
  return start < path.length && path.length - start <= LONGEST_PART;
}

function lookClosely(path: string, longest: number): string | null {
  const ascii = !NOT_ASCII.test(path);
  if (path === '') return 'is empty';
  if ((ascii ? path.length : Buffer.byteLength(path)) > longest) {
    return `is longer than ${longest} bytes`;
  }
  if (path.includes('\0')) return 'has a NUL character';
  if (!ascii && UNPAIRED.test(path)) return 'is not valid Unicode';
  if (!ascii && path.normalize('NFC') !== path) return 'is not in Unicode normalisation form C';
  for (let start = 0; start <= path.length; ) {
    const slash = path.indexOf('/', start);
    const end = slash < 0 ? path.length : slash;
    const bad = start === end ? emptyPart(start) : badPart(path.slice(start, end), ascii);
    if (bad) return bad;
    start = end + 1;
  }
  return null;
}

function emptyPart(start: number): string {
  return start === 0 ? 'is absolute' : 'has an empty part';
}

function badPart(part: string, ascii: boolean): string | null {
  if (part === '.' || part === '..') return `has a "${part}" part`;
  if ((ascii ? part.length : Buffer.byteLength(part)) > LONGEST_PART) {
    return `has a part longer than ${LONGEST_PART} bytes`;
  }
  if (!isGitName(part)) return null;
  return part === '.git' ? 'has a ".git" part' : 'has a part that a file system may take for ".git"';
}
