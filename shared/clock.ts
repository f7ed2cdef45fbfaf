// Injected time. The only file that uses Date.now, performance.now, timers and AbortSignal.timeout.

/** A pending timer; `cancel` is idempotent. */
export interface Timer {
  cancel(): void;
}

/** What time it is, how much time has passed, and timers. */
export interface Clock {
  /** Milliseconds since the Unix epoch. Steps when the machine's clock is corrected; see `monotonic`. */
  now(): number;
  /**
   * Milliseconds since some moment before the start of this process, for spans of time: deadlines, pauses, ages. It
   * never steps. Meaningless to another process, and after a restart.
   *
   * @example
   * const deadline = clock.monotonic() + 30_000;
   * while (clock.monotonic() < deadline) await pause(clock, 100);
   */
  monotonic(): number;
  /** Runs `fn` once, `ms` milliseconds from now; never inside this call. */
  setTimeout(fn: () => void, ms: number): Timer;
}

/** A clock whose time can be advanced; due timers run in order of their due time. */
export interface AdvancingClock extends Clock {
  /** Advances time by `ms` (an integer of at least 0), running timers as they become due. */
  advance(ms: number): Promise<void>;
  /**
   * Advances time by `ms` as if this machine had slept: timers that have become due run afterwards, in order of their due time. What
   * runs every minute then runs once, which makes a month take milliseconds instead of a second.
   */
  skip(ms: number): Promise<void>;
  /** Returns how far this clock is ahead of its base, in ms. */
  offset(): number;
  /** Corrects the time of day by `ms`, as NTP does: no time passes, and no timer runs. */
  step(ms: number): void;
  /** Cancels every pending timer. */
  stop(): void;
}

// setTimeout fires at once above 2^31-1 ms; longer waits are split.
const LONGEST_STEP_MS = 2 ** 31 - 1;

/** The system clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Math.floor(performance.now()),
  setTimeout(fn, ms) {
    const due = performance.now() + Math.max(0, ms);
    let handle: NodeJS.Timeout;
    const arm = () => {
      const left = due - performance.now();
      handle = left > LONGEST_STEP_MS ? setTimeout(arm, LONGEST_STEP_MS) : setTimeout(fn, Math.max(0, left));
    };
    arm();
    return { cancel: () => clearTimeout(handle) };
  },
};

/** Returns a signal that aborts after `ms` of real time: what another server may take for its answer. */
export const timeLimit = (ms: number): AbortSignal => AbortSignal.timeout(ms);

/** Returns milliseconds that pass evenly, from an arbitrary start: for how long something takes, not for when it is. */
export const stopwatch = (): number => performance.now();

interface Pending {
  due: number;
  order: number;
  fn: () => void;
}

const oneTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Creates a clock that is `offset` ms ahead of `base` and can be advanced.
 *
 * With a base it also runs at the base's speed (`--test-clock`); without one it stands still between advances
 * (tests).
 *
 * @example
 * const clock = createAdvancingClock({ start: Date.parse('2026-01-01T00:00:00Z') });
 * clock.setTimeout(() => console.log('a day later'), 86_400_000);
 * await clock.advance(86_400_000);
 */
export function createAdvancingClock(options: {
  start?: number;
  base?: Clock;
  offset?: number;
  /** Waits for what a timer has begun, before the next one runs; default: one turn of the event loop. */
  settled?: () => Promise<void>;
}): AdvancingClock {
  const { base, settled = oneTurn } = options;
  const still = options.start ?? 0;
  let offset = options.offset ?? 0;
  let stepped = 0;
  let order = 0;
  let armed: Timer | null = null;
  const pending = new Set<Pending>();

  const now = () => (base ? base.now() : still) + offset + stepped;
  const monotonic = () => (base ? base.monotonic() : 0) + offset;
  const first = () => {
    let best: Pending | null = null;
    for (const p of pending) {
      if (!best || p.due < best.due || (p.due === best.due && p.order < best.order)) best = p;
    }
    return best;
  };
  const arm = () => {
    armed?.cancel();
    armed = null;
    const next = base ? first() : null;
    if (base && next) {
      armed = base.setTimeout(() => {
        armed = null;
        runDue();
        arm();
      }, next.due - monotonic());
    }
  };
  const runDue = () => {
    for (let p = first(); p && p.due <= monotonic(); p = first()) {
      pending.delete(p);
      p.fn();
    }
  };
  const runUntil = async (target: number) => {
    for (let p = first(); p && p.due <= target; p = first()) {
      offset += Math.max(0, p.due - monotonic());
      pending.delete(p);
      p.fn();
      // Lets what a timer starts run before the next timer, as it would in real time.
      await settled();
    }
  };

  return {
    now,
    monotonic,
    offset: () => offset,
    step(ms) {
      stepped += ms;
    },
    setTimeout(fn, ms) {
      const p: Pending = { due: monotonic() + Math.max(0, ms), order: order++, fn };
      pending.add(p);
      arm();
      return {
        cancel: () => {
          if (pending.delete(p)) arm();
        },
      };
    },
    async advance(ms) {
      const target = monotonic() + ms;
      await runUntil(target);
      offset += Math.max(0, target - monotonic());
      arm();
    },
    async skip(ms) {
      offset += ms;
      await runUntil(monotonic());
      arm();
    },
    stop() {
      pending.clear();
      arm();
    },
  };
}
