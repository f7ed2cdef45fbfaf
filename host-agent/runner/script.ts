// Runs the script to its end, or ends it, and leaves no process of the build behind.
import type { Clock } from '../../shared/clock.js';
import type { BuildProcesses, ProcessSignal } from '../driver/driver.js';
import { killUntilGone } from '../driver/kill-until-gone.js';
import type { BuildLimits } from '../limits.js';
import { pause, within } from '../system/waiting.js';
import type { ScriptEnd, Terminal } from './terminal.js';

// Asking for every process of the machine costs milliseconds, on macOS tens of them.
const LONGEST_PAUSE_MS = 200;
// SIGKILL does not end a process that waits inside the kernel, e.g. for a dead network disk.
const AFTER_KILL_MS = 5_000;
// Once let go, the wrapper is gone in far less; it is not a process that the script left behind.
const WRAPPER_EXIT_MS = 50;

export interface RunScriptOptions {
  /** On which the wrapper waits. */
  terminal: Terminal;
  /** Aborted when the script has to end before its time. */
  signal: AbortSignal;
  /** Asked when that happens: milliseconds between SIGTERM and SIGKILL. */
  killGraceMs: () => number;
  signalProcesses(session: BuildProcesses['session'], signal: ProcessSignal): Promise<number>;
  limits: BuildLimits;
  clock: Clock;
}

export interface ScriptRun extends ScriptEnd {
  /** It had not ended by itself when the signal came. */
  interrupted: boolean;
  /** Processes that could not be ended. */
  leftRunning: number;
}

/** @throws WrapperNotStarted when nothing of the script ran */
export async function runScript(options: RunScriptOptions): Promise<ScriptRun> {
  const { terminal: run, clock, limits, signal } = options;
  run.begin();
  const signalAll = (name: ProcessSignal) => options.signalProcesses(run.session(), name);
  let ended = false;
  const settled = run.ended.then(
    () => {
      ended = true;
    },
    () => {
      ended = true;
    },
  );

  let graceEnds: number | null = null;
  await Promise.race([settled, aborted(signal)]);
  const interrupted = !ended;
  if (interrupted) {
    const grace = options.killGraceMs();
    graceEnds = clock.now() + grace;
    await within(run.begun, clock, grace, null);
    await signalAll('SIGTERM');
    await within(settled, clock, grace, null);
  }
  if (ended) void run.release();
  if (graceEnds === null && (await waitUntilGone(signalAll, clock, WRAPPER_EXIT_MS)) > 0) {
    graceEnds = clock.now() + limits.leftoverGraceMs;
    await signalAll('SIGTERM');
  }
  if (graceEnds !== null) await waitUntilGone(signalAll, clock, graceEnds - clock.now());
  const leftRunning = await killUntilGone(() => signalAll('SIGKILL'), clock, limits.killRoundsMs);
  const unknown: ScriptEnd = { exitCode: 128 + 9, complete: false };
  const end = await within(run.ended, clock, AFTER_KILL_MS, unknown);
  return { ...end, interrupted, leftRunning };
}

/** Resolves with how many processes are left when none is, or when the time is over. */
async function waitUntilGone(
  signalAll: (name: ProcessSignal) => Promise<number>,
  clock: Clock,
  forMs: number,
): Promise<number> {
  const deadline = clock.now() + forMs;
  for (let wait = 1; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    const left = await signalAll(0);
    const time = deadline - clock.now();
    if (left === 0 || time <= 0) return left;
    await pause(clock, Math.min(wait, time));
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
