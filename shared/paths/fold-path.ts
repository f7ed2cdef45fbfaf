// Folds paths: paths with equal folds are one file on a Mac's disk.

/** Code points that HFS+ ignores in names. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
const LAST_ASCII = 0x7f;
const UPPER_A = 0x41;
const UPPER_Z = 0x5a;

/**
 * Returns the fold of a path. Paths with the same fold are one file on a file system that ignores case or
 * normalization. Full case folding, so that `straße` equals `STRASSE`.
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
  // Lower case first: U+1E9E has no upper case, but its lower case has.
  const cased = path.normalize('NFD').replace(IGNORED, '').toLowerCase().toUpperCase().toLowerCase();
  return cased.normalize('NFD');
}
