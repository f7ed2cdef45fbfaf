// The processes of this machine, with what a driver needs to find those of a build.
import { execFile } from 'node:child_process';
import { closeSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { promisify } from 'node:util';

export interface ProcessEntry {
  pid: number;
  parent: number;
  /** Process group. */
  group: number;
  /** Session id; null where the system does not report it (macOS). */
  session: number | null;
  /** Controlling terminal as `ps` prints it (`ttys003`); null when the session is known, or there is none. */
  terminal: string | null;
  /** Returns whether `NAME=value` is in its environment, as far as that can be read. */
  carries(assignment: string): boolean;
  /** Returns whether its environment can be read and does not have the variable. */
  lacks(name: string): boolean;
  /** Returns the working folder, or null when the system does not report it. */
  folder(): string | null;
}

/** Lists all processes except zombies. */
export async function listProcesses(): Promise<ProcessEntry[]> {
  return process.platform === 'linux' ? linuxProcesses() : parsePs(await runPs());
}

/** Returns whether the process lives and has this argument. */
export async function hasArgument(pid: number, argument: string): Promise<boolean> {
  if (process.platform === 'linux') {
    return isLive(pid) && readOrEmpty(`/proc/${pid}/cmdline`).split('\0').includes(argument);
  }
  const args = ['-ww', '-o', 'stat=', '-o', 'command=', '-p', String(pid)];
  // ps exits with an error when there is no such process.
  const found = await promisify(execFile)('/bin/ps', args).catch(() => ({ stdout: '' }));
  return !found.stdout.startsWith('Z') && ` ${found.stdout.trimEnd()} `.includes(` ${argument} `);
}

function isLive(pid: number): boolean {
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  return stat !== '' && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}

/** PF_KTHREAD in the flags of /proc/PID/stat. */
const KERNEL_THREAD = 0x0020_0000;

function linuxProcesses(): ProcessEntry[] {
  const entries: ProcessEntry[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const stat = readOrEmpty(`/proc/${name}/stat`);
    // The command's name is in parentheses and may contain any character.
    const [state, parent, group, session, _terminal, _foreground, flags] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ');
    if (stat === '' || state === 'Z' || state === 'X') continue;
    // Threads of the kernel, often most of the list, have neither an environment nor a folder.
    const ofKernel = (Number(flags) & KERNEL_THREAD) !== 0;
    const environment = () => (ofKernel ? '' : readOrEmpty(`/proc/${name}/environ`));
    entries.push({
      pid,
      parent: Number(parent),
      group: Number(group),
      session: Number(session),
      terminal: null,
      carries: (assignment) => `\0${environment()}`.includes(`\0${assignment}\0`),
      lacks(variable) {
        const read = environment();
        return read === '' ? !ofKernel && hasNoEnvironment(pid) : !`\0${read}`.includes(`\0${variable}=`);
      },
      folder: () => (ofKernel ? null : linkOrNull(`/proc/${name}/cwd`)),
    });
  }
  return entries;
}

/**
 * Returns whether a process whose environment reads as empty has none. It also reads so within execve, until the end of
 * the code is set, and for a process of another user, whose environment is reported at 0.
 *
 * Source: proc_pid_stat(5).
 */
function hasNoEnvironment(pid: number): boolean {
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // The first of them is field 3.
  const [codeEnd, start, end] = [27, 50, 51].map((field) => Number(fields[field - 3]));
  return codeEnd !== 0 && end !== 0 && start === end;
}

// Allocated once: readFileSync allocates a new buffer for each file of /proc, whose sizes are unknown.
let buffer = Buffer.alloc(16 * 1024);

/** A process may exit while it is read, or belong to another user; then nothing is known about it. */
function readOrEmpty(file: string): string {
  let fd: number | null = null;
  try {
    fd = openSync(file, 'r');
    for (let length = 0; ; ) {
      const read = readSync(fd, buffer, length, buffer.length - length, null);
      length += read;
      if (read === 0) return buffer.toString('latin1', 0, length);
      if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.alloc(length)]);
    }
  } catch {
    return '';
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

/** Returns null for a process that has exited or belongs to another user. */
function linkOrNull(file: string): string | null {
  try {
    return readlinkSync(file);
  } catch {
    return null;
  }
}

async function runPs(): Promise<string> {
  // The output contains every readable environment, secrets included: never log it.
  // One option for each column: after `=`, the rest of an option is the heading of its column.
  const columns = ['pid', 'ppid', 'pgid', 'tty', 'stat', 'command'];
  const args = ['-axEww', ...columns.flatMap((column) => ['-o', `${column}=`])];
  const { stdout } = await promisify(execFile)('/bin/ps', args, { maxBuffer: 256 * 1024 * 1024 });
  return stdout;
}

/**
 * Parses the output of `ps -axEww` with the columns pid, ppid, pgid, tty, stat and command on macOS, where the environment
 * follows the command on the same line, separated by spaces.
 *
 * @example parsePs('  501   1   501 ttys003  S+  sh -c make HOME=/x CI=true\n')[0].carries('CI=true') // true
 */
export function parsePs(text: string): ProcessEntry[] {
  const entries: ProcessEntry[] = [];
  for (const line of text.split('\n')) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s(.*)$/.exec(line);
    if (!match) continue;
    const [, pid, parent, group, terminal = '', state = '', command = ''] = match;
    if (state.startsWith('Z')) continue;
    const padded = ` ${command} `;
    entries.push({
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: null,
      terminal: terminal.startsWith('?') ? null : terminal,
      carries: (assignment) => padded.includes(` ${assignment} `),
      // System programs hide their environment here, so a missing variable proves nothing.
      lacks: () => false,
      folder: () => null,
    });
  }
  return entries;
}
