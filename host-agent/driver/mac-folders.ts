// The folders of a local Mac. Builds run as the same user and may have removed, moved, linked or locked any of them.
// Each is checked from the top down, and a link is never followed.
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { isErrno } from '../../shared/errno.js';
import { removeTree, unlock } from '../system/remove-tree.js';
import type { MacPaths } from './local-folders.js';
import { isMarked, MARK } from './slot-marks.js';

const OWNER_ALL = 0o700;
const PROBE = '.cidermill-probe-';

/**
 * Makes `folder` a real folder in which this user can create files. Anything else in its place is deleted; the
 * content of a real folder stays. The parent folder must be a real one.
 *
 * @throws the error of the file system when that is impossible, for example on a full disk
 */
export async function makeUsable(folder: string, signal?: AbortSignal): Promise<void> {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (!found?.isDirectory()) {
    await removeTree(folder, signal);
    mkdirSync(folder, { mode: OWNER_ALL });
    return;
  }
  try {
    openUp(folder);
  } catch (error) {
    if (!isErrno(error, 'EPERM', 'EACCES')) throw error;
    unlock(folder);
    openUp(folder);
  }
}

function openUp(folder: string): void {
  const { mode } = statSync(folder);
  if ((mode & OWNER_ALL) !== OWNER_ALL) chmodSync(folder, (mode & 0o777) | OWNER_ALL);
  // Flags and access control lists are not part of the mode, so try.
  rmdirSync(mkdtempSync(path.join(folder, PROBE)));
}

/** Like `makeUsable`, but replaces a folder that cannot be made usable by an empty one. */
export async function makeUsableOrNew(folder: string, signal?: AbortSignal): Promise<void> {
  try {
    await makeUsable(folder, signal);
  } catch (error) {
    if (!isErrno(error, 'EPERM', 'EACCES')) throw error;
    await removeTree(folder, signal);
    mkdirSync(folder, { mode: OWNER_ALL });
  }
}

/**
 * Makes every folder of the Mac usable, and deletes everything else beside them: tools search for settings in the
 * parent folders of their working folder, so such a file would affect the builds of every project.
 */
export async function makeMacUsable(root: string, paths: MacPaths, signal?: AbortSignal): Promise<void> {
  const folders = Object.values(paths);
  await makeUsable(root, signal);
  for (const folder of folders) await makeUsableOrNew(folder, signal);
  const known = new Set(folders.map((folder) => path.basename(folder)));
  const marked = isMarked(path.dirname(root), path.basename(root));
  for (const name of await readdir(root)) {
    if (known.has(name) || name.startsWith('mac.json') || (name === MARK && marked)) continue;
    await removeTree(path.join(root, name), signal);
  }
}

/** Replaces the folders, in this order, by empty ones. */
export async function makeAnew(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    await removeTree(folder);
    mkdirSync(folder, { mode: OWNER_ALL });
  }
}
