// The work folders of a Mac: one per source (a project of uploads, a repository), at the same path for every build of
// that source, each with a state folder. See docs/adr/0027-a-work-folder-for-each-source.md.
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { isErrno } from '../../shared/errno.js';
import { removeTree } from '../system/remove-tree.js';
import type { WorkFolder } from './driver.js';
import { makeUsableOrNew } from './mac-folders.js';

/** The folder of all work folders, and the folder of their states. */
export interface SourceFolders {
  work: string;
  state: string;
}

const NAME = /^[0-9a-f]{16}$/;

/**
 * Returns the name of a source's work folder. Keys that differ in any byte (case, Unicode normalization) have
 * different names, and no key can escape the folder.
 *
 * @example folderNameOf('upload:ws_1:app') // 16 hex digits
 */
export function folderNameOf(sourceKey: string): string {
  return createHash('sha256').update(sourceKey).digest('hex').slice(0, 16);
}

/** Returns the Mac's paths for a build of this source. */
function pathsOfSource<Paths extends SourceFolders>(paths: Paths, sourceKey: string): Paths {
  const name = folderNameOf(sourceKey);
  return { ...paths, work: path.join(paths.work, name), state: path.join(paths.state, name) };
}

/** Makes the folders of one source usable and marks them as used now. The folders that hold them must be usable. */
export async function openWorkFolder<Paths extends SourceFolders>(
  paths: Paths,
  sourceKey: string,
  { now, signal }: { now: number; signal?: AbortSignal | undefined },
): Promise<Paths> {
  for (const folder of [paths.work, paths.state]) await removeStrays(folder, signal);
  const ofSource = pathsOfSource(paths, sourceKey);
  await makeUsableOrNew(ofSource.work, signal);
  await makeUsableOrNew(ofSource.state, signal);
  utimesSync(ofSource.state, now / 1000, now / 1000);
  return ofSource;
}

async function removeStrays(folder: string, signal?: AbortSignal): Promise<void> {
  for (const name of readdirSync(folder, { encoding: 'buffer' })) {
    if (NAME.test(name.toString())) continue;
    await removeTree(Buffer.concat([Buffer.from(`${folder}/`), name]), signal);
  }
}

/** Lists the work folders. One without state counts as never used. */
export function listWorkFolders(paths: SourceFolders): WorkFolder[] {
  return namesIn(paths.work)
    .filter((name) => NAME.test(name))
    .map((name) => {
      const used = lstatSync(path.join(paths.state, name), { throwIfNoEntry: false });
      return { name, usedAt: used?.isDirectory() ? used.mtimeMs : 0 };
    });
}

/** Deletes a work folder, its state first: the state must never describe more than what exists. */
export async function removeWorkFolder(paths: SourceFolders, name: string, signal?: AbortSignal): Promise<void> {
  if (!NAME.test(name)) throw new RangeError(`${JSON.stringify(name)} is not the name of a work folder`);
  await removeTree(path.join(paths.state, name), signal);
  await removeTree(path.join(paths.work, name), signal);
}

// A link that a build has put in a folder's place lists nothing, so nothing is deleted through it.
function namesIn(folder: string): string[] {
  try {
    return lstatSync(folder).isDirectory() ? readdirSync(folder) : [];
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EACCES')) return [];
    throw error;
  }
}
