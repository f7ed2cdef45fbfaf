// The folder for what builds must not reach, `DATA/builds/<random>/`. Builds know their Mac's folder, and so the data folder;
// the random name keeps them from guessing a path.
import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, unlinkSync } from 'node:fs';
import path from 'node:path';

const RANDOM_NAME = /^[0-9a-f]{16}$/;

export const buildsRoot = (dataDir: string): string => path.join(path.resolve(dataDir), 'builds');

/**
 * Returns the folder, creating it if needed; daemons that follow each other use the same. Any others were made by builds.
 * A link or a file in place of `DATA/builds`, which a build has put there, is deleted.
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
