// Supervises one half of the service (control plane or host agent): starts it, restarts it when it exits, stops it on
// request. Gives up if the half exits with a permanent error or keeps exiting.
import { type ChildProcess, fork } from 'node:child_process';
import { backoffMs } from '../../shared/backoff.js';
import type { Clock, Timer } from '../../shared/clock.js';
import type { Log } from '../../shared/log.js';

export interface Half {
  pid(): number | null;
  /** Resolves with the exit code when the supervisor gives up restarting. */
  readonly gaveUp: Promise<number>;
  /** Ends the process gracefully (SIGTERM, then SIGKILL after `graceMs`) and does not restart it. */
  stop(graceMs: number): Promise<void>;
}

export interface HalfOptions {
  name: string;
  /** Compiled module to run in a child process. */
  module: string;
  argv?(): readonly string[];
  /** Exit codes after which a restart would fail the same way. */
  permanent: readonly number[];
  env(): NodeJS.ProcessEnv;
  clock: Clock;
  log: Log;
  /** Called after each start; `onMessage` is called for each message from the process. */
  onStart(pid: number): void;
  onMessage(message: unknown): void;
}

/** A process that ran at least this long resets the backoff. */
const SETTLED_MS = 10_000;
/** Gives up after this many consecutive exits within SETTLED_MS. Exits by a signal are not counted. */
const MOST_FAILED_STARTS = 10;

export function supervise(options: HalfOptions): Half {
  const { name, clock, log } = options;
  let child: ChildProcess | null = null;
  let restart: Timer | null = null;
  let stopping = false;
  let attempt = 0;
  let failedStarts = 0;
  let giveUp: (code: number) => void = () => undefined;
  const gaveUp = new Promise<number>((resolve) => {
    giveUp = resolve;
  });

  const start = () => {
    const startedAt = clock.monotonic();
    const started = fork(options.module, options.argv?.() ?? [], {
      env: options.env(),
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    child = started;
    if (started.pid) options.onStart(started.pid);
    started.on('message', options.onMessage);
    started.on('error', (error) => log.error({ err: error, half: name }, 'could not be started'));
    started.on('exit', (code, signal) => {
      child = null;
      if (stopping) return;
      if (clock.monotonic() - startedAt > SETTLED_MS) {
        attempt = 0;
        failedStarts = 0;
      }
      if (code !== null) {
        failedStarts++;
        // The process has already logged why it cannot run.
        if (options.permanent.includes(code)) return giveUp(code);
        if (failedStarts === MOST_FAILED_STARTS) {
          log.error({ half: name, code, failedStarts }, 'the process keeps ending; not restarting it');
          return giveUp(code);
        }
      }
      const wait = Math.max(100, backoffMs(attempt++, { baseMs: 200, maxMs: 2_000 }));
      log.warn({ half: name, code, signal, wait }, 'the process ended unexpectedly; restarting it');
      restart = clock.setTimeout(start, wait);
    });
  };
  start();

  return {
    pid: () => child?.pid ?? null,
    gaveUp,
    async stop(graceMs) {
      stopping = true;
      restart?.cancel();
      const running = child;
      if (!running) return;
      await new Promise<void>((resolve) => {
        const killer = clock.setTimeout(() => running.kill('SIGKILL'), graceMs);
        running.on('exit', () => {
          killer.cancel();
          resolve();
        });
        running.kill('SIGTERM');
      });
    },
  };
}
