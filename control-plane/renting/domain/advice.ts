// Advice for a customer about its Macs.

import { isActive, type Mac } from '../../macs/domain/mac.js';
import { API_ROOT } from '../../platform/domain/addresses.js';
import type { NextRequest } from '../../platform/domain/errors/row.js';
import type { RentedMac } from './extension.js';
import { type RentalWithMac, remainingSeconds } from './rental.js';

export interface QuoteHint {
  readonly days: 1;
  readonly amount_won: number;
}

export interface Advice {
  readonly kind: 'extend_recommended' | 'expiring_soon' | 'queue_backlog' | 'no_active_mac' | 'mac_unavailable';
  readonly rental_id?: string;
  readonly rental_name?: string;
  readonly remaining_s?: number;
  readonly reason: string;
  readonly quote_hint?: QuoteHint;
  readonly queued_count?: number;
  readonly active_macs?: number;
  readonly next: readonly NextRequest[];
}

const EXTEND_BELOW_S = 24 * 3600;
const EXPIRING_BELOW_S = 3600;
/** More waiting builds per Mac than this are a backlog. */
const BACKLOG_PER_MAC = 3;

export function quoteHint(mac: Pick<RentalWithMac, 'priceWon'>): QuoteHint {
  return { days: 1, amount_won: mac.priceWon };
}

/** Returns advice for Macs first, in their order, then for the queue. */
export function adviceFor(macs: readonly RentedMac[], queuedCount: number, now: number): Advice[] {
  const active = macs.filter(({ mac }) => isActive(mac));
  const catalog: NextRequest = { action: 'see_catalog', method: 'GET', path: `${API_ROOT}/catalog` };
  const advice: Advice[] = [];
  for (const { mac, extension } of active) {
    const remaining = remainingSeconds(mac, now);
    if (remaining >= EXTEND_BELOW_S) continue;
    const about = {
      rental_id: mac.rentalId,
      rental_name: mac.name,
      remaining_s: remaining,
      quote_hint: quoteHint(mac),
    };
    // A Mac that cannot be extended can only be replaced by a new order.
    const replacement = mac.hours === null ? catalog : newMac(mac);
    const next = [extension.canExtend ? quote(mac) : replacement];
    if (extension.canExtend) {
      advice.push({ kind: 'extend_recommended', ...about, reason: 'less_than_24_hours', next });
    }
    if (remaining < EXPIRING_BELOW_S) {
      advice.push({ kind: 'expiring_soon', ...about, reason: 'less_than_1_hour', next });
    }
  }
  for (const { mac } of active) {
    const problem = mac.making?.problem;
    if (!problem) continue;
    const next: NextRequest[] = [
      { action: 'see_rental', method: 'GET', path: `${API_ROOT}/rentals/${mac.rentalId}` },
      catalog,
    ];
    advice.push({
      kind: 'mac_unavailable',
      rental_id: mac.rentalId,
      rental_name: mac.name,
      reason: problem.code,
      next,
    });
  }
  const counts = { queued_count: queuedCount, active_macs: active.length };
  if (active.length === 0) {
    advice.push({ kind: 'no_active_mac', ...counts, reason: 'no_active_mac', next: [catalog] });
  } else if (queuedCount > BACKLOG_PER_MAC * active.length) {
    const reason = `more_than_${BACKLOG_PER_MAC}_waiting_per_mac`;
    advice.push({ kind: 'queue_backlog', ...counts, reason, next: [catalog] });
  }
  return advice;
}

function newMac({ tier }: Mac): NextRequest {
  const body = { tier, hours: 24, units: 1 };
  return { action: 'quote_new_mac', method: 'POST', path: `${API_ROOT}/quote`, body };
}

function quote(mac: Mac): NextRequest {
  return {
    action: 'quote_extension',
    method: 'POST',
    path: `${API_ROOT}/rentals/${mac.rentalId}/extend/quote`,
    body: { hours: 24 },
  };
}
