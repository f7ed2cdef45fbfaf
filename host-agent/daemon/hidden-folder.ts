// The folder for files that builds must not access, `DATA/builds/<random>/`. Builds know their Mac's folder, and therefore
// the data folder; the random name keeps them from guessing a path in it.
import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, unlinkSync } from 'node:fs';
import path from 'node:path';

const RANDOM_NAME = /^[0-9a-f]{16}$/;

export const buildsRoot = (dataDir: string): string => path.join(path.resolve(dataDir), 'builds');

/**
 * Returns the folder first, then any others, which builds have made. Creates it if needed; later daemons find the same one.
 * Deletes a link or a file that a build has put in place of `DATA/builds`.
 */
export function openHiddenFolders(dataDir: string): [string, ...string[]] {
  const root = buildsRoot(dataDir);
  const there = lstatSync(root, { throwIfNoEntry: false });
  if (there && !there.isDirectory()) unlinkSync(root);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const [first, ...others] = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && RANDOM_NAME.test(entry.name))
    .map((entry) => path.join(root, entry.name))
    .sort();
  if (first !== undefined) return [first, ...others];
  const fresh = path.join(root, randomBytes(8).toString('hex'));
  mkdirSync(fresh, { mode: 0o700 });
  return [fresh];
}
