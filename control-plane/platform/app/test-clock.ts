// A clock that is advanced manually (`--test-clock`).
import type { AdvancingClock } from '../../../shared/clock.js';
import { writeClockOffset } from '../store/meta.js';
import type { Store } from '../store/sql.js';

export type TestClock = ReturnType<typeof createTestClock>;

/**
 * @param settle resolves when all due work has been done
 */
export function createTestClock(deps: { clock: AdvancingClock; store: Store; settle(): Promise<void> }) {
  const { clock, store, settle } = deps;
  let moving: Promise<void> = Promise.resolve();
  const move = async (ms: number) => {
    await clock.advance(ms);
    await writeClockOffset(store, clock.offset());
    await settle();
  };
  return {
    now: clock.now,
    /** Resolves when all work that became due has been done. */
    advance(ms: number): Promise<void> {
      // Calls are serialized: each starts after the previous one has finished or failed.
      const next = moving.then(() => move(ms));
      moving = next.catch(() => undefined);
      return next;
    },
  };
}
