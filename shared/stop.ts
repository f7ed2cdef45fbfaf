// A stop signal for very many listeners: adding a listener to an AbortSignal takes time linear in their number.

export interface Stop {
  readonly stopped: boolean;
  /** Calls `fn` on stop, or at once if already stopped; returns a function that removes the listener. */
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
