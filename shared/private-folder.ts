// Data folders are private: only the user of the service may read them.
import { chmodSync, closeSync, lstatSync, openSync, readdirSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { errnoOf, unless } from './errno.js';

/** The umask of the service's processes: only their user can read what they create. Builds have `BUILD_UMASK`. */
export const SERVICE_UMASK = 0o077;
/** The default umask of a login on most systems. */
export const BUILD_UMASK = 0o022;

const OF_OTHERS = 0o077;
const GONE = ['ENOENT', 'ENOTDIR'];

/** The folder belongs to another user; the message says to which and what to do. */
export class ForeignFolderError extends Error {
  override name = 'ForeignFolderError';
}

export interface Repaired {
  /** Relative to the folder; `.` is the folder itself. */
  readonly path: string;
  /** The mode before, in octal: `0755`. */
  readonly mode: string;
  /** Number of files and folders below it that were changed too. */
  readonly below?: number;
  /** Why the mode could not be changed: `EROFS`. */
  readonly failed?: string;
}

/** @throws ForeignFolderError when the folder does not belong to the user of this process */
export function checkFolderOwner(folder: string): void {
  const uid = process.getuid?.();
  const owner = unless(GONE, () => statSync(folder))?.uid;
  if (uid === undefined || owner === undefined || owner === uid) return;
  throw new ForeignFolderError(
    `the data folder ${folder} belongs to the user ${owner}, and this process runs as the user ${uid}: run it as the ` +
      `folder's user, or give the folder to this one (chown -R ${uid})`,
  );
}

/**
 * Removes the permissions of other users from the folder and from the files and folders directly in it. Everything
 * below one of the folders `deep` is repaired only if that folder was open: nothing below a closed folder can be
 * reached.
 *
 * Links are followed only for the names `deep` and `linked`, which an operator may keep on another disk: anybody who
 * could write to the folder may have put other links there, to change permissions outside of it.
 *
 * @returns what was changed, or could not be
 */
export function makePrivate(folder: string, deep: readonly string[] = [], linked: readonly string[] = []): Repaired[] {
  const repaired: Repaired[] = [];
  const close = (name: string) => {
    const target = path.join(folder, name);
    const followed = name === '.' || deep.includes(name) || linked.includes(name);
    const found = followed ? whereItLeads(target) : lstatSync(target, { throwIfNoEntry: false });
    if (!found) return;
    const closed = closeToOthers(target, found);
    if (closed === false) return;
    const below = closed === true && found.isDirectory() && deep.includes(name) ? closeBelow(target) : 0;
    repaired.push({
      path: name,
      mode: octal(found),
      ...(below > 0 ? { below } : {}),
      ...(closed === true ? {} : { failed: closed.failed }),
    });
  };
  close('.');
  for (const name of readdirSync(folder).sort()) close(name);
  return repaired;
}

/** Undefined for a link that another user has made, and for one that leads nowhere. */
function whereItLeads(target: string): Stats | undefined {
  const itself = lstatSync(target, { throwIfNoEntry: false });
  if (!itself?.isSymbolicLink()) return itself;
  if (itself.uid !== 0 && itself.uid !== process.getuid?.()) return undefined;
  return unless(GONE, () => statSync(target));
}

/**
 * Creates the file with mode 600, unless it exists. An existing file is not opened: closing it would release its locks.
 */
export function createPrivateFile(file: string): void {
  const fd = unless(['EEXIST'], () => openSync(file, 'wx', 0o600));
  if (fd !== undefined) closeSync(fd);
}

/**
 * Returns whether the mode was changed, or why it could not be (a read-only disk, a protected file). Links, sockets and
 * other users' files stay as they are.
 */
function closeToOthers(target: string, found: Stats): boolean | { failed: string } {
  const uid = process.getuid?.();
  if (uid === undefined || (found.mode & OF_OTHERS) === 0 || (uid !== 0 && found.uid !== uid)) return false;
  if (!found.isFile() && !found.isDirectory()) return false;
  try {
    chmodSync(target, found.mode & 0o7777 & ~OF_OTHERS);
    return true;
  } catch (error) {
    const code = errnoOf(error);
    if (code === undefined) throw error;
    return GONE.includes(code) ? false : { failed: code };
  }
}

function closeBelow(folder: string): number {
  let changed = 0;
  const waiting = [folder];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const inside = at;
    for (const name of unless(GONE, () => readdirSync(inside)) ?? []) {
      const target = path.join(inside, name);
      const found = lstatSync(target, { throwIfNoEntry: false });
      if (!found || found.isSymbolicLink()) continue;
      if (closeToOthers(target, found) === true) changed++;
      if (found.isDirectory()) waiting.push(target);
    }
  }
  return changed;
}

const octal = ({ mode }: Stats) => (mode & 0o7777).toString(8).padStart(4, '0');
