// A clock whose time of day steps only when its owner is ready for it.
import type { Clock, Timer } from './clock.js';

/** Corrections below this are applied silently, ms. */
export const SMALLEST_STEP_MS = 1_000;
/** Rounding, and what NTP corrects without a step, ms. */
const TOLERANCE_MS = 20;

export interface SteadyClock extends Clock {
  /** By how much the machine's clock has stepped since `now` last followed it, ms; 0 if it has not. */
  pendingStep(): number;
  /** Makes `now` follow a step of `ms`. */
  follow(ms: number): void;
}

/**
 * Returns a clock whose `now` does not follow a step of the machine's clock until `follow` is called, so that stored
 * times can be shifted first.
 */
export function createSteadyClock(base: Clock): SteadyClock {
  let offset = base.now() - base.monotonic();
  const ahead = () => base.now() - base.monotonic() - offset;
  return {
    now: () => base.monotonic() + offset,
    monotonic: () => base.monotonic(),
    setTimeout: (fn, ms) => base.setTimeout(fn, ms),
    pendingStep() {
      const ms = ahead();
      if (Math.abs(ms) >= SMALLEST_STEP_MS) return ms;
      if (Math.abs(ms) >= TOLERANCE_MS) offset += ms;
      return 0;
    },
    follow(ms) {
      offset += ms;
    },
  };
}

/** How often a step is looked for, ms. */
export const LOOK_MS = 1_000;

/** Calls `onStep` soon after a step of the machine's clock, with its size in ms. Returns a function that stops it. */
export function watchSteps(base: Clock, onStep: (ms: number) => void): () => void {
  const clock = createSteadyClock(base);
  let timer: Timer;
  const look = () => {
    timer = clock.setTimeout(look, LOOK_MS);
    const ms = clock.pendingStep();
    if (ms === 0) return;
    clock.follow(ms);
    onStep(ms);
  };
  timer = clock.setTimeout(look, LOOK_MS);
  return () => timer.cancel();
}
