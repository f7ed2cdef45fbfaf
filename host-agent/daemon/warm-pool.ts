// The warm pool: build processes that are started before there is a build, so that a build does not wait for Node.
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import path from 'node:path';
import type { Clock, Timer } from '../../shared/clock.js';
import { BUILD_COMMAND } from '../contract/build-command.js';
import { withSubreaper } from '../system/subreaper.js';
import { BUILD_PROGRAM } from './build-program.js';

export interface BuildChild {
  readonly pid: number;
  /** Duplex; closes when the process exits. */
  readonly socket: Socket;
  kill(): void;
}

export interface WarmPool {
  /** Takes a process that waits for its start message: a warm one if there is one, otherwise a new one. */
  take(): BuildChild;
  /** Refills the pool soon, once the end of a build has been reported. */
  refillAfterBuild(): void;
  /** Ends the processes of the pool. */
  close(): void;
}

/** Leaves time to report the end of a build before starting a process takes CPU. */
const AFTER_END_MS = 200;

/**
 * Creates a pool and fills it.
 *
 * @param options.errorFile standard error of the build processes (crashes) is appended to this file
 */
export function createWarmPool(options: {
  /** Read whenever a process is taken. */
  count: () => number;
  refillMs: () => number;
  clock: Clock;
  errorFile: string;
  program?: string;
}): WarmPool {
  const { count, refillMs, clock, errorFile, program = BUILD_PROGRAM } = options;
  const waiting = new Set<BuildChild>();
  let refill: Timer | null = null;
  let closed = false;

  const fill = () => {
    refill = null;
    while (!closed && waiting.size < count()) add();
  };
  const fillLater = () => {
    if (!closed && waiting.size < count()) refill ??= clock.setTimeout(fill, refillMs());
  };
  const add = () => {
    const child = startBuildProcess([program, BUILD_COMMAND, 'warm'], errorFile);
    waiting.add(child);
    child.socket.once('close', () => {
      if (waiting.delete(child)) fillLater();
    });
  };

  fill();
  return {
    take() {
      const [ready] = waiting;
      const child = ready ?? startBuildProcess([program, BUILD_COMMAND], errorFile);
      waiting.delete(child);
      fillLater();
      return child;
    },
    refillAfterBuild() {
      if (closed) return;
      refill?.cancel();
      refill = clock.setTimeout(fill, Math.min(AFTER_END_MS, refillMs()));
    },
    close() {
      closed = true;
      refill?.cancel();
      for (const child of waiting) child.socket.destroy();
      waiting.clear();
    },
  };
}

/**
 * Starts a build process in a new session, so that signals to the daemon's session do not reach it. It does not
 * inherit the daemon's `CIDERMILL_*` variables, because their values may be credentials.
 */
function startBuildProcess(args: readonly string[], errorFile: string): BuildChild {
  const isInherited = ([name]: [string, unknown]) =>
    !name.startsWith('CIDERMILL_') && !name.startsWith('PERL') && name !== 'NODE_OPTIONS';
  const errors = openErrors(errorFile);
  try {
    const [file = '', ...rest] = withSubreaper([process.execPath, ...args]);
    const child = spawn(file, rest, {
      detached: true,
      cwd: '/',
      env: Object.fromEntries(Object.entries(process.env).filter(isInherited)),
      stdio: ['ignore', errors, errors, 'pipe'],
    });
    const socket = child.stdio[3];
    if (!(socket instanceof Socket)) throw new Error('the build process has no pipe');
    // A process that could not be started is seen as a socket that closes at once.
    child.on('error', () => socket.destroy());
    child.unref();
    return { pid: child.pid ?? -1, socket, kill: () => void child.kill('SIGKILL') };
  } finally {
    if (errors !== 'ignore') closeSync(errors);
  }
}

/** On a full disk, builds run without it. */
function openErrors(file: string): number | 'ignore' {
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    return openSync(file, 'a', 0o600);
  } catch {
    return 'ignore';
  }
}
