// The text that a payer agrees to, and the record of the consent.

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { spanOf } from '../../../shared/amounts.js';
import { int, text } from '../../platform/domain/fields.js';
import { defaultLimits } from '../../platform/domain/limits.js';
import type { PayableKind } from './payable.js';

interface Texts {
  readonly terms: string;
  /** The payer's right of withdrawal, which ends when the service begins. */
  readonly withdrawal: string;
}

export interface ConsentText extends Texts {
  /** Changes with every change of the text. */
  readonly version: string;
  /** The same in Korean; null: `terms` and `withdrawal` are shown in every language. */
  readonly ko: Texts | null;
  /** SHA-256 of `terms` and `withdrawal`, then of both in Korean if there is that, with empty lines between them, in UTF-8. */
  readonly sha256: string;
}

export const consentFields = {
  orderNo: text(),
  userId: text(),
  textVersion: text(),
  textSha256: text(),
  ip: text(),
  at: int(),
};

const texts = { terms: z.string().min(1), withdrawal: z.string().min(1) };
const inLanguages = { ...texts, ko: z.strictObject(texts).nullable().default(null) };
const shape = z.strictObject({
  version: z.string().min(1).max(64),
  ...inLanguages,
  top_up: z.strictObject(inLanguages).optional(),
});

/** What a payer agrees to, by what is paid. */
export type ConsentTexts = Readonly<Record<PayableKind, ConsentText>>;

/**
 * Without `top_up`, top-ups have the built-in text.
 *
 * @param file JSON of `{version, terms, withdrawal, ko?: {terms, withdrawal}, top_up?: {terms, withdrawal, ko?}}`
 * @throws Error that says what is wrong
 */
export function parseConsentTexts(file: string): ConsentTexts {
  const read = shape.safeParse(JSON.parse(file));
  if (!read.success) throw new Error(z.prettifyError(read.error));
  const { version, terms, withdrawal, ko, top_up } = read.data;
  return {
    order: consentText({ version, terms, withdrawal, ko }),
    top_up: top_up ? consentText({ version, ...top_up }) : defaultConsentTexts.top_up,
  };
}

function consentText(text: Omit<ConsentText, 'sha256'>): ConsentText {
  const { terms, withdrawal, ko } = text;
  const parts = [terms, withdrawal, ...(ko ? [ko.terms, ko.withdrawal] : [])];
  return { ...text, sha256: createHash('sha256').update(parts.join('\n\n')).digest('hex') };
}

const defaultOrderText = consentText({
  version: '2026-11-2',
  terms:
    'I order the Macs, or the longer rental, shown above for the period and the total price shown, VAT included, ' +
    'on behalf of my organization.',
  withdrawal:
    'I ask for the service to begin with the rental, and know that the right to withdraw ends for the time that ' +
    'has been provided. If no Mac can be given, the whole amount goes back.',
  ko: {
    terms: '조직을 대표하여 위에 표시된 기간과 총액(부가세 포함)으로 Mac 대여 또는 대여 연장을 주문합니다.',
    withdrawal:
      '대여가 시작될 때 서비스가 제공되는 데 동의하며, 이미 제공된 기간에 대해서는 청약 철회를 할 수 없음을 확인합니다. ' +
      'Mac을 제공할 수 없는 경우 전액이 환불됩니다.',
  },
});

/** @param withdrawMs how long after its payment a top-up can be withdrawn */
const topUpText = (withdrawMs: number): ConsentText =>
  consentText({
    version: withdrawMs === defaultLimits.topup_withdraw_ms ? '2026-11-2' : `2026-11-2-${withdrawMs}`,
    terms:
      'I buy the credit shown above at the exchange rate and the total price shown, VAT included, on behalf of my ' +
      'organization.',
    withdrawal:
      `I know that unspent credit can be withdrawn for ${spanOf(withdrawMs)} after the payment, at the price that was paid, ` +
      'and that the right to withdraw ends for credit that has been spent.',
    ko: {
      terms: '조직을 대표하여 위에 표시된 환율과 총액(부가세 포함)으로 크레딧을 구매합니다.',
      withdrawal:
        `사용하지 않은 크레딧은 결제 후 ${koreanSpan(withdrawMs)} 이내에 결제한 금액으로 충전을 취소할 수 있으며, 이미 사용한 크레딧에 대해서는 ` +
        '청약 철회를 할 수 없음을 확인합니다.',
    },
  });

function koreanSpan(ms: number): string {
  if (ms % 86_400_000 === 0) return `${ms / 86_400_000}일`;
  return ms % 3_600_000 === 0 ? `${ms / 3_600_000}시간` : `${Math.floor(ms / 60_000)}분`;
}

const defaultTopUpText = topUpText(defaultLimits.topup_withdraw_ms);

/** Neutral texts; operators who sell to others replace them with their own. */
export const defaultConsentTexts: ConsentTexts = { order: defaultOrderText, top_up: defaultTopUpText };

/** Returns the texts with the period for withdrawals in the built-in one; texts of the operator stay as they are. */
export const withWithdrawalPeriod = (texts: ConsentTexts, withdrawMs: number): ConsentTexts =>
  texts.top_up === defaultTopUpText ? { ...texts, top_up: topUpText(withdrawMs) } : texts;
