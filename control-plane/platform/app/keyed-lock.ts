// A mutex per key, for work on files and database that must not run concurrently for the same build.
import type { SharedLocks } from '../domain/shared-state.js';

export interface KeyedLock {
  /** Runs `work` after all earlier work under the same key has finished or failed. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/**
 * With `shared`, work under the same key of other processes has ended too. A process that was stopped for long may go on with its
 * work when another has begun: what it then writes must be guarded, as always.
 *
 * @param kind of keys, among all of the service
 * @example await lock.run(buildId, async () => { … })
 */
export function createKeyedLock(kind = '', shared: SharedLocks | null = null): KeyedLock {
  if (shared !== null) {
    return {
      async run(key, work) {
        const free = await shared.acquire(`${kind} ${key}`);
        try {
          return await work();
        } finally {
          free();
        }
      },
    };
  }
  const last = new Map<string, Promise<unknown>>();
  return {
    run<T>(key: string, work: () => Promise<T>): Promise<T> {
      const before = last.get(key);
      const mine = before ? before.then(work, work) : work();
      last.set(key, mine);
      const forget = () => {
        if (last.get(key) === mine) last.delete(key);
      };
      mine.then(forget, forget);
      return mine;
    },
  };
}
