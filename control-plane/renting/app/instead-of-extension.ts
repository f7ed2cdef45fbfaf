// What to send instead of an extension that is refused: fewer days, or an order of another Mac.
import type { Tier } from '../../macs/domain/tier.js';
import { API_ROOT } from '../../platform/domain/addresses.js';
import type { NextRequest } from '../../platform/domain/errors/row.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Calendar } from '../domain/calendar.js';
import { demandFor, orderableUnpaid } from '../domain/capacity.js';
import type { ExtensionRefusal } from '../domain/extension.js';
import { mostOrderHours, nearestPeriod, PASS_HOURS } from '../domain/pricing.js';

const ENDS_ANYWAY: ReadonlySet<ExtensionRefusal> = new Set([
  'rental_duration_limit',
  'reservation_conflict',
  'extension_deadline',
  'rental_not_active',
]);

/**
 * Returns the quote of a new Mac of the tier, and before it the order if the account can place it now.
 *
 * @param canOrder whether the account can order new Macs at all now
 */
export function newMacRequests(
  calendar: Calendar,
  tier: Tier,
  demand: { readonly accountId: number; readonly hours: number; readonly now: number },
  canOrder: boolean,
  limits: Limits,
): NextRequest[] {
  const hours = nearestPeriod(demand.hours, mostOrderHours(tier, limits));
  const body = { tier: tier.tier, hours, units: 1 };
  const send = (action: string, path: string) => ({ action, method: 'POST', path: API_ROOT + path, body });
  const room = orderableUnpaid(calendar, tier, demandFor(tier, { ...demand, hours, startAt: null }), limits);
  return [...(canOrder && room > 0 ? [send('order_new_mac', '/orders')] : []), send('quote_new_mac', '/quote')];
}

interface Refused {
  readonly refusal: { readonly code: ExtensionRefusal } | null;
  readonly maxDays: number;
  readonly newMac: readonly NextRequest[];
}

/** @param path of the refused request */
export function insteadOf({ refusal, maxDays, newMac }: Refused, path: string): readonly NextRequest[] {
  if (refusal === null || !ENDS_ANYWAY.has(refusal.code)) return [];
  if (maxDays === 0) return newMac;
  return [{ action: 'extend_by_fewer_days', method: 'POST', path, body: { hours: maxDays * PASS_HOURS } }];
}
