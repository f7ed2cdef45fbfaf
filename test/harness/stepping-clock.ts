// The machine's clock, which a test corrects as NTP does.
import { type Clock, systemClock } from '../../shared/clock.js';

/** @example const clock = steppingClock(); clock.step(3_600_000); */
export function steppingClock(): Clock & { step(ms: number): void } {
  let stepped = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + stepped,
    step(ms) {
      stepped += ms;
    },
  };
}
