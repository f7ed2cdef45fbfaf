// Mails to an account's people about refunds.

import type { NewNotice } from '../../access/app/notices.js';
import type { Order } from '../domain/order.js';
import type { RefundLine, RefundReason } from '../domain/refund.js';
import type { Rental } from '../domain/rental.js';

const won = (amount: number) => `${amount.toLocaleString('en-US')} won`;

export function refundNotice(
  order: Order,
  lines: readonly RefundLine[],
  ended: readonly Rental[],
  reason: RefundReason,
): NewNotice {
  const { orderNo, accountId } = order;
  const total = lines.reduce((sum, line) => sum + line.amountWon, 0);
  const isWanting = reason === 'no_capacity';
  const sentences = lines.map((line) =>
    line.action === 'refund'
      ? `${won(line.amountWon)} of order ${line.order.orderNo} are refunded to the original payment method.`
      : `The unpaid order ${line.order.orderNo} is canceled.`,
  );
  if (ended.length > 0) {
    sentences.push(`These Macs end now: ${ended.map(({ rentalId }) => rentalId).join(', ')}.`);
  }
  return {
    accountId,
    kind: isWanting ? 'order_canceled' : 'order_refunded',
    subject: isWanting
      ? `Order ${orderNo} is canceled, because no Mac could be provided`
      : `${won(total)} of order ${orderNo} are refunded`,
    text: sentences.join('\n'),
  };
}
