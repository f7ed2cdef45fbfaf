// Whether only root can change a path, so that root may run and trust what is there; and how root removes what others own.
import { lstatSync, readdirSync, realpathSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { emptyFolder, removeTree } from '../system/remove-tree.js';
import { asUserAlone, ownerOf } from './as-user.js';

const STICKY = 0o1000;
const OF_OTHERS = 0o022;

/**
 * Returns the folder that somebody other than root (or, below a prefix, the user of this process) can change, among `folder`
 * and those above it; null if there is none. Where a folder is sticky, as /tmp is, others cannot rename what is in it.
 */
export function openToOthers(folder: string): string | null {
  const me = process.geteuid?.() ?? 0;
  for (let at = realpathSync(folder); ; at = dirname(at)) {
    const { uid, mode } = lstatSync(at);
    if (uid !== 0 && uid !== me) return at;
    if ((mode & OF_OTHERS) !== 0 && (mode & STICKY) === 0) return at;
    if (at === dirname(at)) return null;
  }
}

/**
 * Deletes a tree of which others may own parts, each part with the permissions of its owner: they may put links into it
 * meanwhile. What is at `path` itself cannot be replaced, because only this user can change the folder that it is in.
 */
export async function removeOwned(path: string): Promise<void> {
  if (process.geteuid?.() !== 0) return removeTree(path);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isDirectory()) return rmSync(path);
  const owner = ownerOf(path);
  if (owner !== null && owner.uid !== 0) await asUserAlone(owner, () => emptyFolder(path));
  else for (const name of readdirSync(path)) await removeOwned(join(path, name));
  rmdirSync(path);
}
