// Limits concurrent attempts per receiver, so that receivers that do not answer do not delay the others.
import type { Limits } from '../../platform/domain/limits.js';

interface ReceiverWindow {
  underWay: number;
  /** Maximum concurrent attempts: starts at one, doubles after each accepted attempt, back to one after a failure. */
  size: number;
  /** The last attempt failed. */
  failing: boolean;
}

const REMEMBERED = 10_000;

/**
 * Receivers whose last attempt failed share a smaller number of attempts, so that any number of dead receivers leaves
 * room for the others.
 */
export function createReceiverWindows(
  limits: Pick<Limits, 'webhook_attempts' | 'webhook_attempts_failing' | 'webhook_attempts_per_receiver'>,
) {
  const windows = new Map<string, ReceiverWindow>();
  const held = new Set<string>();
  let total = 0;
  let failing = 0;

  const windowOf = (receiver: string): ReceiverWindow => {
    const window = windows.get(receiver) ?? { underWay: 0, size: 1, failing: false };
    // Keeps the map in order of last use.
    windows.delete(receiver);
    windows.set(receiver, window);
    return window;
  };
  const count = (window: ReceiverWindow, change: number) => {
    window.underWay += change;
    total += change;
    if (window.failing) failing += change;
  };
  const forget = () => {
    if (windows.size <= REMEMBERED) return;
    for (const [receiver, window] of windows) {
      if (window.underWay > 0) continue;
      windows.delete(receiver);
      break;
    }
  };

  return {
    /** Reserves up to `wanted` attempts for a receiver and returns how many it may start now. */
    take(receiver: string, wanted: number): number {
      const window = windowOf(receiver);
      const fits = Math.min(wanted, window.size - window.underWay);
      const all = limits.webhook_attempts - total;
      const room = window.failing ? Math.min(all, limits.webhook_attempts_failing - failing) : all;
      const given = Math.max(0, Math.min(fits, room));
      if (given < fits) held.add(receiver);
      count(window, given);
      forget();
      return given;
    },
    /** Releases reserved attempts that are not needed: the receiver has nothing more to send. */
    giveBack(receiver: string, unused: number): void {
      count(windowOf(receiver), -unused);
      if (unused > 0) held.delete(receiver);
    },
    /** Reports the end of an attempt. */
    ended(receiver: string, answered: boolean): void {
      const window = windowOf(receiver);
      if (window.failing === answered) {
        // Attempts in flight count towards the receiver's current state.
        failing += answered ? -window.underWay : window.underWay;
        window.failing = !answered;
      }
      count(window, -1);
      window.size = answered ? Math.min(limits.webhook_attempts_per_receiver, window.size * 2) : 1;
    },
    /** Returns and clears the receivers that got less than they wanted because the total was used up. */
    held(): string[] {
      const receivers = [...held];
      held.clear();
      return receivers;
    },
  };
}
