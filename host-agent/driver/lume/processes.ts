// The processes of virtual machines. lume prints "stopped" also when it cannot check whether one runs, and a
// second `lume run` breaks the lock of the first. So the process decides whether one runs.
import type { Clock } from '../../../shared/clock.js';
import { isErrno } from '../../../shared/errno.js';
import { pause } from '../../../shared/pause.js';
import { runCommand } from '../vm/run-command.js';
import { VmToolError } from '../vm/tool.js';

const POLL_MS = 100;
/** A killed process is gone at once, unless the system hangs. */
const KILLED_MS = 30_000;

/**
 * Arguments of a virtual machine without a window. `noVnc`: also without its VNC server, which would listen on this network;
 * versions up to 0.5.3 cannot run without.
 */
export const runArguments = (name: string, storage: string, noVnc: boolean): string[] => [
  'run',
  name,
  '--no-display',
  ...(noVnc ? ['--vnc', 'disabled'] : []),
  '--storage',
  storage,
];

/** Returns the process ids of the virtual machines in this folder, by name. */
export async function runningMachines(
  storage: string,
  clock: Clock,
  timeoutMs: number,
): Promise<Map<string, number[]>> {
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };
  const ps = await runCommand({ file: '/bin/ps', env, clock }, ['-axww', '-o', 'pid=', '-o', 'args='], {
    timeoutMs,
  });
  return parseMachines(ps.stdout, storage);
}

/** Parses `ps -axww -o pid= -o args=`. */
export function parseMachines(ps: string, storage: string): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const line of ps.split('\n')) {
    const [, pid, name = '', folder] =
      /^\s*(\d+) .* run (\S+) --no-display(?: --vnc disabled)? --storage (.*\S)\s*$/.exec(line) ?? [];
    if (pid === undefined || folder !== storage) continue;
    found.set(name, [...(found.get(name) ?? []), Number(pid)]);
  }
  return found;
}

/** Switches a virtual machine off: SIGINT, and SIGKILL after `timeoutMs`. */
export async function endMachine(
  name: string,
  pids: () => Promise<readonly number[]>,
  clock: Clock,
  timeoutMs: number,
): Promise<void> {
  for (const [signal, ms] of [
    ['SIGINT', timeoutMs],
    ['SIGKILL', KILLED_MS],
  ] as const) {
    const running = await pids();
    for (const pid of running) send(pid, signal);
    if (await goneWithin(pids, clock, ms)) return;
  }
  throw new VmToolError('unresponsive', `${name} could not be switched off`);
}

async function goneWithin(pids: () => Promise<readonly number[]>, clock: Clock, ms: number): Promise<boolean> {
  for (const end = clock.monotonic() + ms; ; ) {
    if ((await pids()).length === 0) return true;
    if (clock.monotonic() >= end) return false;
    await pause(clock, POLL_MS);
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!isErrno(error, 'ESRCH')) throw error;
  }
}
