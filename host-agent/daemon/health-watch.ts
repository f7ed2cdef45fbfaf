// Watches the health of this host: what the doctor finds, checked on startup, periodically, and when the driver's state
// or the configuration has changed.
import type { Clock, Timer } from '../../shared/clock.js';
import type { Log } from '../../shared/log.js';
import { type HealthFinding, type HostHealth, MOST_FINDINGS } from '../../shared/protocol/index.js';

/**
 * @param deps.look runs the checks; the signal ends them, because a process cannot exit while a tool runs
 * @param deps.checked called with the findings of every round: the service shows how old they are
 */
export function watchHealth(deps: {
  look: (signal: AbortSignal) => Promise<HealthFinding[]>;
  checked: (health: HostHealth) => void;
  limits: () => { healthMs: number; healthPauseMs: number };
  clock: Clock;
  log: Log;
}) {
  const { look, checked, limits, clock, log } = deps;
  let known: HostHealth | null = null;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking = false;
  /** How long after this round the next one begins, because something has changed meanwhile. */
  let pauseAfter: number | null = null;
  const closing = new AbortController();
  let timer: Timer | null = null;

  let dueAt = Number.POSITIVE_INFINITY;

  const wait = (ms: number) => {
    dueAt = clock.monotonic() + ms;
    timer?.cancel();
    timer = closing.signal.aborted ? null : clock.setTimeout(() => void run(), ms);
  };
  const run = async () => {
    looking = true;
    pauseAfter = null;
    try {
      const findings = (await look(closing.signal)).slice(0, MOST_FINDINGS);
      known = { checked_at: clock.now(), findings };
      if (!closing.signal.aborted) checked(known);
    } catch (error) {
      log.error({ err: error }, 'cannot check the health of this host');
    }
    looking = false;
    lookedAt = clock.monotonic();
    wait(pauseAfter ?? limits().healthMs);
  };
  const roundAfter = (pauseMs: number) => {
    if (looking) pauseAfter = Math.min(pauseMs, pauseAfter ?? pauseMs);
    // Not before `start`, which runs the first checks.
    else if (timer !== null) wait(Math.max(0, Math.min(dueAt, lookedAt + pauseMs) - clock.monotonic()));
  };

  return {
    start: () => wait(0),
    /** What was found last; null before the first checks have ended. */
    current: () => known,
    /** Runs the checks again because something that they depend on has changed; rate limited. */
    changed: () => roundAfter(limits().healthPauseMs),
    /** Runs the checks at once, because somebody repaired something and waits for the result. */
    again: () => roundAfter(0),
    close() {
      closing.abort();
      timer?.cancel();
    },
  };
}
