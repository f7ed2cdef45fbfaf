// While the server does not answer: how long a query waits for it, and what its sender is told then.
import { type Clock, systemClock } from '../../../../shared/clock.js';
import { pause } from '../../../../shared/pause.js';
import { StoreUnavailableError } from '../sql.js';
import { isConflict, isConnectionLost, isStalePlan, isTooSlow } from './errors.js';

/** Of this machine: the server and other processes do not follow a test's clock. */
export const clock: Clock = systemClock;
export const LONGEST_PAUSE_MS = 250;
/** How often a statement or transaction is tried when others come first. */
export const ATTEMPTS = 30;

/** Whether it is still worth waiting for a server that does not answer. */
export interface Patience {
  answered(): void;
  /** A connection is lost or refused. Returns whether to try again. */
  failed(): boolean;
}

/** For `waitMs` from the moment since which it does not answer: those that come later get their error at once. */
export function patience(waitMs: number): Patience {
  let since: number | null = null;
  return {
    answered() {
      since = null;
    },
    failed() {
      since ??= clock.monotonic();
      return clock.monotonic() <= since + waitMs;
    },
  };
}

/**
 * Runs a read again while its connection is lost: a server that is started again takes seconds. Runs it again at once when its
 * plan is stale or it was in the way of a migration.
 *
 * @throws StoreUnavailableError if the server has not answered for too long
 */
export async function readAgain<T>({ answered, failed }: Patience, read: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      const found = await read();
      answered();
      return found;
    } catch (error) {
      // The pool closes a connection whose query has failed.
      if ((isStalePlan(error) || isConflict(error)) && tries < ATTEMPTS) continue;
      if (!isConnectionLost(error) || isTooSlow(error) || !failed()) return unavailable(error);
    }
    await pause(clock, LONGEST_PAUSE_MS);
  }
}

/** Throws an error of the database as the store port names it. */
export function unavailable(error: unknown): never {
  throw isConnectionLost(error) ? new StoreUnavailableError({ cause: error }) : error;
}
