// Notifications to an account's people about refunds.
import { macLabel } from '../../../shared/mac-name.js';
import type { NoticeWords } from '../../access/domain/notice.js';
import { usdText } from '../../platform/domain/usd-text.js';
import type { Order } from './order.js';
import type { RefundedLine, RefundReason } from './refund.js';
import type { RentalWithMachine } from './rental.js';

const amount = (won: number) => won.toLocaleString('en-US');

export function refundNotice(
  { orderNo }: Pick<Order, 'orderNo'>,
  lines: readonly RefundedLine[],
  ended: readonly Pick<RentalWithMachine, 'rentalId' | 'name'>[],
  reason: RefundReason,
): NoticeWords {
  const total = amount(lines.reduce((sum, line) => sum + line.amountWon, 0));
  const macs = ended.map(macLabel).join(', ');
  const noMac = reason === 'no_capacity';
  return {
    en: {
      subject: noMac
        ? `Order ${orderNo} is canceled, because no Mac could be provided`
        : `${total} won of order ${orderNo} are refunded`,
      text: [
        ...lines.map(({ action, amountWon, creditMicroUsd, order }) => {
          if (action === 'cancel') return `The unpaid order ${order.orderNo} is canceled.`;
          const refunded = `${amount(amountWon)} won of order ${order.orderNo} are refunded`;
          return creditMicroUsd === null
            ? `${refunded} to the original payment method.`
            : `${refunded} as ${usdText(creditMicroUsd)} USD of credit.`;
        }),
        ...(macs === '' ? [] : [`These Macs end now: ${macs}.`]),
      ].join('\n'),
    },
    ko: {
      subject: noMac
        ? `Mac을 제공할 수 없어 주문 ${orderNo} 건이 취소되었습니다`
        : `주문 ${orderNo} 건의 ${total}원을 환불합니다`,
      text: [
        ...lines.map(({ action, amountWon, creditMicroUsd, order }) => {
          if (action === 'cancel') return `결제하지 않은 주문 ${order.orderNo} 건을 취소했습니다.`;
          const refunded = `주문 ${order.orderNo} 건의 ${amount(amountWon)}원을`;
          return creditMicroUsd === null
            ? `${refunded} 원래 결제 수단으로 환불합니다.`
            : `${refunded} 크레딧 ${usdText(creditMicroUsd)}달러로 환불했습니다.`;
        }),
        ...(macs === '' ? [] : [`다음 Mac의 대여가 지금 종료됩니다: ${macs}`]),
      ].join('\n'),
    },
  };
}
