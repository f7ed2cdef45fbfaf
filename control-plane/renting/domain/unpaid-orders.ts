// Limits on the Macs that an account can hold without paying: a share of the free Macs, and a wait after unpaid orders.
import type { Limits } from '../../platform/domain/limits.js';
import type { Order } from './order.js';

/** Minimum time, ms, for which an unpaid order counts, so that orders canceled immediately count too. */
const SHORTEST_MS = 60_000;

/**
 * Returns how many more slots of a tier an account's unpaid orders may hold.
 *
 * @param free slots that the account could have in the window
 * @param held slots that its unpaid orders hold in the window
 */
export function unpaidRoom(free: number, held: number, limits: Limits): number {
  const most = Math.max(1, Math.floor(((free + held) * limits.unpaid_share_percent) / 100));
  return Math.max(0, Math.min(free, most - held));
}

/** An order of new Macs that expired or was canceled before it was paid. */
export type EndedUnpaid = Pick<Order, 'createdAt' | 'payExpiresAt'> & { readonly endedAt: number };

/**
 * Returns until when an account must wait to order new Macs; null if it need not. An expired order counts as 1, a
 * canceled one as the fraction of its payment period for which it held its Macs.
 *
 * @param ended latest first; must include all that ended within `unpaid_window_ms` before the latest
 */
export function waitAfterUnpaid(ended: readonly EndedUnpaid[], now: number, limits: Limits): number | null {
  const [last] = ended;
  if (!last) return null;
  const until = last.endedAt + limits.unpaid_wait_ms;
  const counted = ended.filter(({ endedAt }) => endedAt > last.endedAt - limits.unpaid_window_ms);
  const orders = counted.reduce((sum, one) => sum + shareOf(one), 0);
  return until > now && orders >= limits.unpaid_expired_orders ? until : null;
}

function shareOf({ createdAt, payExpiresAt, endedAt }: EndedUnpaid): number {
  const held = Math.max(SHORTEST_MS, endedAt - createdAt);
  return Math.min(1, held / Math.max(1, payExpiresAt - createdAt));
}
