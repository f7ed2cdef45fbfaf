// A mutex per key, for work on files and database that must not run concurrently for the same build.

export interface KeyedLock {
  /** Runs `work` after all earlier work under the same key has finished or failed. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** @example await lock.run(buildId, async () => { … }) */
export function createKeyedLock(): KeyedLock {
  const last = new Map<string, Promise<unknown>>();
  return {
    run(key, work) {
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
