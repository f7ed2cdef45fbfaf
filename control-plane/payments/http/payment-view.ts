// A payment as shown to its payer.
import { z } from 'zod';
import { isoTime } from '../../platform/domain/iso-time.js';
import type { ShownPayment } from '../app/payment-state.js';
import type { ConsentText } from '../domain/consent.js';
import { paymentProviders, paymentStatuses } from '../domain/payment.js';

const won = z.int().min(0);

export const paymentShape = z
  .object({
    provider: z.enum(paymentProviders),
    status: z.enum(paymentStatuses),
    amount_won: won,
    /** The provider's transaction id. */
    payment_id: z.string().nullable(),
    method: z.string().nullable(),
    paid_at: z.string().nullable(),
    receipt_url: z.string().nullable(),
    failure_code: z.string().nullable(),
    cancelled_won: won,
    /** Data for the payer's browser; null when it has nothing to do. */
    checkout: z
      .object({
        script: z.string(),
        manual_confirm: z.boolean(),
        request: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
      })
      .nullable(),
  })
  .meta({ id: 'Payment' });

export function paymentView({ payment, checkout }: ShownPayment): z.infer<typeof paymentShape> | null {
  if (!payment) return null;
  return {
    provider: payment.provider,
    status: payment.status,
    amount_won: payment.amountWon,
    payment_id: payment.txId,
    method: payment.method,
    paid_at: isoTime(payment.paidAt),
    receipt_url: payment.receiptUrl,
    failure_code: payment.failureCode,
    cancelled_won: payment.cancelledWon,
    checkout: checkout && {
      script: checkout.script,
      manual_confirm: checkout.manualConfirm,
      request: { ...checkout.request },
    },
  };
}

/** `CIDERMILL_SELLER`. */
export const sellerShape = z.string().nullable().meta({ description: 'Who sells, as on receipts, in lines' });

export const consentShape = z
  .object({
    version: z.string(),
    sha256: z.string(),
    terms: z.string(),
    withdrawal: z.string(),
    /** The same in Korean; null when there is no Korean text. */
    ko: z.object({ terms: z.string(), withdrawal: z.string() }).nullable(),
  })
  .meta({ id: 'ConsentText' });

export function consentView({ version, sha256, terms, withdrawal, ko }: ConsentText): z.infer<typeof consentShape> {
  return { version, sha256, terms, withdrawal, ko: ko && { ...ko } };
}
