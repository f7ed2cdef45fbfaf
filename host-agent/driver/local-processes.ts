// Which of this machine's processes belong to a build, or to a Mac that is a folder; and signals to them.
import { realpathSync } from 'node:fs';
import path from 'node:path';
import { isErrno } from '../system/durable-file.js';
import type { BuildProcesses, ProcessSignal } from './driver.js';
import { listProcesses, type ProcessEntry } from './process-table.js';

/**
 * Everything that the build started: its session, whatever carries its mark, what a marked process started since, and
 * what has cleared its environment but still works in the Mac's folder.
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

/** Everything that has the Mac's home, or works in its folder. */
export function belongsToMac(home: string, macFolder: string): (entry: ProcessEntry) => boolean {
  const root = realPath(macFolder);
  return (entry) => entry.carries(`HOME=${home}`) || isBelow(entry.folder(), root);
}

const MOST_ROUNDS = 20;

/**
 * Signals all that belong, and their descendants. Resolves with how many there were. Never this process itself.
 *
 * Each is signalled once; the list is read again until nothing new is in it, because a process may have been started
 * while it was read. What is to be killed is stopped first: a process whose parent has ended is nobody's descendant
 * any more, so none may end before all are known.
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
    // One that is stopped would not take notice.
    if (signal === 'SIGTERM') process.kill(pid, 'SIGCONT');
  } catch (error) {
    // It ended by itself, or has become another user's (a setuid program).
    if (!isErrno(error, 'ESRCH') && !isErrno(error, 'EPERM')) throw error;
  }
}

/**
 * The system names working folders without links. A link in place of the Mac's folder itself is a build's doing, and
 * what works where it leads is none of the Mac's.
 */
function realPath(macFolder: string): string {
  try {
    return path.join(realpathSync(path.dirname(macFolder)), path.basename(macFolder));
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return macFolder;
    throw error;
  }
}

function isBelow(folder: string | null, root: string): boolean {
  return folder !== null && (folder === root || folder.startsWith(`${root}/`));
}
