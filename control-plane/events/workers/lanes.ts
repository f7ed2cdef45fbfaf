// How many attempts may be under way to whom, so that receivers which do not answer cost the others nothing.
import type { Limits } from '../../platform/domain/limits.js';

export interface Lanes {
  /** How many more attempts the lane may begin now; they count from here on. */
  take(lane: string, wanted: number): number;
  /** Gives back what was taken and is not used: the lane has no more to send now, and is not held. */
  giveBack(lane: string, count: number): void;
  /** An attempt has ended. */
  ended(lane: string, answered: boolean): void;
  /** Lanes that were given less than they wanted for want of room for all; forgotten by this call. */
  held(): string[];
}

interface Lane {
  underWay: number;
  /** How many at once: one for a stranger, twice as many after each answer, one again after a failure. */
  window: number;
  /** The last attempt was not taken. */
  troubled: boolean;
}

const REMEMBERED = 10_000;

/**
 * A lane whose last attempt failed is troubled: all troubled lanes together share a smaller number of attempts, so
 * that however many receivers are dead, there is room for those that live.
 */
export function createLanes(
  limits: Pick<Limits, 'webhook_attempts' | 'webhook_attempts_troubled' | 'webhook_attempts_per_receiver'>,
): Lanes {
  const lanes = new Map<string, Lane>();
  const held = new Set<string>();
  let total = 0;
  let troubled = 0;

  const queueClassOf = (name: string): Lane => {
    const lane = lanes.get(name) ?? { underWay: 0, window: 1, troubled: false };
    // The last one used is the last one in the map.
    lanes.delete(name);
    lanes.set(name, lane);
    return lane;
  };
  const count = (lane: Lane, change: number) => {
    lane.underWay += change;
    total += change;
    if (lane.troubled) troubled += change;
  };
  const forget = () => {
    if (lanes.size <= REMEMBERED) return;
    for (const [name, lane] of lanes) {
      if (lane.underWay > 0) continue;
      lanes.delete(name);
      break;
    }
  };

  return {
    take(name, wanted) {
      const lane = queueClassOf(name);
      const own = Math.min(wanted, lane.window - lane.underWay);
      const all = limits.webhook_attempts - total;
      const room = lane.troubled ? Math.min(all, limits.webhook_attempts_troubled - troubled) : all;
      const given = Math.max(0, Math.min(own, room));
      if (given < own) held.add(name);
      count(lane, given);
      forget();
      return given;
    },
    giveBack(name, unused) {
      count(queueClassOf(name), -unused);
      if (unused > 0) held.delete(name);
    },
    ended(name, answered) {
      const lane = queueClassOf(name);
      if (lane.troubled === answered) {
        // What is still under way counts where the lane belongs now.
        troubled += answered ? -lane.underWay : lane.underWay;
        lane.troubled = !answered;
      }
      count(lane, -1);
      lane.window = answered ? Math.min(limits.webhook_attempts_per_receiver, lane.window * 2) : 1;
    },
    held() {
      const names = [...held];
      held.clear();
      return names;
    },
  };
}
