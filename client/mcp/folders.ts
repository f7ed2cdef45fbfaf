// Which folders a tool may use: a wrong path from a model must not upload or overwrite a home folder.
import { realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { isMetadataName } from '../../shared/paths/metadata-name.js';
import { InvalidInput } from './tool-error.js';

/**
 * The real path of a project's folder.
 *
 * @throws InvalidInput when there is none, or it is the root, the home folder or a folder above that, or lies in a folder of
 *   version control such as `.git`
 */
export function projectFolder(folder: string, env: NodeJS.ProcessEnv): string {
  const path = givenFolder(folder, env);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new InvalidInput(`${path} is not a folder`);
  }
  return path;
}

/**
 * The path of a folder to write to, which need not exist.
 *
 * @throws InvalidInput as {@link projectFolder}
 */
export function givenFolder(folder: string, env: NodeJS.ProcessEnv): string {
  if (folder.trim() === '') throw new InvalidInput('folder must not be empty; "." is the server\'s own folder');
  const path = realPath(resolve(folder));
  const home = realPath(env.HOME || homedir());
  if (path === home || home.startsWith(path.endsWith(sep) ? path : path + sep)) {
    throw new InvalidInput(`${path} is the home folder or holds it; give the folder of one project`);
  }
  if (path.split(sep).some(isMetadataName)) throw new InvalidInput(`${path} belongs to version control`);
  return path;
}

/** Without symbolic links, as far as the path exists. */
function realPath(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : join(realPath(parent), basename(path));
}
