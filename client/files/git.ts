// Asks git about a folder.
import { execFile } from 'node:child_process';

// Set inside git's hooks; they would make git look at another repository than the folder's.
const FOREIGN = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_PREFIX',
  'GIT_COMMON_DIR',
  'GIT_OBJECT_DIRECTORY',
  'GIT_NAMESPACE',
];

/** The environment without what would make git look at another repository than the folder's. */
export function gitEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = { ...env };
  for (const name of FOREIGN) delete own[name];
  return own;
}

/** What git prints in a folder; null when it fails, is not installed, or the folder is in no repository. */
export function askGit(dir: string, env: NodeJS.ProcessEnv, args: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    execFile('git', [...args], { cwd: dir, env: gitEnvironment(env) }, (error, stdout) =>
      resolve(error ? null : stdout),
    );
  });
}
