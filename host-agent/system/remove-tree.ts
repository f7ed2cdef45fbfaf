// Deletes what builds left behind: folders without permissions, immutable files, names that are not UTF-8, trees
// deeper than the maximum path length, sockets and pipes. Links are deleted, never followed.
import { spawnSync } from 'node:child_process';
import { chmodSync, lstatSync, readdirSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { isErrno, unless } from '../../shared/errno.js';
import { takeTurns } from './turns.js';

// macOS limits paths to 1,024 bytes and names to 255; a deeper folder is moved up before it is entered.
const LONGEST_PATH = 1023 - 256;
const SLASH = Buffer.from('/');
// Each round reaches what the previous one made accessible.
const UNLOCK_ROUNDS = 16;

type Turn = () => Promise<void> | null;

interface Removal {
  top: Buffer;
  moved: number;
  turn: Turn;
}

/** Deletes what is at `path`, of any type. Does nothing when there is nothing. */
export function removeTree(path: string | Buffer, signal?: AbortSignal): Promise<void> {
  return unlocking(path, () => removeOnce(path, signal));
}

/** Deletes everything inside a folder that is known to be a real one. */
export function emptyFolder(path: string, signal?: AbortSignal): Promise<void> {
  const top = Buffer.from(path);
  return unlocking(path, () => removeContent(top, { top, moved: 0, turn: takeTurns(signal, 256) }));
}

/**
 * Removes locks that keep the owner from changing `path` and the files below it: immutable and append-only flags and, on
 * macOS, access control lists. Best effort. Links are not followed.
 */
export const unlock = (path: string | Buffer): void => removeLocks(path, true);

function removeLocks(path: string | Buffer, below: boolean): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found || found.isSymbolicLink()) return;
  const run = (command: string, ...args: string[]) =>
    spawnSync(command, [...args, path.toString()], { stdio: 'ignore' });
  const recursive = below ? ['-R'] : [];
  if (process.platform === 'darwin') {
    run('/usr/bin/chflags', ...recursive, below ? '-P' : '-h', 'nouchg,nouappnd');
    run('/bin/chmod', ...recursive, '-N');
  } else {
    run('chattr', ...recursive, '-f', '-i', '-a');
  }
}

/**
 * Runs `work`. If it is denied, restores the owner's permissions on the folders and removes their locks, outermost first,
 * then runs it again.
 */
export async function regaining<T>(folders: readonly string[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isErrno(error, 'EPERM', 'EACCES')) throw error;
    for (const folder of folders) regain(folder);
    return work();
  }
}

function regain(folder: string): void {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  removeLocks(folder, false);
  chmodSync(folder, 0o700);
}

/** Retries what was denied after unlocking more, while that makes progress. */
async function unlocking(path: string | Buffer, remove: () => Promise<void>): Promise<void> {
  let stuckAt: string | undefined;
  for (let round = 1; ; round++) {
    try {
      return await remove();
    } catch (error) {
      if (!isErrno(error, 'EPERM', 'EACCES')) throw error;
      const at = error instanceof Error && 'path' in error ? String(error.path) : '';
      if (round > UNLOCK_ROUNDS || at === stuckAt) throw error;
      stuckAt = at;
      unlock(path);
    }
  }
}

async function removeOnce(path: string | Buffer, signal?: AbortSignal): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isDirectory()) return unlinkSync(path);
  const top = Buffer.from(path);
  await removeContent(top, { top, moved: 0, turn: takeTurns(signal, 256) });
  rmdirSync(path);
}

async function removeContent(folder: Buffer, removal: Removal): Promise<void> {
  chmodSync(folder, 0o700);
  // Folders moved up while the top is read are handled in the next round.
  for (let entries = list(folder); entries.length > 0; entries = list(folder)) {
    for (const entry of entries) {
      await removal.turn();
      const path = Buffer.concat([folder, SLASH, entry.name]);
      if (!entry.isDirectory()) {
        // An exiting process of the build may delete its socket at the same moment.
        unless(['ENOENT'], () => unlinkSync(path));
      } else if (path.length > LONGEST_PATH && folder !== removal.top) {
        renameSync(path, freeName(removal));
      } else {
        await removeContent(path, removal);
        rmdirSync(path);
      }
    }
    if (folder !== removal.top) break;
  }
}

function list(folder: Buffer) {
  return readdirSync(folder, { withFileTypes: true, encoding: 'buffer' });
}

function freeName(removal: Removal): Buffer {
  for (;;) {
    removal.moved += 1;
    const name = Buffer.concat([removal.top, SLASH, Buffer.from(`moved-${removal.moved}`)]);
    if (!lstatSync(name, { throwIfNoEntry: false })) return name;
  }
}
