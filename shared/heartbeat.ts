import type { Clock, Timer } from './clock.js';

export interface Heartbeat {
  /** To be called when anything was received. */
  heard(): void;
  stop(): void;
}

/**
 * Detects a connection whose other end is gone: sends a ping every period, and calls `lost` after `periods` (default
 * 1) whole periods without an answer. With more than one, a machine that was asleep is pinged again before it gives
 * up.
 */
export function startHeartbeat(options: {
  clock: Clock;
  everyMs: number;
  periods?: number;
  ping: () => void;
  lost: () => void;
}): Heartbeat {
  const { clock, everyMs, periods = 1, ping, lost } = options;
  let silent = 0;
  let timer: Timer | null = null;
  const beat = () => {
    if (silent >= periods) {
      timer = null;
      lost();
      return;
    }
    silent++;
    timer = clock.setTimeout(beat, everyMs);
    ping();
  };
  timer = clock.setTimeout(beat, everyMs);
  return {
    heard() {
      silent = 0;
    },
    stop() {
      timer?.cancel();
      timer = null;
    },
  };
}
