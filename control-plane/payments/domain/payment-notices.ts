// Notifications to an account's people about payments.
import { type NoticeMessage, organizationNotice } from '../../../shared/messages/notice.js';
import type { Payable } from './payable.js';

type Paid = Pick<Payable, 'kind' | 'orderNo'>;

export const paymentsBlocked = ({ kind, orderNo }: Paid): NoticeMessage =>
  organizationNotice('payments_blocked', { kind, order_no: orderNo });

export type SentBackReason = 'paid_too_late' | 'paid_without_consent' | 'payment_mismatch';

export const paymentSentBack = ({ kind, orderNo }: Paid, reason: SentBackReason): NoticeMessage =>
  organizationNotice('payment_returned', { kind, order_no: orderNo, reason });

/** @param amountWon null: all of it */
export function withdrawalFailed(orderNo: string, amountWon: number | null): NoticeMessage {
  return amountWon === null
    ? organizationNotice('whole_withdrawal_failed', { order_no: orderNo })
    : organizationNotice('withdrawal_failed', { order_no: orderNo, won: amountWon });
}
