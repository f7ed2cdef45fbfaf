// Build processes that are booted before there is a build, so that its first byte does not wait for Node.
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Clock, Timer } from '../../shared/clock.js';
import { withSubreaper } from '../system/subreaper.js';

export interface BuildChild {
  readonly pid: number;
  /** Both directions; ends when the process does. */
  readonly socket: Socket;
  kill(): void;
}

export interface WarmPool {
  /** A process that waits for its order: a booted one if there is one. */
  take(): BuildChild;
  /** A build has ended: what has been used is replaced as soon as its end has been told. */
  ended(): void;
  /** Lets the waiting ones end. */
  close(): void;
}

/** Time for the end of a build to be told, before another process boots. */
const AFTER_END_MS = 200;

/** What a build process runs. */
export const BUILD_PROGRAM = fileURLToPath(new URL('../runner/main.js', import.meta.url));

/** @param options.errorFile what a build process prints itself (a crash) is appended to this file */
export function createWarmPool(options: {
  /** Both read anew whenever one is used. */
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
    const child = startBuildProcess([program, 'warm'], errorFile);
    waiting.add(child);
    child.socket.once('close', () => {
      if (waiting.delete(child)) fillLater();
    });
  };

  fill();
  return {
    take() {
      const [ready] = waiting;
      const child = ready ?? startBuildProcess([program], errorFile);
      waiting.delete(child);
      fillLater();
      return child;
    },
    ended() {
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
 * In a session of its own, so that nothing that is sent to the daemon's reaches it. It inherits no configuration of
 * the daemon (`CIDERMILL_*`), whose values may be credentials.
 */
function startBuildProcess(args: readonly string[], errorFile: string): BuildChild {
  const own = ([name]: [string, unknown]) =>
    !name.startsWith('CIDERMILL_') && !name.startsWith('PERL') && name !== 'NODE_OPTIONS';
  const errors = openSync(errorFile, 'a', 0o600);
  try {
    const [file = '', ...rest] = withSubreaper([process.execPath, ...args]);
    const child = spawn(file, rest, {
      detached: true,
      cwd: '/',
      env: Object.fromEntries(Object.entries(process.env).filter(own)),
      stdio: ['ignore', errors, errors, 'pipe'],
    });
    const socket = child.stdio[3];
    if (!(socket instanceof Socket)) throw new Error('the build process has no pipe');
    // A process that could not be started shows as a pipe that closes at once.
    child.on('error', () => socket.destroy());
    child.unref();
    return { pid: child.pid ?? -1, socket, kill: () => void child.kill('SIGKILL') };
  } finally {
    closeSync(errors);
  }
}
