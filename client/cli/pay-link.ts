import type { Order } from '../types.js';
import { formatTime, formatWon } from './format.js';
import { qrCode } from './qr-code.js';
import { orderSubject } from './render-orders.js';
import type { Session } from './session.js';
import { printable } from './terminal.js';

/** Tells a person, on standard error, what there is to pay and where; on a terminal also as a QR code. */
export function showPayLink({ context, note, style }: Session, order: Order): void {
  const { order_no, amount_won, pay_url, pay_expires_at } = order;
  note(`${style.err.bold(order_no)}: ${orderSubject(order)}, ${formatWon(amount_won)}, VAT included`);
  note(`A person of the account has to sign in, consent and pay until ${formatTime(pay_expires_at)}:`);
  note(`  ${style.err.cyan(printable(pay_url))}`);
  const { isTTY, columns } = context.stderr;
  if (!isTTY || context.env.TERM === 'dumb') return;
  const { lines, width } = qrCode(pay_url);
  // A terminal of unknown width has 0 columns.
  if (width <= (columns || 80)) note(lines.join('\n'));
}
