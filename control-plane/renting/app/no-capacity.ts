// The error for an order that exceeds the free Macs, or the share that unpaid orders may hold, with the next steps.
import { countOf } from '../../../shared/count.js';
import { API_ROOT } from '../../platform/domain/addresses.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { NextRequest } from '../../platform/domain/errors/row.js';
import { isoTime } from '../../platform/domain/iso-time.js';
import type { Order } from '../domain/order.js';

export interface Shortage {
  /** The order without its units, to be sent again. */
  readonly request: {
    readonly tier: string;
    readonly hours: number;
    readonly start?: string;
    readonly setup?: { readonly xcode: string };
  };
  readonly units: number;
  /** Number of Macs that the tier has, rented ones included: more of them never become free. */
  readonly total: number;
  /** Number of Macs that are free for the account. */
  readonly free: number;
  /** How many of these an unpaid order may hold now. */
  readonly orderable: number;
  readonly now: number;
  /** The account is on the tier's waitlist already. */
  readonly isWaiting: boolean;
  /** The account's unpaid orders of the tier, whose Macs become free when they are canceled or expire. */
  readonly holding: readonly Order[];
}

export function noCapacity(shortage: Shortage): ApiError {
  const { request, units, total, free, orderable, isWaiting, holding, now } = shortage;
  const { tier } = request;
  const orders = `${API_ROOT}/orders`;
  const path = `${API_ROOT}/waitlist`;
  const wait = isWaiting
    ? { action: 'list_waitlist', method: 'GET', path }
    : { action: 'join_waitlist', method: 'POST', path, body: { tier, units: Math.min(units, total) } };
  const fewer = {
    action: 'order_fewer',
    method: 'POST',
    path: orders,
    body: { ...request, units: orderable },
  };
  const next: NextRequest[] = [
    // The waitlist refuses accounts for which Macs are free.
    ...(free < Math.min(units, total) ? [wait] : []),
    ...(orderable > 0 ? [fewer] : []),
    ...holding.map((one) => ({
      action: 'show_unpaid_order',
      method: 'GET',
      path: `${orders}/${one.orderNo}`,
    })),
  ];
  const firstFree = Math.min(...holding.map(({ payExpiresAt }) => payExpiresAt));
  return new ApiError('no_capacity', {
    ...(holding.length > 0 ? { retryAfterS: Math.max(1, Math.ceil((firstFree - now) / 1000)) } : {}),
    message: `${reasonOf(shortage)}${ownHolds(holding)}`,
    detail: {
      unpaid_orders: holding.map((one) => ({
        order_no: one.orderNo,
        units: one.units,
        pay_expires_at: isoTime(one.payExpiresAt),
      })),
    },
    next,
  });
}

function reasonOf({ request: { tier }, units, total, free, orderable }: Shortage): string {
  if (units > total)
    return `The tier ${tier} has ${countOf(total, 'Mac')} in all, and ${free} ${free === 1 ? 'is' : 'are'} free now.`;
  if (free < units) {
    return units === 1
      ? `No Mac of the tier ${tier} is free.`
      : `Fewer than ${units} Macs of the tier ${tier} are free.`;
  }
  const most = `${countOf(free, 'Mac')} of the tier ${tier} ${free === 1 ? 'is' : 'are'} free, but unpaid orders of an account may hold only a part of the free Macs`;
  return orderable === 0
    ? `${most}: pay for the unpaid orders, then order more.`
    : `${most}: order ${orderable} now (${units} were asked for), and more once they are paid.`;
}

function ownHolds(holding: readonly Order[]): string {
  if (holding.length === 0) return '';
  const held = holding.map(
    (one) => `${one.orderNo} holds ${countOf(one.units, 'Mac')} until ${isoTime(one.payExpiresAt)}`,
  );
  return ` Your unpaid orders hold Macs of the tier: ${held.join(', ')}.`;
}
