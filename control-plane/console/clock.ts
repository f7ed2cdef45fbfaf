// The time of the browser: the only file of the console that asks for it and sets timers.

export interface Timer {
  /** Idempotent. */
  cancel(): void;
}

interface IdleCallbacks {
  readonly requestIdleCallback?: (call: () => void) => number;
  readonly cancelIdleCallback?: (id: number) => void;
}

export const clock = {
  /** Milliseconds since the Unix epoch, by this machine. */
  now: (): number => Date.now(),
  /** Milliseconds that pass evenly, for spans of time. */
  monotonic: (): number => performance.now(),
  setTimeout(call: () => void, ms: number): Timer {
    const timer = setTimeout(call, ms);
    return { cancel: () => clearTimeout(timer) };
  },
  setInterval(call: () => void, ms: number): Timer {
    const timer = setInterval(call, ms);
    return { cancel: () => clearInterval(timer) };
  },
  /** Calls once when the browser has nothing else to do. */
  whenIdle(call: () => void): Timer {
    // Safari has no idle callbacks, and tests run without a browser.
    const { requestIdleCallback: request, cancelIdleCallback: cancel } = globalThis as IdleCallbacks;
    if (!request) return clock.setTimeout(call, 200);
    const id = request(() => call());
    return { cancel: () => cancel?.(id) };
  },
};
