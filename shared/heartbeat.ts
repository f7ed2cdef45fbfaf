import type { Clock, Timer } from './clock.js';

export interface Heartbeat {
  /** Something was heard from the other end, whatever it was. */
  heard(): void;
  stop(): void;
}

/**
 * Finds a connection that is open here and dead at the other end: sends a ping in every period, and gives up
 * when a whole period after one passes in silence. A dead end is noticed after one to two periods.
 */
export function startHeartbeat(options: {
  clock: Clock;
  everyMs: number;
  ping: () => void;
  lost: () => void;
}): Heartbeat {
  const { clock, everyMs, ping, lost } = options;
  let silent = false;
  let timer: Timer | null = null;
  const beat = () => {
    if (silent) {
      timer = null;
      lost();
      return;
    }
    silent = true;
    timer = clock.setTimeout(beat, everyMs);
    ping();
  };
  timer = clock.setTimeout(beat, everyMs);
  return {
    heard() {
      silent = false;
    },
    stop() {
      timer?.cancel();
      timer = null;
    },
  };
}
