// One at a time per key: for work that goes over files and database and must not overlap for the same build.

export interface KeyedLock {
  /** Runs `work` after everything that was begun before under the same key, whether that failed or not. */
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
