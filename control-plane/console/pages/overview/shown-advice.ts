// What of the service's advice the overview says: each thing once. Pure.
import type { Advice, AgentStatus } from '../../../../client/types.js';

/**
 * Returns the advice to show. The list of Macs says itself that it is empty, and a Mac with less than an hour left comes as
 * `expiring_soon` too.
 */
export function shownAdvice({ advice, macs }: Pick<AgentStatus, 'advice' | 'macs'>): Advice[] {
  const expiring = new Set(advice.filter(({ kind }) => kind === 'expiring_soon').map((each) => each.rental_id));
  return advice.filter(({ kind, rental_id: mac }) => {
    if (kind === 'no_active_mac') return macs.length > 0;
    return kind !== 'extend_recommended' || !expiring.has(mac);
  });
}
