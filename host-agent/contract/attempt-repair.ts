// Repairs the folder of an attempt that a build has damaged.
import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { removeTree } from '../system/remove-tree.js';
import type { AttemptFiles } from './attempt-folder.js';

/** Makes the folder of attempts and its parent real folders again: a build may have replaced them with a link. */
export async function makeAttemptsFolder(folder: string): Promise<void> {
  await makeReal(path.dirname(folder));
  await makeReal(folder);
}

async function makeReal(folder: string): Promise<void> {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) await removeTree(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
}

/**
 * Makes the path a real folder in which the daemon's files are regular files or missing. Everything else in their
 * place is deleted, and so is the file `unwanted`.
 */
export async function repairAttemptFolder(files: AttemptFiles, unwanted?: string): Promise<void> {
  await makeAttemptsFolder(path.dirname(files.folder));
  await makeReal(files.folder);
  const { spec, state, spool, result, reserve } = files;
  for (const file of [spec, state, spool, result, `${result}.new`, reserve]) {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found && (file === unwanted || !found.isFile())) await removeTree(file);
  }
  if (lstatSync(spool, { throwIfNoEntry: false })) chmodSync(spool, 0o600);
}
