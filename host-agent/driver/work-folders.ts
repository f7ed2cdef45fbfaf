// The work folders of a Mac: one for each source (a project of uploads, a repository), at the same path for every build
// of that source, and beside it what the service remembers of it. See docs/adr/0027-a-work-folder-for-each-source.md.
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { isErrno } from '../system/durable-file.js';
import { removeTree } from '../system/remove-tree.js';
import type { MacPaths, WorkFolder } from './driver.js';
import { makeUsableOrNew } from './mac-folders.js';

const NAME = /^[0-9a-f]{16}$/;

/**
 * Names the work folder of a source. Keys that differ in any byte (case, Unicode normalization) have different names,
 * and no key can name anything else.
 *
 * @example folderNameOf('upload:ws_1:app') // 16 hex digits
 */
export function folderNameOf(sourceKey: string): string {
  return createHash('sha256').update(sourceKey).digest('hex').slice(0, 16);
}

/** The Mac's paths as a build of this source has them. */
export function pathsOfSource(paths: MacPaths, sourceKey: string): MacPaths {
  const name = folderNameOf(sourceKey);
  return { ...paths, work: path.join(paths.work, name), state: path.join(paths.state, name) };
}

/** Makes the folders of one source usable and marks them as used now. The Mac's own folders must be usable. */
export async function openWorkFolder(
  paths: MacPaths,
  sourceKey: string,
  { now, signal }: { now: number; signal?: AbortSignal | undefined },
): Promise<MacPaths> {
  for (const folder of [paths.work, paths.state]) await removeStrays(folder, signal);
  const own = pathsOfSource(paths, sourceKey);
  await makeUsableOrNew(own.work, signal);
  await makeUsableOrNew(own.state, signal);
  utimesSync(own.state, now / 1000, now / 1000);
  return own;
}

async function removeStrays(folder: string, signal?: AbortSignal): Promise<void> {
  for (const name of readdirSync(folder, { encoding: 'buffer' })) {
    if (NAME.test(name.toString())) continue;
    await removeTree(Buffer.concat([Buffer.from(`${folder}/`), name]), signal);
  }
}

/** The work folders that are there. One of which nothing is remembered counts as never used. */
export function listWorkFolders(paths: MacPaths): WorkFolder[] {
  return namesIn(paths.work)
    .filter((name) => NAME.test(name))
    .map((name) => {
      const used = lstatSync(path.join(paths.state, name), { throwIfNoEntry: false });
      return { name, usedAt: used?.isDirectory() ? used.mtimeMs : 0 };
    });
}

/** What is remembered goes first: it never says more than what is there. */
export async function removeWorkFolder(paths: MacPaths, name: string, signal?: AbortSignal): Promise<void> {
  if (!NAME.test(name)) throw new RangeError(`${JSON.stringify(name)} is not the name of a work folder`);
  await removeTree(path.join(paths.state, name), signal);
  await removeTree(path.join(paths.work, name), signal);
}

// Through a link that a build has put in a folder's place nothing is listed, so nothing is removed.
function namesIn(folder: string): string[] {
  try {
    return lstatSync(folder).isDirectory() ? readdirSync(folder) : [];
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR') || isErrno(error, 'EACCES')) return [];
    throw error;
  }
}
