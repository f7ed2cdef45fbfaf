// A long poll: reads, and reads again whenever it is woken, until what was read will do.
import type { Clock } from '../../../shared/clock.js';
import type { Topic, Wake } from '../wake.js';

export interface WaitDeps {
  readonly wake: Wake;
  /** Long polls do not follow the test clock. */
  readonly realClock: Clock;
}

/**
 * Answers what was read last: as soon as `done` accepts it, or after `ms`, or when `signal` aborts.
 * While it waits it costs one entry in a map; no timer of its own.
 */
export async function waitUntil<T>(
  { wake, realClock }: WaitDeps,
  on: { topic: Topic; key: string; ms: number; signal: AbortSignal },
  read: () => Promise<T>,
  done: (value: T) => boolean,
): Promise<T> {
  const deadline = realClock.now() + on.ms;
  const parked = new AbortController();
  const leave = () => parked.abort();
  on.signal.addEventListener('abort', leave);
  if (on.signal.aborted) leave();
  try {
    for (;;) {
      // Parked before reading: a change that comes between the two is not missed.
      const woken = wake.wait(on.topic, on.key, deadline - realClock.now(), parked.signal);
      const value = await read();
      if (done(value)) return value;
      if (!(await woken)) return await read();
    }
  } finally {
    leave();
    on.signal.removeEventListener('abort', leave);
  }
}
