// Bus of change notifications, within this process and, when it is told how, to others on the same database. They are hints:
// subscribers read the database.
import type { Clock, Timer } from '../../shared/clock.js';

/**
 * Kinds of changes. A key (build id, order number, account id, host id) narrows the topic; '' means any.
 * `builds`, `orders`, `macs`, `webhooks`, `notices`, `actions` and `scheduler` have the account's id as their key.
 */
export type Topic =
  | 'scheduler'
  | 'builds'
  | 'garbage'
  | 'build'
  | 'build-log'
  | 'running'
  | 'events'
  | 'hosts'
  | 'host'
  | 'orders'
  | 'order'
  | 'jobs'
  | 'macs'
  | 'payments'
  | 'availability'
  | 'mails'
  | 'deliveries'
  | 'commit-statuses'
  | 'uploads'
  | 'images'
  | 'operator-notices'
  | 'webhooks'
  | 'notices'
  | 'actions';

/** What has changed, for listeners that pass it on. */
export interface About {
  /** A build or an order. */
  readonly id?: string;
  /** Null: seen in all workspaces. */
  readonly workspaceId?: string | null;
  /** An audited action. */
  readonly action?: string;
}

export type Wake = ReturnType<typeof createWake>;

interface Parked {
  since: number;
  deadline: number;
  done(woken: boolean): void;
}

const TICK_MS = 100;
/** A wake of another process may be lost, so those who wait are told this often to look by themselves, ms, */
const LOOK_MS = 2_000;
/** but with many of them less often: the time grows by this for each of them, ms. */
const LOOK_EACH_MS = 4;

/** @param clock the real clock: long polls do not follow the test clock */
export function createWake(clock: Clock) {
  const listeners = new Map<Topic, Set<(key: string, about?: About) => void>>();
  const parked = new Map<string, Set<Parked>>();
  let timer: Timer | null = null;
  let count = 0;
  let closed = false;
  let others: ((topic: Topic, key: string, about?: About) => void) | null = null;

  const sweep = () => {
    const now = clock.monotonic();
    const lookAt = others === null ? Number.NEGATIVE_INFINITY : now - Math.max(LOOK_MS, count * LOOK_EACH_MS);
    for (const waiters of parked.values()) {
      for (const waiter of waiters) {
        if (waiter.deadline <= now) waiter.done(false);
        else if (waiter.since <= lookAt) waiter.done(true);
      }
    }
    timer = count > 0 ? clock.setTimeout(sweep, TICK_MS) : null;
  };

  const wakeHere = (topic: Topic, key: string = '', about?: About): void => {
    for (const fn of listeners.get(topic) ?? []) fn(key, about);
    for (const waiter of [...(parked.get(`${topic}:${key}`) ?? [])]) waiter.done(true);
  };

  return {
    wake(topic: Topic, key: string = '', about?: About): void {
      wakeHere(topic, key, about);
      others?.(topic, key, about);
    },
    /** Wakes those of this process only: about what others do not know, or what they have told. */
    wakeHere,
    /** Also passes wakes on to the other processes from now on. */
    passOn(fn: (topic: Topic, key: string, about?: About) => void): void {
      others = fn;
    },
    /** Wakes all listeners and waiters of this process: anything may have changed. */
    wakeAll(): void {
      for (const set of listeners.values()) for (const fn of set) fn('');
      for (const waiters of [...parked.values()]) for (const waiter of [...waiters]) waiter.done(true);
    },
    /** Calls `fn` with the key ('': any) on every wake of the topic. Returns a function that unsubscribes. */
    on(topic: Topic, fn: (key: string, about?: About) => void): () => void {
      const set = listeners.get(topic) ?? new Set();
      listeners.set(topic, set.add(fn));
      return () => set.delete(fn);
    },
    /**
     * Resolves with true when (topic, key) is woken, with false after `ms` or when `signal` aborts.
     * A waiter costs one map entry; all waiters share one timer.
     */
    wait(topic: Topic, key: string, ms: number, signal?: AbortSignal): Promise<boolean> {
      if (closed || ms <= 0 || signal?.aborted) return Promise.resolve(false);
      return new Promise((resolve) => {
        const name = `${topic}:${key}`;
        const waiters = parked.get(name) ?? new Set();
        parked.set(name, waiters);
        const onAbort = () => waiter.done(false);
        const since = clock.monotonic();
        const waiter: Parked = {
          since,
          deadline: since + ms,
          done(woken) {
            if (!waiters.delete(waiter)) return;
            count--;
            if (waiters.size === 0 && parked.get(name) === waiters) parked.delete(name);
            signal?.removeEventListener('abort', onAbort);
            resolve(woken);
          },
        };
        waiters.add(waiter);
        count++;
        signal?.addEventListener('abort', onAbort);
        timer ??= clock.setTimeout(sweep, TICK_MS);
      });
    },
    /** Resolves all waiters with false and stops the timer. */
    close(): void {
      closed = true;
      timer?.cancel();
      for (const waiters of [...parked.values()]) for (const waiter of [...waiters]) waiter.done(false);
    },
  };
}
