// Symbolic links: a manifest holds regular files only, so a link that stays inside the folder is sent as a
// copy of its target; the others are skipped with a warning.
import { realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';

/** Links to folders inside linked folders are followed this deep. */
const DEEPEST = 8;

export interface LinkCopies {
  /** Path of the copy → name of the file it is a copy of. */
  copies: Map<string, string>;
  warnings: string[];
}

/**
 * Resolves the links among a folder's names.
 *
 * @param dir the folder's real path
 * @param files names of its regular files
 * @param links names of its symbolic links
 */
export function copyLinks(dir: string, files: ReadonlySet<string>, links: readonly string[]): LinkCopies {
  const copies = new Map<string, string>();
  const warnings: string[] = [];

  const targetOf = (link: string): string | null => {
    try {
      const target = relative(dir, realpathSync(`${dir}/${link}`))
        .split(sep)
        .join('/');
      return target === '..' || target.startsWith('../') ? null : target;
    } catch {
      return null; // It points nowhere, or in a circle.
    }
  };
  const follow = (link: string, path: string, depth: number): string | null => {
    const target = targetOf(link);
    if (target === null) return 'it points outside the folder or nowhere';
    if (files.has(target)) {
      copies.set(path, target);
      return null;
    }
    if (target === '' || `${link}/`.startsWith(`${target}/`) || depth >= DEEPEST) {
      return 'it points to a folder that holds it';
    }
    const inside = `${target}/`;
    let found = false;
    for (const file of files) {
      if (!file.startsWith(inside)) continue;
      copies.set(path + file.slice(target.length), file);
      found = true;
    }
    for (const other of links) {
      if (!other.startsWith(inside)) continue;
      found = true;
      const reason = follow(other, path + other.slice(target.length), depth + 1);
      if (reason) return reason;
    }
    return found ? null : 'what it points to is not among the files that are sent';
  };

  for (const link of links) {
    const reason = follow(link, link, 0);
    if (reason) warnings.push(`${link} is a symbolic link and is skipped: ${reason}`);
  }
  return { copies, warnings };
}
