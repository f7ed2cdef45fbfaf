// Rules for a path of an upload.
import { isGitName } from './metadata-name.js';

/** Maximum length of a path's part, in bytes of UTF-8; no file system of a Mac allows more. */
const LONGEST_PART = 255;

const NOT_ASCII = /[^\0-\x7f]/;
const UNPAIRED = /\p{Surrogate}/u;
const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const TILDE = 0x7e;
const DOT = 0x2e;

/**
 * Returns why a path is not valid in an upload, or null. Backslash, colon and line break are ordinary characters, as
 * on macOS.
 *
 * @param longest maximum length of the whole path, in bytes of UTF-8
 * @example
 * badPath('src/main.c', 1024)   // null
 * badPath('../main.c', 1024)    // 'has a ".." part'
 */
export function badPath(path: string, longest: number): string | null {
  return path.length <= longest && isPlain(path) ? null : checkFully(path, longest);
}

/** Fast check of ASCII paths, which most are. False means that the path needs the full check. */
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

function checkFully(path: string, longest: number): string | null {
  const ascii = !NOT_ASCII.test(path);
  if (path === '') return 'is empty';
  if ((ascii ? path.length : Buffer.byteLength(path)) > longest) {
    return `is longer than ${longest} bytes`;
  }
  if (path.includes('\0')) return 'has a NUL character';
  if (!ascii && UNPAIRED.test(path)) return 'is not valid Unicode';
  if (!ascii && path.normalize('NFC') !== path) return 'is not in Unicode normalization form C';
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
