// Waits for an order: for a person to pay, and for its Macs to become ready.
import { pause } from '../../shared/pause.js';
import { isSettled } from '../api/orders.js';
import { CidermillError } from '../cidermill-error.js';
import type { RetryPolicy } from '../http/retry.js';
import type { Order, RentedMac } from '../types.js';
import { EXIT_CANCELLED, EXIT_OK, EXIT_OTHER, EXIT_TIMEOUT } from './exit-codes.js';
import { formatCount, formatTime } from './format.js';
import { unlessLeft } from './leave.js';
import { macName } from './render-macs.js';
import { statusWords } from './render-orders.js';
import type { RentingSession } from './renting-session.js';
import { createStatusLine, printable } from './terminal.js';

/** How often each Mac is checked while it is prepared, in seconds. */
const LOOK_EVERY_S = 5;

/** The longest time until a change between two waits is noticed. */
const WAIT_S = 20;
const AFTER_LOSS_MS = 1_000;

/** Waits for about five minutes without an answer, so that a restart of the service does not end the command. */
export const PATIENT: Partial<RetryPolicy> = { attempts: 40, maxMs: 15_000 };

export interface FollowedOrder {
  order: Order;
  /** Macs that the order rents or extends, as far as they have not ended. */
  macs: RentedMac[];
}

/**
 * Waits until the order is settled, or until only its future start remains. Prints on standard error what it waits
 * for and when each Mac is ready.
 *
 * @returns null when the person left with Ctrl-C, who is then told how to go on; the exit code is set
 */
export async function followOrder(session: RentingSession, order: Order): Promise<FollowedOrder | null> {
  const { context, note, json, answer } = session;
  let latest = order;
  const followed = await unlessLeft(context, (signal) =>
    waitFor(session, order, signal, (seen) => {
      latest = seen;
    }),
  );
  if (followed === null) {
    note(`\n${order.order_no} remains open; to continue waiting: cidermill pay-status ${order.order_no} --wait`);
    if (json) answer(latest, () => '');
    context.exitCode = EXIT_CANCELLED;
    return null;
  }
  context.exitCode = exitCodeOfOrder(followed.order);
  tellEnd(session, followed);
  return followed;
}

/** 0 for an order that was not lost; see docs/command-line.md. */
export function exitCodeOfOrder({ status, paid_at }: Order): number {
  if (status === 'expired') return EXIT_TIMEOUT;
  if (status !== 'canceled') return EXIT_OK;
  return paid_at === null ? EXIT_CANCELLED : EXIT_OTHER;
}

async function waitFor(
  { context, renting, clock, note, style }: RentingSession,
  first: Order,
  signal: AbortSignal,
  onSeen: (order: Order) => void,
): Promise<FollowedOrder> {
  const options = { signal, retry: PATIENT };
  const line = createStatusLine(context.stderr);
  const told = new Set<string>();
  const tellReady = (macs: readonly RentedMac[]) => {
    for (const mac of macs) {
      if (told.has(mac.rental_id) || !isReady(mac)) continue;
      told.add(mac.rental_id);
      line.clear();
      const xcode = mac.xcode === null ? '' : `, Xcode ${printable(mac.xcode)}`;
      note(`${style.err.green('✓')} ${macName(mac)} is ready${xcode}; it ends ${formatTime(mac.ends_at)}`);
    }
  };
  try {
    for (let order = first; ; ) {
      onSeen(order);
      const macs = await macsOf(order);
      if (order.kind === 'rental') tellReady(macs);
      if (isSettled(order) || isReserved(macs)) return { order, macs };
      const ready = told.size === 0 ? '' : ` (${told.size} of ${formatCount(order.units, 'Mac')} ready)`;
      line.set(`${order.order_no}: ${statusWords[order.status]}${ready}`);
      order = await changed(order);
    }
  } finally {
    line.clear();
  }

  async function changed({ order_no, status }: Order): Promise<Order> {
    const timeoutS = status === 'awaiting_payment' ? WAIT_S : LOOK_EVERY_S;
    try {
      return await renting.orders.wait(order_no, { signal, timeoutS, retry: { attempts: 1 } });
    } catch (error) {
      if (!(error instanceof CidermillError && error.retryable)) throw error;
      // The change may have come while the connection was lost: another wait would miss it.
      await pause(clock, AFTER_LOSS_MS, signal);
      return renting.orders.get(order_no, options);
    }
  }

  async function macsOf({ rental_ids, status }: Order): Promise<RentedMac[]> {
    if (rental_ids.length === 0 || status === 'awaiting_payment') return [];
    const { rentals } = await renting.rentals.list(options);
    return rentals.filter(({ rental_id }) => rental_ids.includes(rental_id));
  }
}

const isReady = ({ state }: RentedMac) => state !== 'reserved' && state !== 'preparing';
const isReserved = (macs: readonly RentedMac[]) => macs.length > 0 && macs.every(({ state }) => state === 'reserved');

function tellEnd({ note, style }: RentingSession, { order, macs }: FollowedOrder): void {
  const { order_no, status, kind } = order;
  if (status === 'expired' || status === 'canceled') {
    note(`${style.err.red('✗')} ${order_no}: ${statusWords[status]}${reasonOf(order)}`);
  } else if (status !== 'ready') {
    note(`${style.err.green('✓')} ${order_no}: paid and reserved, begins ${formatTime(order.start)}`);
  } else if (kind === 'extension') {
    for (const mac of macs) note(`${style.err.green('✓')} ${macName(mac)} now ends ${formatTime(mac.ends_at)}`);
  }
}

/** Returns why a paid order was canceled. */
function reasonOf({ status, paid_at, end_reason }: Order): string {
  if (end_reason === 'payment_failed') return ': its payment did not match and is refunded; order again';
  if (status !== 'canceled' || paid_at === null) return '';
  if (end_reason === 'refunded_by_operator') return ' and refunded by the operator';
  return ': no Mac could be provided, the payment is refunded';
}
