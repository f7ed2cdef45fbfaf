// What a host keeps of an account beside its Macs: contents and repository mirrors, in `cache/<account id>`.
import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { isErrno } from '../../system/durable-file.js';
import { removeTree } from '../../system/remove-tree.js';

/** Removes what is kept of accounts that have no Mac on this host any more. */
export async function dropAccountCaches(dataDir: string, stillHere: ReadonlySet<number>): Promise<void> {
  for (const name of accountCaches(dataDir)) {
    if (!stillHere.has(Number(name))) await removeTree(path.join(dataDir, 'cache', name));
  }
}

/** Names of the folders in `cache/`, which are ids of accounts; none through a link that a build has put there. */
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
