// Renders quotes and orders for people.
import type { ExtensionQuote, MultiExtensionQuote, Order, Quote } from '../types.js';
import { formatCount, formatTable, formatTime, formatWon } from './format.js';
import { macName } from './render-macs.js';
import { printable } from './terminal.js';

/** `2 days`; hours that make no whole days stay hours. */
export function formatHours(hours: number): string {
  return hours % 24 === 0 ? formatCount(hours / 24, 'day') : formatCount(hours, 'hour');
}

/** `2 Macs of m4 for 3 days: 60,000 won, VAT included`, and what is available. */
export function quoteText(quote: Quote): string {
  const { tier, units, hours, amount_won, unit_price_won, available_now, sales_open } = quote;
  const what = `${formatCount(units, 'Mac')} of ${printable(tier)} for ${formatHours(hours)}`;
  const price = `${formatWon(amount_won)}, VAT included (${formatWon(unit_price_won)} a Mac and day)`;
  const stock = sales_open ? `${formatCount(available_now, 'Mac')} free now` : 'sales are closed now';
  return `${what}: ${price}; ${stock}\n`;
}

export function extensionQuoteText({ rental_id, rental_name, hours, amount_won, new_ends_at }: ExtensionQuote): string {
  const end = `would end ${formatTime(new_ends_at)}`;
  return `${macName({ rental_id, name: rental_name })} for ${formatHours(hours)} more: ${formatWon(amount_won)}, VAT included; ${end}\n`;
}

export function multiQuoteText({ hours, amount_won, items }: MultiExtensionQuote): string {
  const rows = items.map((item) => [
    macName({ ...item, name: item.rental_name }),
    printable(item.tier ?? '-'),
    item.amount_won === undefined ? '-' : formatWon(item.amount_won),
    formatTime(item.ends_at ?? null),
    formatTime(item.new_ends_at ?? null),
    item.ok ? '' : printable(`${item.reason ?? 'refused'}: ${item.message ?? ''}`),
  ]);
  const table = formatTable(['MAC', 'TIER', 'PRICE', 'ENDS', 'WOULD END', ''], rows);
  return `${table}${formatHours(hours)} more: ${formatWon(amount_won)}, VAT included\n`;
}

/** What an order is for: `2 Macs of m4 for 3 days`, `1 more day for Mac 1`. */
export function orderSubject(order: Order): string {
  if (order.kind === 'extension') {
    const macs = namesOf(order, ({ items }) => items.map(({ rental_id }) => rental_id)).join(', ');
    return `${formatHours(order.hours)} more for ${macs}`;
  }
  const xcode = order.setup.xcode ? `, Xcode ${printable(order.setup.xcode)}` : '';
  return `${formatCount(order.units, 'Mac')} of ${printable(order.tier ?? '-')} for ${formatHours(order.hours)}${xcode}`;
}

export function ordersTable(orders: readonly Order[]): string {
  const rows = orders.map((order) => [
    order.order_no,
    order.refunded_won > 0 ? `${order.status}, refunded` : order.status,
    orderSubject(order),
    formatWon(order.amount_won),
    formatTime(order.created_at),
    order.status === 'awaiting_payment' ? printable(order.pay_url) : namesOf(order).join(', '),
  ]);
  return formatTable(['ORDER', 'STATUS', 'FOR', 'PRICE', 'CREATED', 'PAY AT, OR MACS'], rows);
}

/** Names of the Macs of an order; services of older versions have only ids. */
export const namesOf = (order: Order, idsOf = ({ rental_ids }: Order) => rental_ids): string[] => {
  const ids = idsOf(order);
  return (order.names?.length === ids.length ? order.names : ids).map((name) => printable(name));
};

/** `Mac 1 (rt_1)` */
const namesWithIds = (order: Order): string[] =>
  namesOf(order).map((name, at) =>
    name === order.rental_ids[at] ? name : `${name} (${printable(order.rental_ids[at] ?? '')})`,
  );

/** One order in detail. */
export function orderText(order: Order): string {
  const lines = [
    `${order.order_no}: ${statusText(order)}`,
    `  ${orderSubject(order)}`,
    `  ${formatWon(order.amount_won)}, of which VAT ${formatWon(order.vat_won)}`,
  ];
  if (order.rentals_ended_at) lines.push(`  rentals ended ${formatTime(order.rentals_ended_at)}`);
  if (order.start !== 'now') lines.push(`  begins ${formatTime(order.start)}`);
  if (order.status === 'awaiting_payment')
    lines.push(`  pay at ${printable(order.pay_url)} until ${formatTime(order.pay_expires_at)}`);
  if (order.paid_at !== null) lines.push(`  paid ${formatTime(order.paid_at)}`);
  if (order.refunded_won > 0) {
    lines.push(`  refunded ${formatWon(order.refunded_won)} ${formatTime(order.refunded_at)}`);
  }
  if (order.receipt_url !== null) lines.push(`  receipt ${printable(order.receipt_url)}`);
  if (order.rental_ids.length > 0) lines.push(`  Macs ${namesWithIds(order).join(', ')}`);
  return `${lines.join('\n')}\n`;
}

/** `ready` is the last status of an order, also after its rentals; services of older versions do not say when they ended. */
function statusText({ status, end_reason, rentals_start_at, rentals_ended_at }: Order): string {
  if (status === 'ready' && end_reason !== null) return 'refunded';
  if (status === 'ready' && rentals_ended_at) return 'ended';
  if ((status === 'paid' || status === 'provisioning') && rentals_start_at) return 'paid, its Macs are reserved';
  return statusWords[status] ?? printable(status);
}

export const statusWords: Record<Order['status'], string> = {
  awaiting_payment: 'waiting for a person to consent and pay',
  paid: 'paid',
  provisioning: 'paid, its Macs are being prepared',
  ready: 'ready',
  expired: 'expired, not paid in time',
  canceled: 'canceled',
};
