// Runs workers: periodically, when work is due, and when they are woken. Runs of one worker never overlap.
import { type Clock, systemClock, type Timer } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import type { Wake } from '../wake.js';
import { AGAIN, LONGEST_PERIOD_MS, type Worker } from './worker.js';

export type RunningWorkers = ReturnType<typeof runWorkers>;

/** Delay before a failed worker is retried, ms. */
const RETRY_MS = 1000;

/** A worker that reads everything rests this many times as long as its run took, so that it takes a tenth of the thread, */
const REST_FACTOR = 9;
/** unless the run was this short, */
const REST_FROM_MS = 10;
/** and not longer than this. */
const LONGEST_REST_MS = 5000;

interface RunningDeps {
  readonly wake: Pick<Wake, 'on'>;
  readonly clock: Clock;
  /** For the duration of runs. Default: the system's. */
  readonly realClock?: Clock | undefined;
  readonly log: Log;
}

/**
 * Starts all workers. Each runs immediately on startup, so that recovery after a crash is not a special case.
 *
 * @example
 * const running = runWorkers({ workers: [scheduler], wake, clock, log });
 * wake.wake('scheduler', '7');
 * await running.idle();
 */
export function runWorkers(deps: RunningDeps & { readonly workers: readonly Worker[] }) {
  const loops = deps.workers.map((worker) => startLoop(worker, deps));
  const busy = () => loops.flatMap((loop) => loop.running() ?? []);
  return {
    /** Resolves when all due work has been done: no worker is running or woken, and there is no background work. */
    async idle(): Promise<void> {
      for (let runs = busy(); runs.length > 0; runs = busy()) await Promise.all(runs);
    },
    /** Starts no more runs, waits for current ones and cancels their background work. */
    async stop(): Promise<void> {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

function startLoop(worker: Worker, deps: RunningDeps) {
  const { wake, clock, realClock = systemClock, log } = deps;
  const { periodMs = LONGEST_PERIOD_MS, wakeOn = [] } = worker;
  let keys = new Set<string>();
  let everywhere = true;
  let running: Promise<void> | null = null;
  let timer: Timer | null = null;
  let stopped = false;

  const rest = createRest(realClock);
  const runOnce = async () => {
    if (worker.readsAll) await rest.isOver();
    if (stopped) return periodMs;
    const began = realClock.monotonic();
    const woken = everywhere ? new Set<string>() : keys;
    keys = new Set();
    everywhere = false;
    try {
      const nextAt = await worker.run(woken);
      if (nextAt === AGAIN) {
        everywhere = true;
        return 0;
      }
      return Math.min(periodMs, (nextAt ?? Number.POSITIVE_INFINITY) - clock.now());
    } catch (error) {
      log.error({ err: error, worker: worker.name }, 'worker failed, trying again');
      return RETRY_MS;
    } finally {
      rest.begin(realClock.monotonic() - began);
    }
  };
  const runAll = async () => {
    timer?.cancel();
    let waitMs = periodMs;
    while ((everywhere || keys.size > 0) && !stopped) waitMs = await runOnce();
    running = null;
    if (!stopped) timer = clock.setTimeout(everyKey, Math.max(1, waitMs));
  };
  const start = () => {
    if (!stopped) running ??= runAll();
  };
  const everyKey = () => {
    everywhere = true;
    start();
  };
  const unsubscribe = wakeOn.map((topic) =>
    wake.on(topic, (key) => {
      if (key === '') everywhere = true;
      else keys.add(key);
      start();
    }),
  );
  start();

  return {
    running: () => running ?? worker.underWay?.() ?? null,
    async stop() {
      stopped = true;
      timer?.cancel();
      for (const off of unsubscribe) off();
      rest.end();
      await running;
      await worker.stop?.();
    },
  };
}

/** The rest of a worker after its runs. */
function createRest(clock: Clock) {
  let until = Number.NEGATIVE_INFINITY;
  let end = () => {};
  return {
    /** @param tookMs how long the run took */
    begin(tookMs: number): void {
      const restMs = tookMs < REST_FROM_MS ? 0 : Math.min(LONGEST_REST_MS, REST_FACTOR * tookMs);
      until = clock.monotonic() + restMs;
    },
    isOver(): Promise<void> {
      const left = until - clock.monotonic();
      if (left <= 0) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = clock.setTimeout(resolve, left);
        end = () => {
          timer.cancel();
          resolve();
        };
      });
    },
    end: () => end(),
  };
}
