// Runs the script until it exits or is stopped, and kills all processes that it leaves.
import type { Clock } from '../../shared/clock.js';
import { pause } from '../../shared/pause.js';
import type { BuildScript, ScriptEnd } from '../driver/build-mac.js';
import { killUntilGone } from '../driver/kill-until-gone.js';
import type { BuildLimits } from '../limits.js';
import { within } from '../system/within.js';

// Listing all processes takes milliseconds, on macOS tens of them.
const LONGEST_PAUSE_MS = 200;
// SIGKILL does not end a process that is blocked in the kernel, e.g. on a dead network disk.
const AFTER_KILL_MS = 5_000;
// The released wrapper exits much faster; it is not left over from the script.
const WRAPPER_EXIT_MS = 50;

export interface RunScriptOptions {
  script: BuildScript;
  /** Aborted when the script has to be stopped. */
  signal: AbortSignal;
  /** Read at that moment: milliseconds between SIGTERM and SIGKILL. */
  killGraceMs: () => number;
  limits: BuildLimits;
  clock: Clock;
}

export interface ScriptRun extends ScriptEnd {
  /** The script had not exited when the signal was aborted. */
  interrupted: boolean;
  /** Number of processes that could not be killed. */
  leftRunning: number;
}

/** @throws WrapperNotStarted when nothing of the script ran */
export async function runScript(options: RunScriptOptions): Promise<ScriptRun> {
  try {
    return await runToItsEnd(options);
  } finally {
    await options.script.close();
  }
}

async function runToItsEnd(options: RunScriptOptions): Promise<ScriptRun> {
  const { script: run, clock, limits, signal } = options;
  run.begin();
  let ended = false;
  let left: number | null = null;
  const settled = run.ended.then(
    (end) => {
      ended = true;
      ({ left } = end);
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
    graceEnds = clock.monotonic() + grace;
    await within(run.begun, clock, grace, null);
    await run.signal('SIGTERM');
    await within(settled, clock, grace, null);
  }
  if (ended) run.release();
  if (graceEnds === null && left !== 0 && (await waitUntilGone(run, clock, WRAPPER_EXIT_MS)) > 0) {
    graceEnds = clock.monotonic() + limits.leftoverGraceMs;
    await run.signal('SIGTERM');
  }
  if (graceEnds !== null) await waitUntilGone(run, clock, graceEnds - clock.monotonic());
  const kill = () => run.signal('SIGKILL');
  const leftRunning = await killUntilGone(kill, clock, limits.killRoundsMs, left === 0 ? 1 : 0);
  const unknown: ScriptEnd = { exitCode: 128 + 9, complete: false, left: null };
  const end = await within(run.ended, clock, AFTER_KILL_MS, unknown);
  return { ...end, interrupted, leftRunning };
}

/** Waits until no process is left, or until the time is over; returns how many are left. */
async function waitUntilGone(run: BuildScript, clock: Clock, forMs: number): Promise<number> {
  const deadline = clock.monotonic() + forMs;
  for (let wait = 1; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    const left = await run.signal(0);
    const time = deadline - clock.monotonic();
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
