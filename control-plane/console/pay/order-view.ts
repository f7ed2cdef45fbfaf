// Renders an order: its contents, its price, and its progress.
import { byId, make, setText, show } from './dom.js';
import type { FoundOrder, Order, PayState } from './order.js';
import { duration, macs, money, time } from './words.js';

type Tone = 'plain' | 'good' | 'bad';

const statusWords: Readonly<Record<Order['status'], readonly [string, Tone]>> = {
  awaiting_payment: ['Awaiting payment', 'plain'],
  paid: ['Paid', 'good'],
  provisioning: ['Paid, being prepared', 'good'],
  ready: ['Ready', 'good'],
  expired: ['Expired', 'bad'],
  canceled: ['Canceled', 'bad'],
};

export function showOrder({ order, organization, pay }: FoundOrder): void {
  const approved = pay?.provider === 'approval';
  const [words, tone] = statusWords[order.status];
  const badge = byId('badge', HTMLElement);
  badge.textContent = approved ? words.replace('Paid', 'Approved').replace('payment', 'approval') : words;
  badge.className = `badge ${tone}`;
  setText('title', title(order));
  setText('subtitle', `${organization.name}, order ${order.order_no}`);
  document.title = `${title(order)} · Cidermill`;
  setText('amount', money(order.amount_won));
  setText('vat', `including ${money(order.vat_won)} VAT (${money(order.supply_won)} before VAT)`);
  byId('facts', HTMLElement).replaceChildren(
    ...facts(order).flatMap(([name, value]) => [make('dt', { text: name }), make('dd', { text: value })]),
  );
  show('order-card');
  showProgress(order, pay);
}

function title(order: Order): string {
  const count = macs(order.units);
  return order.kind === 'rental' ? `Rent ${count}` : `Extend the rental of ${count}`;
}

function facts(order: Order): [string, string][] {
  const each = order.units > 1 ? ' each' : '';
  const rows: [string, string][] = [];
  if (order.tier !== null) rows.push(['Tier', order.tier]);
  if (order.kind === 'extension') {
    rows.push(['Longer by', duration(order.hours) + each]);
    if (order.items.length > 1) {
      for (const item of order.items) rows.push([item.rental_id ?? '', money(item.amount_won)]);
    } else if (order.items[0]?.rental_id) rows.push(['Mac', order.items[0].rental_id]);
  } else {
    rows.push(['For', duration(order.hours) + each]);
    rows.push(['Start', order.start === 'now' ? 'as soon as it is ready' : time(order.start)]);
    if (order.setup.xcode !== null) rows.push(['Xcode', order.setup.xcode]);
  }
  if (order.paid_at !== null) rows.push(['Paid', time(order.paid_at)]);
  if (order.refunded_at !== null) {
    rows.push(['Refunded', `${money(order.refunded_won)}, ${time(order.refunded_at)}`]);
  }
  return rows;
}

function showProgress(order: Order, pay: PayState | null): void {
  const { status } = order;
  const confirming = status === 'awaiting_payment' && pay?.payment?.status === 'confirming';
  show('progress-card', status !== 'awaiting_payment' || confirming);
  const ended = status === 'expired' || status === 'canceled';
  setText('progress-title', ended || status === 'ready' ? 'What happened' : 'What happens now');
  byId('steps', HTMLElement).replaceChildren(...(ended ? [] : steps(order, pay, confirming)));
  setText('progress-note', confirming ? CONFIRMING : note(order, pay));
  const receipt = order.receipt_url;
  show('receipt', receipt !== null);
  // Only http(s): other schemes, such as javascript:, are unsafe as a link.
  if (receipt !== null && /^https?:/i.test(receipt)) byId('receipt-link', HTMLAnchorElement).href = receipt;
}

const CONFIRMING =
  'The payment provider has not told us yet how it went. This page goes on by itself; you need not pay again.';

function steps(order: Order, pay: PayState | null, confirming: boolean): HTMLLIElement[] {
  const paid = pay?.provider === 'approval' ? 'Approved' : 'Paid';
  const names =
    order.kind === 'extension'
      ? [paid, 'The rental is longer']
      : [paid, `${macs(order.units)} being prepared`, 'Ready to build'];
  const reached = {
    awaiting_payment: 0,
    paid: 1,
    provisioning: 1,
    ready: names.length,
    expired: 0,
    canceled: 0,
  };
  const done = confirming ? 0 : reached[order.status];
  return names.map((text, i) => {
    const item = make('li', { text });
    item.dataset.step = i < done ? 'done' : i === done ? 'now' : 'later';
    if (i === done) item.setAttribute('aria-current', 'step');
    return item;
  });
}

/** Statuses of a payment that arrived too late or was invalid. */
const goesBack: ReadonlySet<string> = new Set(['late', 'failed', 'cancelled']);

function note(order: Order, pay: PayState | null): string {
  const back = pay && pay.provider !== 'portone' ? '' : ' The whole amount goes back the way it came.';
  const charged = goesBack.has(pay?.payment?.status ?? '') ? back : ' Nothing was charged.';
  switch (order.status) {
    case 'ready':
      if (order.end_reason === 'refunded_by_operator') return `The order was refunded.${back}`;
      return `You can close this page. The sender of the order continues with ${order.rental_ids.join(', ')}.`;
    case 'expired':
      return `The time for paying has passed and the Macs are free for others again.${charged} Ask for a new order.`;
    case 'canceled':
      if (order.end_reason === 'no_capacity') return `No Mac could be given.${back}`;
      if (order.end_reason === 'refunded_by_operator') return `The order was refunded.${back}`;
      return `The order was canceled and the Macs are free for others again.${charged}`;
    default:
      return order.start !== 'now' && order.kind === 'rental'
        ? `The rental begins on ${time(order.start)}. You can close this page.`
        : 'You can close this page; it does not have to stay open.';
  }
}
