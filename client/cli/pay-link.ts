import { encode } from 'uqr';
import type { Order } from '../types.js';
import { formatTime, formatWon } from './format.js';
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

/** Light modules around the code; scanners need some. */
const BORDER = 2;
const BLACK_ON_WHITE = '\x1b[30;107m';
const AS_BEFORE = '\x1b[0m';

interface QrCode {
  lines: string[];
  /** Columns that it takes. */
  width: number;
}

/**
 * A text as a QR code for a terminal: two modules per character, one above the other, black on white regardless of the
 * terminal's colors.
 */
export function qrCode(text: string): QrCode {
  const { data, size } = encode(text, { ecc: 'L', border: BORDER });
  const lines: string[] = [];
  for (let row = 0; row < size; row += 2) {
    const cells = (data[row] ?? []).map((above, column) => block(above, data[row + 1]?.[column] ?? false));
    lines.push(`${BLACK_ON_WHITE}${cells.join('')}${AS_BEFORE}`);
  }
  return { lines, width: size };
}

function block(above: boolean, below: boolean): string {
  if (above) return below ? '█' : '▀';
  return below ? '▄' : ' ';
}
