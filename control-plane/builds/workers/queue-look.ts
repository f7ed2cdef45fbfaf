// Looks at the queue every few seconds, whatever woke it or did not: no build waits beside a free Mac for long.
import type { Clock, Timer } from '../../../shared/clock.js';
import type { Wake } from '../../platform/wake.js';

const SHORTEST_MS = 100;

/** @param deps.clock real time: a test clock that is moved by days would otherwise run thousands of looks */
export function lookAtQueue(deps: { wake: Pick<Wake, 'wake'>; clock: Clock; everyMs: number }): {
  stop(): void;
} {
  const { wake, clock } = deps;
  const everyMs = Math.max(SHORTEST_MS, deps.everyMs);
  const look = () => {
    wake.wake('scheduler');
    timer = clock.setTimeout(look, everyMs);
  };
  let timer: Timer = clock.setTimeout(look, everyMs);
  return { stop: () => timer.cancel() };
}
