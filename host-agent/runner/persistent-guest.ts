// Work in the guest of a build, whose connections may break at any time.
import type { Clock } from '../../shared/clock.js';
import { pause } from '../../shared/pause.js';
import type { BuildStep } from '../../shared/protocol/index.js';
import type { MacDriver } from '../driver/driver.js';
import { type GuestAccess, VmLostError } from '../driver/guest-access.js';
import { GuestUnreachableError } from '../guest/transport.js';
import type { GuestLimits } from '../limits.js';
import { within } from '../system/within.js';
import { guestFailure } from './guest-failure.js';

/** How long it may take to find out whether the virtual machine runs. */
const RUNNING_MS = 15_000;

export interface Guest {
  /** Throws VmLostError before the first `during`. */
  access(): GuestAccess;
  /** Returns false when it is known that the virtual machine does not run. */
  isRunning(): Promise<boolean>;
  /**
   * Works in the guest; repeats that while its connections break, until `lostMs` have passed.
   *
   * @throws BuildStepError for everything that goes into the build's failure
   */
  during<T>(step: BuildStep, signal: AbortSignal | undefined, work: (access: GuestAccess) => Promise<T>): Promise<T>;
}

export function openGuest(options: {
  driver: Pick<MacDriver, 'guest'>;
  slotId: string;
  limits: GuestLimits;
  clock: Clock;
}): Guest {
  const { driver, slotId, limits, clock } = options;
  let access: GuestAccess | null = null;
  const open = async () => {
    access ??= await driver.guest(slotId);
    return opened();
  };
  const opened = () => {
    if (access === null) throw new VmLostError('there is no virtual machine in this slot');
    return access;
  };
  // If that is not known, it counts as running until `lostMs` have passed.
  const isRunning = () =>
    within(
      opened()
        .running()
        .catch(() => true),
      clock,
      RUNNING_MS,
      true,
    );
  const persist = async <T>(signal: AbortSignal | undefined, work: (access: GuestAccess) => Promise<T>): Promise<T> => {
    const deadline = clock.monotonic() + limits.lostMs;
    for (let wait = limits.retryBaseMs; ; wait = Math.min(wait * 2, limits.retryMaxMs)) {
      try {
        return await work(await open());
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof GuestUnreachableError) || clock.monotonic() >= deadline) throw error;
        if (!(await isRunning())) throw new VmLostError('it has stopped', { cause: error });
      }
      await pause(clock, wait, signal);
    }
  };
  return {
    access: opened,
    isRunning,
    during: (step, signal, work) =>
      persist(signal, work).catch((error: unknown) => Promise.reject(guestFailure(error, step))),
  };
}
