// Why a payment failed and what to do next, by its failure_code.
import type { Language } from '../../../shared/language.js';

type Said = Readonly<Record<Language, string>>;

const declined: Said = {
  en: 'The payment was declined. Nothing was charged. Check the card and its limit, or choose another payment method, and try again.',
  ko: '결제가 거절되었습니다. 청구된 금액은 없습니다. 카드와 한도를 확인하거나 다른 결제 수단으로 다시 시도하세요.',
};

const settings: Said = {
  en: 'The payment provider currently rejects requests from this service. Nothing was charged. Contact the operator of this service.',
  ko: '현재 결제 대행사가 이 서비스의 요청을 받지 않습니다. 청구된 금액은 없습니다. 서비스 운영자에게 문의하세요.',
};

const tooSlow: Said = {
  en: 'The payment provider no longer has this attempt. Nothing was charged. Start the payment again.',
  ko: '결제 시도가 결제 대행사에서 만료되었습니다. 청구된 금액은 없습니다. 결제를 처음부터 다시 진행하세요.',
};

const known: Readonly<Record<string, Said>> = {
  declined,
  card_declined: declined,
  unauthorized: settings,
  forbidden: settings,
  invalid_request: settings,
  payment_not_found: tooSlow,
  payment_not_waiting_for_confirmation: tooSlow,
  payment_mismatch: {
    en: 'The payment that the payment provider reported does not match this price or this service. An amount that was charged is refunded in full. If it happens again, contact the operator of this service.',
    ko: '결제 대행사의 결제 내역이 결제할 금액이나 이 서비스와 일치하지 않습니다. 청구된 금액은 전액 환불됩니다. 같은 문제가 반복되면 서비스 운영자에게 문의하세요.',
  },
};

/** Other codes are those of card companies and of companies behind the payment provider. */
const other: Readonly<Record<Language, (code: string) => string>> = {
  en: (code) =>
    `The payment was refused by the card or payment company (${code}). Nothing was charged. Try again with another payment method, or ask that company about this code.`,
  ko: (code) =>
    `카드사 또는 결제 대행사가 결제를 거절했습니다(${code}). 청구된 금액은 없습니다. 다른 결제 수단으로 다시 시도하거나 해당 회사에 이 코드를 알려 문의하세요.`,
};

/** @example paymentFailure('card_declined', 'en') // 'The payment was declined. Nothing was charged. …' */
export function paymentFailure(code: string, language: Language): string {
  return Object.hasOwn(known, code) ? (known[code] as Said)[language] : other[language](code);
}
