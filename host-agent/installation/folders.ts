// The folders of an installation, with their owners and modes.
import { chmodSync, lchownSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Account } from './account.js';
import { asUser } from './as-user.js';
import { InstallError } from './install-error.js';
import type { InstallPaths } from './paths.js';
import { type Found, ok, type Step } from './steps.js';

export interface FolderOwners {
  readonly paths: Pick<InstallPaths, 'root' | 'versions'>;
  readonly data: string;
  /** Owner of the data folder. */
  readonly account: Pick<Account, 'name' | 'uid' | 'gid' | 'home'>;
  /** Owner of the program: the account, if it may replace itself. */
  readonly program: { readonly uid: number; readonly gid: number };
}

/** Creates the folders and corrects their owners. Throws for a data folder of another user. */
export function foldersStep(owners: () => FolderOwners): Step {
  return {
    name: 'folders',
    async look(): Promise<Found> {
      const given = owners();
      const { paths, data, account } = given;
      const missing = [paths.versions, data].filter((folder) => !isFolder(folder));
      const foreign = !ownsProgram(given);
      refuseForeignData(given);
      if (missing.length === 0 && !foreign && isPrivate(data))
        return ok(`${data} belongs to ${account.name}`);
      const text = [
        ...(missing.length > 0 ? [`create ${missing.join(' and ')}`] : []),
        ...(foreign ? [`give ${paths.root} to user ${given.program.uid}`] : []),
        ...(missing.includes(data) || isPrivate(data) ? [] : [`close ${data} to other users`]),
      ];
      return { state: 'needed', text: text.join('; '), apply: () => makeFolders(given) };
    },
  };
}

function makeFolders({ paths, data, account, program }: FolderOwners): void {
  for (const folder of [paths.versions, dirname(data)]) makeFolder(folder);
  giveProgram(paths, program);
  if (!isFolder(data)) {
    mkdirSync(data, { mode: 0o700 });
    lchownSync(data, account.uid, account.gid);
  }
  asUser(account, () => {
    chmodSync(data, 0o700);
    // The home of a role account lies in the data folder; people have one.
    if (account.home.startsWith(`${data}/`)) mkdirSync(account.home, { recursive: true, mode: 0o700 });
  });
}

/** Creates a folder that every user can enter, and those above it, whatever the umask. */
export function makeFolder(folder: string): void {
  // Also one that an operator keeps on another disk, behind a link.
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  mkdirSync(folder);
  chmodSync(folder, 0o755);
}

/**
 * Gives what root has unpacked to the owner of the program. What an account has made itself is not touched: a file of it
 * could be a hard link to one of the system.
 */
function giveProgram({ root, versions }: FolderOwners['paths'], { uid, gid }: FolderOwners['program']): void {
  const give = (path: string) => {
    const found = lstatSync(path);
    const made = found.uid === 0 || found.uid === process.geteuid?.();
    if (!made || (!found.isDirectory() && found.nlink > 1)) return;
    // The contents first: a folder that is still root's is given again after an interruption.
    if (found.isDirectory()) for (const name of readdirSync(path)) give(join(path, name));
    lchownSync(path, uid, gid);
  };
  for (const name of readdirSync(versions)) give(join(versions, name));
  for (const folder of [versions, root]) lchownSync(folder, uid, gid);
}

const ownerOf = (path: string): number | null => lstatSync(path, { throwIfNoEntry: false })?.uid ?? null;

/** Returns whether the program's folders, as far as they exist, belong to its owner. */
function ownsProgram({ paths: { root, versions }, program }: FolderOwners): boolean {
  const inside = isFolder(versions) ? readdirSync(versions).map((name) => join(versions, name)) : [];
  return [root, versions, ...inside].every((path) => (ownerOf(path) ?? program.uid) === program.uid);
}

function refuseForeignData({ data, account }: FolderOwners): void {
  const found = lstatSync(data, { throwIfNoEntry: false });
  if (!found) return;
  if (found.isSymbolicLink()) {
    throw new InstallError(`the data folder ${data} is a link; name the folder that it leads to with --data`);
  }
  if (!found.isDirectory()) throw new InstallError(`the data folder ${data} is a file; move it away`);
  if (found.uid === account.uid) return;
  throw new InstallError(
    `the data folder ${data} belongs to the user ${found.uid}, and the agent runs as ${account.name} (${account.uid}): name its ` +
      `user with --user, or give the folder to this one (sudo chown -R ${account.name} ${data})`,
  );
}

const isFolder = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
const isPrivate = (path: string): boolean =>
  ((lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) === 0;
