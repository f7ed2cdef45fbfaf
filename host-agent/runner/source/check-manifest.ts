// Checks again what the control plane has already checked: no path of a manifest may point outside the work folder,
// even if the control plane were wrong or compromised.

import { posix } from 'node:path';
import { hostFailure, type RefusedPath } from '../../../shared/messages/host-failures.js';
import { isGitName } from '../../../shared/paths/metadata-name.js';
import type { SourceManifest } from '../../../shared/protocol/index.js';
import { BuildStepError } from '../../contract/build-step-error.js';

const LONGEST_PATH = 1024;
const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/**
 * Checks a manifest and returns every folder it needs, parents first.
 *
 * @throws BuildStepError (source_unavailable, platform) naming the invalid path
 */
export function checkManifest(manifest: SourceManifest): Set<string> {
  const paths = new Set<string>();
  const folders = new Set<string>();
  const checkPath = createPathCheck(folders);
  for (const file of manifest.files) {
    checkPath(file.path);
    paths.add(file.path);
    if ((file.size === 0) !== (file.sha256 === EMPTY_SHA256)) refuse(file.path, 'wrong_size');
  }
  for (const link of manifest.links) {
    checkPath(link.path);
    paths.add(link.path);
    if (!staysInside(link.path, link.target)) refuse(link.path, 'leaves_folder');
  }
  if (paths.size < manifest.files.length + manifest.links.length) refuse('', 'twice');
  for (const folder of manifest.directories) {
    checkPath(folder);
    folders.add(folder);
  }
  for (const folder of folders) if (paths.has(folder)) refuse(folder, 'file_and_folder');
  return folders;
}

/**
 * Returns a function that checks the name of a path and of its folders, and adds the folders to `folders`. Fastest
 * when paths are grouped by folder.
 */
function createPathCheck(folders: Set<string>): (path: string) => void {
  let last: string | null = null;
  const check = (path: string): void => {
    if (path.length * 3 > LONGEST_PATH && Buffer.byteLength(path) > LONGEST_PATH) refuse(path, 'too_long');
    const slash = path.lastIndexOf('/');
    checkName(path, path.slice(slash + 1));
    if (slash < 0 || (last !== null && slash === last.length && path.startsWith(last))) return;
    const folder = path.slice(0, slash);
    if (!folders.has(folder)) {
      check(folder);
      folders.add(folder);
    }
    last = folder;
  };
  return check;
}

function checkName(path: string, name: string): void {
  if (name === '' || name === '.' || name === '..' || name.includes('\0')) refuse(path, 'not_allowed');
  if (isGitName(name)) refuse(path, 'not_allowed');
}

function staysInside(path: string, target: string): boolean {
  if (target === '' || target.includes('\0') || posix.isAbsolute(target)) return false;
  const meant = posix.normalize(posix.join(posix.dirname(path), target));
  return meant !== '..' && !meant.startsWith('../');
}

function refuse(path: string, why: RefusedPath): never {
  throw new BuildStepError(
    'source',
    'source_unavailable',
    'platform',
    hostFailure('upload_refused', { path: JSON.stringify(path.slice(0, 200)), why }),
  );
}
