// A long poll: reads now and after every wake, until the value is accepted.
import type { Clock } from '../../../shared/clock.js';
import type { Topic, Wake } from '../wake.js';

export interface WaitDeps {
  readonly wake: Wake;
  /** Long polls do not follow the test clock. */
  readonly realClock: Clock;
}

/**
 * Returns the last value read, once `done` accepts it, after `ms`, or when `signal` aborts.
 * A waiting call costs one map entry and no timer.
 */
export async function waitUntil<T>(
  { wake, realClock }: WaitDeps,
  on: { topic: Topic; key: string; ms: number; signal: AbortSignal },
  read: () => Promise<T>,
  done: (value: T) => boolean,
): Promise<T> {
  const deadline = realClock.monotonic() + on.ms;
  const parked = new AbortController();
  const leave = () => parked.abort();
  on.signal.addEventListener('abort', leave);
  if (on.signal.aborted) leave();
  try {
    for (;;) {
      // Subscribe before reading, so that a change in between is not missed.
      const woken = wake.wait(on.topic, on.key, deadline - realClock.monotonic(), parked.signal);
      const value = await read();
      if (done(value)) return value;
      if (!(await woken)) return await read();
    }
  } finally {
    leave();
    on.signal.removeEventListener('abort', leave);
  }
}
