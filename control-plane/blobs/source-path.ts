// Rules for one path of an upload, and the key under which paths that meet on a Mac's disk are the same.

/** Longest part of a path, in bytes of UTF-8: more than that no file system of a Mac takes. */
const LONGEST_PART = 255;

/** Code points that some file systems ignore in names, so that `.g<U+200C>it` would be `.git`. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
const NOT_ASCII = /[^\0-\x7f]/;
const UNPAIRED = /\p{Surrogate}/u;
const SLASH = 0x2f;
const DOT = 0x2e;
const LAST_ASCII = 0x7f;
const UPPER_A = 0x41;
const UPPER_Z = 0x5a;

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
    } else if (code > LAST_ASCII || code === 0 || (code === DOT && i === start)) {
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
  const maybeGit = ascii ? part.length === 4 : part.length > 4;
  return maybeGit && foldPath(part) === '.git' ? 'has a ".git" part' : null;
}

/**
 * Two paths with the same fold are one file on a file system that ignores case or normalisation. Full case
 * folding, so that `straße` meets `STRASSE`.
 */
export function foldPath(path: string): string {
  let upper = false;
  for (let i = 0; i < path.length; i++) {
    const code = path.charCodeAt(i);
    if (code > LAST_ASCII) return foldUnicode(path);
    upper ||= code >= UPPER_A && code <= UPPER_Z;
  }
  return upper ? path.toLowerCase() : path;
}

function foldUnicode(path: string): string {
  // Lower first: U+1E9E has no upper case of its own, but its lower case does.
  const cased = path.normalize('NFD').replace(IGNORED, '').toLowerCase().toUpperCase().toLowerCase();
  return cased.normalize('NFD');
}
