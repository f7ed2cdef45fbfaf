// Runs workers: each one alone with itself, on its period, when something falls due, and when it is woken.
import type { Clock, Timer } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import type { Wake } from '../wake.js';
import { LONGEST_PERIOD_MS, type Worker } from './worker.js';

export interface RunningWorkers {
  /** Resolves when no worker runs, none has been woken and nothing is under way: what was due has been done. */
  idle(): Promise<void>;
  /** Waits for the runs that are under way, and breaks off what they began; no other begins. */
  stop(): Promise<void>;
}

/** After a failure a worker tries again this much later. */
const RETRY_MS = 1000;

/**
 * Every worker runs at once at the start, so that starting again after a crash is nothing special.
 *
 * @example
 * const running = runWorkers({ workers: [scheduler], wake, clock, log });
 * wake.wake('scheduler', '7');
 * await running.idle();
 */
export function runWorkers(deps: {
  workers: readonly Worker[];
  wake: Pick<Wake, 'on'>;
  clock: Clock;
  log: Log;
}): RunningWorkers {
  const loops = deps.workers.map((worker) => startLoop(worker, deps));
  const busy = () => loops.flatMap((loop) => loop.running() ?? []);
  return {
    async idle() {
      for (let runs = busy(); runs.length > 0; runs = busy()) await Promise.all(runs);
    },
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

function startLoop(worker: Worker, deps: { wake: Pick<Wake, 'on'>; clock: Clock; log: Log }) {
  const { wake, clock, log } = deps;
  const { periodMs = LONGEST_PERIOD_MS, wakeOn = [] } = worker;
  let keys = new Set<string>();
  let everywhere = true;
  let running: Promise<void> | null = null;
  let timer: Timer | null = null;
  let stopped = false;

  const runOnce = async () => {
    const woken = everywhere ? new Set<string>() : keys;
    keys = new Set();
    everywhere = false;
    try {
      const nextAt = await worker.run(woken);
      return Math.min(periodMs, (nextAt ?? Number.POSITIVE_INFINITY) - clock.now());
    } catch (error) {
      log.error({ err: error, worker: worker.name }, 'worker failed, trying again');
      return RETRY_MS;
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
      await running;
      await worker.stop?.();
    },
  };
}
