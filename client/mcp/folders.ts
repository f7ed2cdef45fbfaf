// Which folders of this machine a tool may take: a model that fills in a wrong path must not send or overwrite a home.
import { realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve, sep } from 'node:path';
import { InvalidInput } from './tool-error.js';

/**
 * The real path of a project's folder.
 *
 * @throws InvalidInput when there is none, or it is the root, the home folder or a folder above that
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
  if (folder.trim() === '')
    throw new InvalidInput('folder must not be empty; "." is the server\'s own folder');
  const path = realPath(resolve(folder));
  const home = realPath(env.HOME || homedir());
  if (path === home || home.startsWith(path.endsWith(sep) ? path : path + sep)) {
    throw new InvalidInput(`${path} is the home folder or holds it; give the folder of one project`);
  }
  return path;
}

const realPath = (path: string): string =>
  statSync(path, { throwIfNoEntry: false }) ? realpathSync(path) : path;
