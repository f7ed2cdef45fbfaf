// Time that a person moves forward (`--test-clock`).
import type { AdvancingClock } from '../../../shared/clock.js';
import { writeClockOffset } from '../store/clock-offset.js';
import type { Store } from '../store/sql.js';

export interface TestClock {
  now(): number;
  /** Answers when all that became due has been done. */
  advance(ms: number): Promise<void>;
}

/**
 * @param settle resolves when nothing that is due is left to do
 */
export function createTestClock(deps: {
  clock: AdvancingClock;
  store: Store;
  settle(): Promise<void>;
}): TestClock {
  const { clock, store, settle } = deps;
  let moving: Promise<void> = Promise.resolve();
  const move = async (ms: number) => {
    await clock.advance(ms);
    await writeClockOffset(store, clock.offset());
    await settle();
  };
  return {
    now: clock.now,
    advance(ms) {
      // One after the other: a second call starts where the first has ended, even if that failed.
      const next = moving.then(() => move(ms));
      moving = next.catch(() => undefined);
      return next;
    },
  };
}
