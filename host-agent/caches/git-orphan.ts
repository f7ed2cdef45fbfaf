// A git process that writes to a work folder may outlive a killed agent. Its process id is recorded in a file while
// it runs, and the process is killed before the next build touches the folder.
import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Clock } from '../../shared/clock.js';
import { unless } from '../../shared/errno.js';
import { pause } from '../../shared/pause.js';
import { killGroup } from '../system/kill-group.js';

const LOOK_AGAIN_MS = 20;

export function noteGit(note: string, pid: number): void {
  writeFileSync(note, String(pid));
}

export function forgetGit(note: string): void {
  rmSync(note, { force: true });
}

/** Kills the recorded process if it still runs, and waits until it is gone. */
export async function endOrphan(note: string, options: { clock: Clock; signal: AbortSignal }): Promise<void> {
  const pid = Number(unless(['ENOENT'], () => readFileSync(note, 'utf8')) ?? '');
  // The process id may have been reused.
  while (pid > 0 && (await commandOf(pid)).includes('read-tree')) {
    killGroup(pid, 'SIGKILL');
    await pause(options.clock, LOOK_AGAIN_MS, options.signal);
  }
  forgetGit(note);
}

/** Returns the command line of a process, empty when there is none. A zombie has no arguments. */
async function commandOf(pid: number): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'args=', '-p', String(pid)]);
    return stdout;
  } catch (error) {
    // ps ends with code 1 when there is no such process.
    if (error instanceof Error && 'code' in error && error.code === 1) return '';
    throw error;
  }
}
