// For how long a running build has printed nothing, as time passes.
import type { Build } from '../../../../client/types.js';

/** Shorter silences are not worth a word. */
const SILENT_S = 60;
/** A build that was silent for less when it was read may have printed since. */
const CONFIRMED_S = 25;

/**
 * Returns the seconds since the last output, or null while that is not long ago.
 *
 * @param readAt when the build was read, and `now`, both by this machine's clock, ms
 */
export function silentSeconds(build: Pick<Build, 'timings'>, readAt: number, now: number): number | null {
  const { silent_s: then } = build.timings;
  if (then === null || then < CONFIRMED_S) return null;
  const silent = then + Math.max(0, Math.floor((now - readAt) / 1000));
  return silent < SILENT_S ? null : silent;
}
