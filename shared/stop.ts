// One "stop now" for very many listeners: an AbortSignal walks through all it has for each that is added.

export interface Stop {
  readonly stopped: boolean;
  /** Calls `fn` when it is stopped, at once if it is already; returns what takes it off again. */
  onStop(fn: () => void): () => void;
}

/** @example const stop = createStop(); const off = stop.onStop(() => socket.destroy()); stop.stop(); */
export function createStop(): Stop & { stop(): void } {
  const listeners = new Set<() => void>();
  let stopped = false;
  return {
    get stopped() {
      return stopped;
    },
    onStop(fn) {
      if (stopped) fn();
      else listeners.add(fn);
      return () => void listeners.delete(fn);
    },
    stop() {
      stopped = true;
      const called = [...listeners];
      listeners.clear();
      for (const fn of called) fn();
    },
  };
}
