import type { Clock } from '../../shared/clock.js';
import { pause } from '../../shared/pause.js';

const LONGEST_PAUSE_MS = 250;

/**
 * Repeats a kill until it finds nothing twice in a row: a process between fork and exec shows neither its session nor
 * its environment, and a killed process may have forked just before. Returns how many it found last, which is not 0
 * only if `forMs` have passed.
 *
 * @param clean 1 if nothing was found just before
 */
export async function killUntilGone(
  kill: () => Promise<number>,
  clock: Clock,
  forMs: number,
  clean: 0 | 1 = 0,
): Promise<number> {
  const deadline = clock.monotonic() + forMs;
  let found = await kill();
  let inARow = found === 0 ? clean + 1 : 0;
  for (let ms = 1; inARow < 2; ms = Math.min(ms * 2, LONGEST_PAUSE_MS)) {
    if (clock.monotonic() >= deadline && found > 0) return found;
    await pause(clock, ms);
    found = await kill();
    inARow = found === 0 ? inARow + 1 : 0;
  }
  return 0;
}
