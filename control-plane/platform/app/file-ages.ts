// How old files are. Their modification times follow the time of day of this machine, which may step.
import type { Clock } from '../../../shared/clock.js';

/** @param clock the machine's */
export function createFileAges(clock: Clock) {
  const offsetNow = () => clock.now() - clock.monotonic();
  let last = offsetNow();
  return {
    /**
     * Returns a time in ms since the epoch: files modified before it are older than `ms`. After a step of the clock
     * files count as younger than they are, never as older, as long as this is called at least once every `ms`.
     */
    olderThan(ms: number): number {
      const offset = offsetNow();
      const smallest = Math.min(last, offset);
      last = offset;
      return clock.monotonic() + smallest - ms;
    },
  };
}
