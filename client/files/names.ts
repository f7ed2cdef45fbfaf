// Names as the service stores them (NFC), and names that a Mac's file system cannot tell apart.
import { SelectionError } from './selection-error.js';

const ASCII = /^[\x00-\x7f]*$/;

/** A path in the form that manifests use: slashes between parts, NFC. */
export function manifestPath(name: string): string {
  return ASCII.test(name) ? name : name.normalize('NFC');
}

/**
 * Refuses paths that would be one file on a file system that folds case or normalizes, folders included.
 *
 * @throws SelectionError naming the first pairs
 */
export function refuseCollisions(paths: Iterable<string>): void {
  const seen = new Map<string, string>();
  const pairs = new Set<string>();
  const check = (path: string, isFile: boolean): boolean => {
    const folded = fold(path);
    const other = seen.get(folded);
    if (other === undefined) seen.set(folded, path);
    else if (other !== path || isFile) pairs.add(`${other} and ${path}`);
    return other === undefined;
  };
  for (const path of paths) {
    check(path, true);
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      if (!check(path.slice(0, slash), false)) break;
    }
  }
  if (pairs.size === 0) return;
  const shown = [...pairs].slice(0, 5).join('; ');
  const more = pairs.size > 5 ? ` and ${pairs.size - 5} more` : '';
  throw new SelectionError(
    `a Mac's file system cannot tell these names apart: ${shown}${more}. ` +
      'Rename one of each, or leave it out with .cidermillignore.',
  );
}

const fold = (path: string) =>
  ASCII.test(path) ? path.toLowerCase() : path.normalize('NFC').toUpperCase().toLowerCase();
