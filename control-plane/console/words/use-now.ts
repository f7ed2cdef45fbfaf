// The time now, for texts such as "2 minutes ago". All components share one timer.

import { useSyncExternalStore } from 'react';
import { clock, type Timer } from '../clock.js';

const EVERY_MS = 1_000;
const listeners = new Set<() => void>();
let now = clock.now();
let timer: Timer | undefined;

/** Tests run without a document. */
const isHidden = () =>
  (globalThis as { document?: { visibilityState: string } }).document?.visibilityState === 'hidden';

/** Exported for tests: components call `useNow`. */
export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    // The time is old if no component has shown one for a while.
    now = clock.now() + ahead;
    timer = clock.setInterval(() => {
      if (isHidden()) return;
      now = clock.now() + ahead;
      for (const each of listeners) each();
    }, EVERY_MS);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    timer?.cancel();
    timer = undefined;
  };
}

/** How far the service's clock is ahead of this machine's, in ms. */
let ahead = 0;

/** Takes over the service's time from a response; texts about times follow it. */
export function setServiceTime(iso: string): void {
  const read = Date.parse(iso);
  if (Number.isFinite(read)) ahead = read - clock.now();
  now = clock.now() + ahead;
}

/** The service's time in ms at the last tick. */
export const lastNow = (): number => now;

/**
 * Returns the service's time in ms, rounded down to a multiple of `everyMs`; the component renders again when it changes.
 */
export const useNow = (everyMs = EVERY_MS): number =>
  useSyncExternalStore(subscribe, () => Math.floor(now / everyMs) * everyMs);
