// The folders of an installation, with their owners and modes.
import {
  chmodSync,
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Account } from './account.js';
import { asUser } from './as-user.js';
import { InstallError } from './install-error.js';
import type { InstallPaths } from './paths.js';
import { type Found, ok, type Step } from './steps.js';

export interface FolderOwners {
  readonly paths: Pick<InstallPaths, 'versions'>;
  readonly data: string;
  /** Owner of the data folder. */
  readonly account: Pick<Account, 'name' | 'uid' | 'gid' | 'home'>;
}

/** Creates the folders and corrects their modes. Throws for a data folder of another user. */
export function foldersStep(owners: () => FolderOwners): Step {
  return {
    name: 'folders',
    async look(): Promise<Found> {
      const given = owners();
      const { paths, data, account } = given;
      const missing = [paths.versions, data].filter((folder) => !isFolder(folder));
      refuseForeignData(given);
      if (missing.length === 0 && isPrivate(data)) return ok(`${data} belongs to ${account.name}`);
      const text = [
        ...(missing.length > 0 ? [`create ${missing.join(' and ')}`] : []),
        ...(missing.includes(data) || isPrivate(data) ? [] : [`close ${data} to other users`]),
      ];
      return { state: 'needed', text: text.join('; '), apply: () => makeFolders(given) };
    },
  };
}

function makeFolders({ paths, data, account }: FolderOwners): void {
  for (const folder of [paths.versions, dirname(data)]) makeFolder(folder);
  if (!isFolder(data)) makeFolderOf(data, account, 0o700);
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
  makeWithMode(folder, 0o755);
}

/**
 * Creates a folder and gives it to the account. The account may be able to change the folder above, and to put something
 * else in its place: only a folder that is still this user's is given.
 */
export function makeFolderOf(folder: string, { uid, gid }: Pick<Account, 'uid' | 'gid'>, mode: number): void {
  makeWithMode(folder, mode);
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const made = fstatSync(fd);
    if (made.uid !== (process.geteuid?.() ?? made.uid)) {
      throw new InstallError(`somebody else has replaced ${folder}; run the command again`);
    }
    fchownSync(fd, uid, gid);
  } finally {
    closeSync(fd);
  }
}

/** By the umask, because a change afterwards could be led elsewhere by a link. */
function makeWithMode(folder: string, mode: number): void {
  const before = process.umask(0o777 & ~mode);
  try {
    mkdirSync(folder, { mode });
  } finally {
    process.umask(before);
  }
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
      `user with --user, or check what is in the folder, then change its owner (sudo chown -RPh ${account.name} ${data})`,
  );
}

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
const isPrivate = (path: string): boolean => ((lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) === 0;
