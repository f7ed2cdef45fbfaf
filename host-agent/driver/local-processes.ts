// Finds and signals the processes of a build, or of a Mac that is a folder.
import { realpathSync } from 'node:fs';
import path from 'node:path';
import { isErrno } from '../../shared/errno.js';
import type { BuildProcesses, ProcessSignal } from './driver.js';
import { listProcesses, type ProcessEntry } from './process-table.js';

/**
 * Matches everything that the build started: its session, processes with its mark, and processes that have cleared
 * their environment but still work in the Mac's folder.
 */
export function belongsToBuild(build: BuildProcesses, macFolder: string): (entry: ProcessEntry) => boolean {
  const { mark, session, ancestor } = build;
  const root = realPath(macFolder);
  return (entry) =>
    (session !== null &&
      (entry.session === null
        ? entry.terminal === path.basename(session.terminal) || entry.group === session.script
        : entry.session === session.leader || entry.session === session.script)) ||
    entry.parent === ancestor ||
    entry.carries(mark) ||
    (isBelow(entry.folder(), root) && entry.lacks('HOME'));
}

/** Matches everything that has the Mac's HOME or works in its folder. */
export function belongsToMac(home: string, macFolder: string): (entry: ProcessEntry) => boolean {
  const root = realPath(macFolder);
  return (entry) => entry.carries(`HOME=${home}`) || isBelow(entry.folder(), root);
}

const MOST_ROUNDS = 20;

/**
 * Signals all matching processes and their descendants, except this process. Returns how many there were.
 *
 * Each is signaled once. The list is read again until it has nothing new, because processes may start meanwhile. For
 * SIGKILL they are stopped first: once a parent has exited its children are no longer its descendants, so none may
 * exit before all are known.
 */
export async function signalProcesses(
  belongs: (entry: ProcessEntry) => boolean,
  signal: ProcessSignal,
): Promise<number> {
  if (signal === 0) return (await choose(belongs)).size;
  const found = new Set<number>();
  for (let round = 0, fresh = -1; round < MOST_ROUNDS && fresh !== 0; round++) {
    const unseen = [...(await choose(belongs))].filter((pid) => !found.has(pid));
    fresh = unseen.length;
    for (const pid of unseen) {
      found.add(pid);
      send(pid, signal === 'SIGKILL' ? 'SIGSTOP' : signal);
    }
  }
  if (signal === 'SIGKILL') for (const pid of found) send(pid, signal);
  return found.size;
}

async function choose(belongs: (entry: ProcessEntry) => boolean): Promise<Set<number>> {
  const all = await listProcesses();
  const chosen = new Set(all.filter(belongs).map((entry) => entry.pid));
  for (let before = -1; before !== chosen.size; ) {
    before = chosen.size;
    for (const entry of all) if (chosen.has(entry.parent)) chosen.add(entry.pid);
  }
  chosen.delete(process.pid);
  return chosen;
}

function send(pid: number, signal: Exclude<ProcessSignal, 0> | 'SIGSTOP'): void {
  try {
    process.kill(pid, signal);
    // A stopped process would not handle the signal.
    if (signal === 'SIGTERM') process.kill(pid, 'SIGCONT');
  } catch (error) {
    // It has exited, or belongs to another user (a setuid program).
    if (!isErrno(error, 'ESRCH', 'EPERM')) throw error;
  }
}

/**
 * The system reports working folders without links. If a build has put a link in place of the Mac's folder, processes
 * that work where it points do not belong to the Mac.
 */
function realPath(macFolder: string): string {
  try {
    return path.join(realpathSync(path.dirname(macFolder)), path.basename(macFolder));
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return macFolder;
    throw error;
  }
}

function isBelow(folder: string | null, root: string): boolean {
  return folder !== null && (folder === root || folder.startsWith(`${root}/`));
}
