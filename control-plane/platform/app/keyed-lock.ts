// A mutex per key, for work on files and database that must not run concurrently for the same build.

export type KeyedLock = ReturnType<typeof createKeyedLock>;

/** @example await lock.run(buildId, async () => { … }) */
export function createKeyedLock() {
  const last = new Map<string, Promise<unknown>>();
  return {
    /** Runs `work` after all earlier work under the same key has finished or failed. */
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
