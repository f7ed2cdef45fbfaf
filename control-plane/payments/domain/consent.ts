// The text that a payer agrees to, and the record of the consent.

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { int, type RecordOf, text } from '../../platform/domain/fields.js';

export interface ConsentText {
  /** Changes with every change of the text. */
  readonly version: string;
  readonly terms: string;
  /** The payer's right of withdrawal, which ends when the service begins. */
  readonly withdrawal: string;
  /** SHA-256 of `terms`, an empty line and `withdrawal`, in UTF-8. */
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

const shape = z.strictObject({
  version: z.string().min(1).max(64),
  terms: z.string().min(1),
  withdrawal: z.string().min(1),
});

/**
 * @param file JSON of `{version, terms, withdrawal}`
 * @throws Error that says what is wrong
 */
export function parseConsentText(file: string): ConsentText {
  const read = shape.safeParse(JSON.parse(file));
  if (!read.success) throw new Error(z.prettifyError(read.error));
  return consentText(read.data);
}

function consentText({ version, terms, withdrawal }: z.infer<typeof shape>): ConsentText {
  const sha256 = createHash('sha256').update(`${terms}\n\n${withdrawal}`).digest('hex');
  return { version, terms, withdrawal, sha256 };
}

/** A neutral text; operators who sell to others replace it with their own. */
export const defaultConsentText: ConsentText = consentText({
  version: '2026-11-1',
  terms:
    'I order the Macs, or the longer rental, shown above for the period and the total price shown, VAT included, ' +
    'on behalf of my organization.',
  withdrawal:
    'I ask for the service to begin with the rental, and know that the right to withdraw ends for the time that ' +
    'has been provided. If no Mac can be given, the whole amount goes back.',
});
