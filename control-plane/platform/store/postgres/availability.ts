// While the server does not answer: how long a query waits for it, and what its sender is told then.
import { type Clock, systemClock } from '../../../../shared/clock.js';
import { pause } from '../../../../shared/pause.js';
import { StoreUnavailableError } from '../sql.js';
import { isConnectionLost } from './errors.js';

/** Of this machine: the server and other processes do not follow a test's clock. */
export const clock: Clock = systemClock;
export const LONGEST_PAUSE_MS = 250;

/**
 * Runs a read again while its connection is lost, for at most `waitMs`: a server that is started again takes seconds.
 *
 * @throws StoreUnavailableError if the server does not answer meanwhile
 */
export async function readAgain<T>(waitMs: number, read: () => Promise<T>): Promise<T> {
  for (const until = clock.monotonic() + waitMs; ; ) {
    try {
      return await read();
    } catch (error) {
      if (!isConnectionLost(error) || clock.monotonic() > until) return unavailable(error);
    }
    await pause(clock, LONGEST_PAUSE_MS);
  }
}

/** Throws an error of the database as the store port names it. */
export function unavailable(error: unknown): never {
  throw isConnectionLost(error) ? new StoreUnavailableError({ cause: error }) : error;
}
