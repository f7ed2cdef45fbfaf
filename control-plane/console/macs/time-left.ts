// How long a Mac is still rented: computed here for every page, so that none says another time. Pure.
import type { AgentMac } from '../../../client/types.js';

/** What the API answers for a Mac without end. */
const ENDLESS_S = 2_147_483_647;

export type Timed = Pick<AgentMac, 'ends_at' | 'remaining_s' | 'hours'> & { readonly state: string };

export const isEndless = ({ ends_at, remaining_s }: Timed): boolean => ends_at === null || remaining_s >= ENDLESS_S;

/** Bought time starts when the Mac is ready, and does not run while it is created again. What was granted has a fixed end. */
export const isPaused = ({ state, hours }: Timed): boolean =>
  hours !== null && (state === 'preparing' || state === 'reserved');

/** Returns the remaining time in ms; of a Mac without end infinity. */
export function macTimeLeft(mac: Timed, now: number): number {
  if (mac.ends_at === null || isEndless(mac)) return Number.POSITIVE_INFINITY;
  return isPaused(mac) ? mac.remaining_s * 1_000 : Math.max(0, Date.parse(mac.ends_at) - now);
}
