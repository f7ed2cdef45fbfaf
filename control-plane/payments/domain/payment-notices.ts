// Notifications to an account's people about payments.
import type { NoticeWords } from '../../access/domain/notice.js';
import { type Payable, payableText } from './payable.js';

type Paid = Pick<Payable, 'kind' | 'orderNo'>;

const payableKo = ({ kind, orderNo }: Paid) => `${kind === 'order' ? '주문' : '충전'} ${orderNo}`;

export const paymentsBlocked = (of: Paid): NoticeWords => ({
  en: {
    subject: 'Payments of your organization are blocked',
    text: `The payment of ${payableText(of)} is disputed. Until this is settled, nothing can be paid.`,
  },
  ko: {
    subject: '조직의 결제가 차단되었습니다',
    text: `${payableKo(of)} 건의 결제에 이의가 제기되었습니다. 해결될 때까지 결제할 수 없습니다.`,
  },
});

const whySentBack = {
  paid_too_late: {
    en: 'arrived when it could no longer be accepted',
    ko: '승인할 수 있는 기간이 지난 뒤에 이루어졌습니다',
  },
  paid_without_consent: { en: 'was made without consent', ko: '동의 없이 이루어졌습니다' },
  payment_mismatch: { en: 'does not match its price', ko: '청구 금액과 일치하지 않습니다' },
} as const;
export type SentBackReason = keyof typeof whySentBack;

export const paymentSentBack = (of: Paid, reason: SentBackReason): NoticeWords => ({
  en: {
    subject: `The payment of ${payableText(of)} is refunded`,
    text: `The payment of ${payableText(of)} ${whySentBack[reason].en}. It is refunded in full.`,
  },
  ko: {
    subject: `${payableKo(of)} 건의 결제를 환불합니다`,
    text: `${payableKo(of)} 건의 결제가 ${whySentBack[reason].ko}. 전액 환불합니다.`,
  },
});

/** @param amountWon null: all of it */
export const withdrawalFailed = (orderNo: string, amountWon: number | null): NoticeWords => {
  const won = amountWon?.toLocaleString('en-US') ?? null;
  return {
    en: {
      subject: `The withdrawal from top-up ${orderNo} failed`,
      text:
        `The payment provider did not pay back ${won === null ? '' : `${won} won of `}top-up ${orderNo}. The credit that was reserved ` +
        'for it is available again.',
    },
    ko: {
      subject: `충전 ${orderNo} 건의 취소에 실패했습니다`,
      text:
        `결제 대행사가 충전 ${orderNo} 건의 ${won === null ? '결제 금액' : `${won}원`}을 환불하지 않았습니다. ` +
        '환불을 위해 예약된 크레딧은 다시 사용할 수 있습니다.',
    },
  };
};
