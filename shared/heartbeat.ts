import type { Clock, Timer } from './clock.js';

export interface Heartbeat {
  /** Something was heard from the other end, whatever it was. */
  heard(): void;
  stop(): void;
}

/**
 * Finds a connection that is open here and dead at the other end: sends a ping in every period, and gives up
 * when `periods` (default 1) whole periods pass in silence after one. A dead end is noticed at most one period later.
 * With more than one, a machine that has slept in between is asked again before it gives up anything.
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
