// The caches of accounts, contents and repository mirrors, in `cache/<account id>`.
import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { isErrno } from '../../../shared/errno.js';
import { removeTree } from '../../system/remove-tree.js';

/** Deletes the caches of all accounts but these. */
export async function dropAccountCaches(dataDir: string, keep: ReadonlySet<number>): Promise<void> {
  for (const name of accountCaches(dataDir)) {
    if (!keep.has(Number(name))) await removeTree(path.join(dataDir, 'cache', name));
  }
}

/**
 * Returns the names of the folders in `cache/`, which are account ids. Returns nothing through a link that a build
 * has put in its place.
 */
export function accountCaches(dataDir: string): string[] {
  const caches = path.join(dataDir, 'cache');
  try {
    if (!lstatSync(caches).isDirectory()) return [];
    return readdirSync(caches).filter((name) => /^\d+$/.test(name));
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return [];
    throw error;
  }
}
