// Notifications to an account's people about refunds.
import { macLabel } from '../../../shared/mac-name.js';
import { type NoticeMessage, organizationNotice } from '../../../shared/messages/notice.js';
import { usdText } from '../../platform/domain/usd-text.js';
import type { Order } from './order.js';
import type { RefundedLine, RefundReason } from './refund.js';
import type { RentalWithMachine } from './rental.js';

const wonText = (won: number) => `₩${won.toLocaleString('en-US')}`;

export function refundNotice(
  { orderNo }: Pick<Order, 'orderNo'>,
  lines: readonly RefundedLine[],
  ended: readonly Pick<RentalWithMachine, 'rentalId' | 'name'>[],
  reason: RefundReason,
): NoticeMessage {
  const listOf = (textOf: (line: RefundedLine) => string | null) =>
    lines
      .map(textOf)
      .filter((text) => text !== null)
      .join(', ');
  const params = {
    order_no: orderNo,
    to_payment_method: listOf(({ order, action, amountWon, creditMicroUsd }) =>
      action === 'refund' && creditMicroUsd === null ? `${order.orderNo} (${wonText(amountWon)})` : null,
    ),
    as_credit: listOf(({ order, action, amountWon, creditMicroUsd: credit }) =>
      action === 'refund' && credit !== null
        ? `${order.orderNo} (${wonText(amountWon)}, ${usdText(credit)} USD)`
        : null,
    ),
    canceled: listOf(({ order, action }) => (action === 'cancel' ? order.orderNo : null)),
    macs: ended.map(macLabel).join(', '),
  };
  if (reason === 'no_capacity') return organizationNotice('order_canceled', params);
  return organizationNotice('order_refunded', { ...params, won: lines.reduce((sum, line) => sum + line.amountWon, 0) });
}
