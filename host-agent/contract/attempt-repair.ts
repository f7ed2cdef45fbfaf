// Repairs the folder of an attempt that a build has damaged.
import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { removeTree } from '../system/remove-tree.js';
import type { AttemptFiles } from './attempt-folder.js';

/**
 * Makes the path a real folder in which the daemon's files are regular files or missing. Everything else in their
 * place is deleted, and so is the file `unwanted`.
 */
export async function repairAttemptFolder(files: AttemptFiles, unwanted?: string): Promise<void> {
  if (!lstatSync(files.folder, { throwIfNoEntry: false })?.isDirectory()) await removeTree(files.folder);
  mkdirSync(files.folder, { recursive: true, mode: 0o700 });
  chmodSync(files.folder, 0o700);
  const { spec, state, spool, result, reserve } = files;
  for (const file of [spec, state, spool, result, `${result}.new`, reserve]) {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found && (file === unwanted || !found.isFile())) await removeTree(file);
  }
  if (lstatSync(spool, { throwIfNoEntry: false })) chmodSync(spool, 0o600);
}
