// Whether the page hears from the service: one mark for its header and its log. The live stream says so; on pages without
// one (a shared build) the log of a running build does.

import { clock } from '../clock.js';

/** `lost`: nothing arrives. `refused`: the service answers, but gives no live updates. */
export type ConnectionState = 'connecting' | 'open' | 'lost' | 'refused';

export interface Connection {
  readonly state: ConnectionState;
  /** When the page last heard from the service, by this machine's clock, ms. */
  readonly heardAt: number;
  /** Known only because nothing has come for some time: what the page shows is as old. */
  readonly silent: boolean;
}

export const isAway = (connection: Connection | null): connection is Connection =>
  connection?.state === 'lost' || connection?.state === 'refused';

/** Reads wait this long for a stream that is being opened. */
const PATIENCE_MS = 1_000;

/** @param timers for tests */
export function createConnection(timers: Pick<typeof clock, 'setTimeout'> = clock) {
  const listeners = new Set<() => void>();
  const backListeners = new Set<() => void>();
  let current: Connection | null = null;
  let watched = false;
  let allWaited = true;

  const set = (next: Connection | null): void => {
    const before = current;
    current = next;
    if (before?.state !== next?.state || isAway(next)) for (const listener of [...listeners]) listener();
    if (isAway(before) && next?.state === 'open') for (const listener of [...backListeners]) listener();
  };

  return {
    /** Null: nothing of the page is live. */
    get: (): Connection | null => current,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Calls `listener` when the service is heard again after the connection was lost. */
    onBack(listener: () => void): () => void {
      backListeners.add(listener);
      return () => void backListeners.delete(listener);
    },
    /** For the live stream: from now on it alone says how the connection is, until the returned function is called. */
    watch(): { set(next: Connection): void; end(): void } {
      watched = true;
      allWaited = true;
      return {
        set,
        end() {
          watched = false;
          set(null);
        },
      };
    },
    /** For what repeats its requests; ignored on pages with a live stream. */
    report(next: Connection | null): void {
      if (!watched) set(next);
    },
    /**
     * Resolves when the stream that is being opened is open: what is read then need not be read again, because the stream says
     * what changes from then on. Resolves after a second without it.
     */
    followed: (): Promise<void> =>
      new Promise((resolve) => {
        const end = () => {
          listeners.delete(check);
          timer.cancel();
          resolve();
        };
        const check = () => {
          if (!watched || current?.state !== 'connecting') end();
        };
        const timer = timers.setTimeout(() => {
          allWaited = false;
          end();
        }, PATIENCE_MS);
        listeners.add(check);
        check();
      }),
    /** All reads have waited for the stream. */
    allFollowed: (): boolean => allWaited,
    /** Resolves when requests make sense: at once unless the live stream says that nothing arrives, or if `signal` aborts. */
    reachable: (signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        const check = () => {
          if (watched && current?.state === 'lost' && !signal.aborted) return;
          listeners.delete(check);
          signal.removeEventListener('abort', check);
          resolve();
        };
        listeners.add(check);
        signal.addEventListener('abort', check);
        check();
      }),
  };
}

export const connection = createConnection();
