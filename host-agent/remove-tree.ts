// Removing what builds left behind: folders without permissions, names that are no text, trees deeper than a
// path may be long, sockets and pipes. Links are removed, never followed.
import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, readdirSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { isErrno } from './durable-file.js';
import { takeTurns } from './turns.js';

// macOS ends paths at 1,024 bytes and names at 255; a deeper folder is moved up before it is entered.
const LONGEST_PATH = 1023 - 256;
const SLASH = Buffer.from('/');

type Turn = () => Promise<void> | null;

interface Removal {
  top: Buffer;
  moved: number;
  turn: Turn;
}

/** Removes what stands at `path`, whatever it is. Nothing there is fine. */
export async function removeTree(path: string | Buffer, signal?: AbortSignal): Promise<void> {
  try {
    await removeOnce(path, signal);
  } catch (error) {
    // Files that a build has marked immutable.
    if (process.platform !== 'darwin' || !isErrno(error, 'EPERM')) throw error;
    execFileSync('/usr/bin/chflags', ['-R', '-P', 'nouchg', path.toString()]);
    await removeOnce(path, signal);
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

/** Removes everything inside a folder that is known to be a real one. */
export async function emptyFolder(path: string, signal: AbortSignal): Promise<void> {
  const top = Buffer.from(path);
  await removeContent(top, { top, moved: 0, turn: takeTurns(signal, 256) });
}

async function removeContent(folder: Buffer, removal: Removal): Promise<void> {
  chmodSync(folder, 0o700);
  // What is moved up while the top is read is met in the next round.
  for (let entries = list(folder); entries.length > 0; entries = list(folder)) {
    for (const entry of entries) {
      await removal.turn();
      const path = Buffer.concat([folder, SLASH, entry.name]);
      if (!entry.isDirectory()) {
        unlinkSync(path);
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
