// Files of the target folder that saving must not replace: those that git tracks, and every file of a project that is
// under no version control.
import { lstatSync } from 'node:fs';
import { join, sep } from 'node:path';
import { unless } from '../../shared/errno.js';
import { foldPath } from '../../shared/paths/fold-path.js';
import { trackedFiles } from '../files/git-files.js';
import { repositoryTop } from '../files/walk.js';

/** Returns why a path below the target, a file or a folder, must not be replaced, or null if it may be. */
export type KeptFiles = (parts: readonly string[]) => string | null;

/**
 * @param root real path of the target
 * @param projects real paths of folders that hold somebody's work: what is built, and where the command was started
 */
export async function keptFiles(root: string, projects: readonly string[], env: NodeJS.ProcessEnv): Promise<KeptFiles> {
  const exists = (parts: readonly string[]) => isThere(join(root, ...parts));
  if (repositoryTop(root) === null) {
    const holdsProject = projects.some((project) => `${project}${sep}`.startsWith(asPrefix(root)));
    return (parts) => (holdsProject && exists(parts) ? 'a file with this name exists' : null);
  }
  const tracked = await trackedFiles(root, env);
  if (tracked === null) {
    return (parts) =>
      exists(parts) ? 'a file with this name exists, and git did not answer whether it tracks the file' : null;
  }
  const kept = new Set<string>();
  for (const path of tracked) {
    for (let at = foldPath(path); !kept.has(at); at = at.slice(0, at.lastIndexOf('/'))) {
      kept.add(at);
      if (!at.includes('/')) break;
    }
  }
  // Includes deleted files and other spellings: on a Mac they are the same file.
  return (parts) => (kept.has(foldPath(parts.join('/'))) ? 'git tracks a file with this name' : null);
}

/** Whether there is anything at a path; nothing is below a file. */
export function isThere(path: string): boolean {
  return unless(['ENOTDIR'], () => lstatSync(path, { throwIfNoEntry: false })) !== undefined;
}

const asPrefix = (folder: string) => (folder.endsWith(sep) ? folder : folder + sep);
