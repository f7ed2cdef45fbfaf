// Keeps one half of the service running: starts it, starts it again when it dies, stops it when asked. It gives up when
// the half says that it cannot start, or keeps ending by itself.
import { type ChildProcess, fork } from 'node:child_process';
import { backoffMs } from '../../shared/backoff.js';
import type { Clock, Timer } from '../../shared/clock.js';
import type { Log } from '../../shared/log.js';

export interface Half {
  pid(): number | null;
  /** Resolves with the exit code when the half is not started again although nobody stopped it. */
  readonly gaveUp: Promise<number>;
  /** Ends the process gracefully (SIGTERM, then SIGKILL after `graceMs`) and does not start it again. */
  stop(graceMs: number): Promise<void>;
}

export interface HalfOptions {
  name: string;
  /** Compiled module to run in a process of its own. */
  module: string;
  argv?(): readonly string[];
  /** Exit codes after which another start would end the same way. */
  permanent: readonly number[];
  env(): NodeJS.ProcessEnv;
  clock: Clock;
  log: Log;
  /** Called for each start, and for each message that the process sends. */
  onStart(pid: number): void;
  onMessage(message: unknown): void;
}

/** A process that lived this long starts the backoff from its beginning again. */
const SETTLED_MS = 10_000;
/** So many starts in a row that ended by themselves this soon: the next one would too. A killed process is not counted. */
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
    const startedAt = clock.now();
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
      if (clock.now() - startedAt > SETTLED_MS) {
        attempt = 0;
        failedStarts = 0;
      }
      if (code !== null) {
        failedStarts++;
        // It has said itself why it cannot run.
        if (options.permanent.includes(code)) return giveUp(code);
        if (failedStarts === MOST_FAILED_STARTS) {
          log.error({ half: name, code, failedStarts }, 'keeps ending, not starting it again');
          return giveUp(code);
        }
      }
      const wait = Math.max(100, backoffMs(attempt++, { baseMs: 200, maxMs: 2_000 }));
      log.warn({ half: name, code, signal, wait }, 'ended unexpectedly, starting it again');
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
