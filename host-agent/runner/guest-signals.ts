import type { Clock } from '../../shared/clock.js';
import type { ProcessSignal } from '../driver/driver.js';
import { signalGuestBuild } from '../guest/processes.js';
import type { GuestLimits } from '../limits.js';
import { within } from '../system/within.js';
import type { Guest } from './persistent-guest.js';

type Signal = (signal: ProcessSignal) => Promise<number>;

/**
 * Returns a function that asks the build's supervisor to signal the build's processes, and once that has not answered in
 * time, another program in the guest. In a guest that does not answer either, one process counts as left.
 */
export function guestSignals(
  supervisor: Signal,
  options: { guest: Guest; mark: string; limits: GuestLimits; clock: Clock },
): Signal {
  const { guest, mark, limits, clock } = options;
  let answers = true;
  return async (signal) => {
    const found = answers ? await within(supervisor(signal), clock, limits.signalMs, null) : null;
    if (found !== null) return found;
    answers = false;
    const call = { timeoutMs: limits.signalMs };
    const build = { mark, script: null, work: null };
    return signalGuestBuild(guest.access().transport, build, signal, call).catch(async () =>
      (await guest.isRunning()) ? 1 : 0,
    );
  };
}
