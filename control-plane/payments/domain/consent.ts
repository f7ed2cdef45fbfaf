// The text that a payer agrees to, and the record of the consent.

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { int, type RecordOf, text } from '../../platform/domain/fields.js';

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
export type Consent = RecordOf<typeof consentFields>;

const texts = { terms: z.string().min(1), withdrawal: z.string().min(1) };
const shape = z.strictObject({
  version: z.string().min(1).max(64),
  ...texts,
  ko: z.strictObject(texts).nullable().default(null),
});

/**
 * @param file JSON of `{version, terms, withdrawal, ko?: {terms, withdrawal}}`
 * @throws Error that says what is wrong
 */
export function parseConsentText(file: string): ConsentText {
  const read = shape.safeParse(JSON.parse(file));
  if (!read.success) throw new Error(z.prettifyError(read.error));
  return consentText(read.data);
}

function consentText(text: z.infer<typeof shape>): ConsentText {
  const { terms, withdrawal, ko } = text;
  const parts = [terms, withdrawal, ...(ko ? [ko.terms, ko.withdrawal] : [])];
  return { ...text, sha256: createHash('sha256').update(parts.join('\n\n')).digest('hex') };
}

/** A neutral text; operators who sell to others replace it with their own. */
export const defaultConsentText: ConsentText = consentText({
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
