// A top-up as its organization sees it.
import { z } from 'zod';
import { isoTime } from '../../platform/domain/iso-time.js';
import type { Limits } from '../../platform/domain/limits.js';
import { usdText } from '../../platform/domain/usd-text.js';
import { time, won } from '../../platform/http/values.js';
import { splitVat } from '../../renting/domain/pricing.js';
import type { PaidTopUp } from '../app/top-ups.js';
import { rateSources } from '../domain/exchange-rate.js';
import { topUpStatus, topUpStatuses } from '../domain/top-up.js';

/** An amount in dollars with six digits after the point. */
export const usdAmount = z
  .string()
  .regex(/^-?\d+\.\d{6}$/)
  .meta({ description: 'US dollars with six digits after the point' });

export const topUpShape = z
  .object({
    order_id: z.string().meta({ description: 'Also the payment id at the payment provider' }),
    organization_id: z.string(),
    status: z.enum(topUpStatuses),
    usd: z.int().min(1),
    credit_micro_usd: z.int().min(0).meta({ description: 'Credit that it adds, in millionths of a dollar' }),
    credit_usd: usdAmount,
    amount_krw: won.meta({ description: 'Price, VAT included: dollars × rate, rounded up' }),
    supply_krw: won.meta({ description: 'Without VAT' }),
    vat_krw: won,
    fx_day: z.string().meta({ format: 'date', description: 'Day of the rate, in Korea' }),
    fx_source: z.enum(rateSources),
    fixed_krw_per_usd: z.string().meta({ description: 'Rate of this top-up' }),
    payment_id: z.string().nullable().meta({ description: "The provider's transaction id" }),
    method: z.string().nullable(),
    paid_at: time.nullable(),
    receipt_url: z.string().nullable(),
    cancelled_krw: won.meta({ description: 'Refunded' }),
    withdrawing_krw: won.meta({ description: 'Refund that the provider has not confirmed yet' }),
    withdrawable_until: time.nullable(),
    failure_code: z
      .string()
      .nullable()
      .meta({ description: 'Why the last payment failed; late_payment: paid too late, and refunded' }),
    created_at: time,
    expires_at: time,
    pay_url: z.string().meta({ description: 'Page on which a person pays it' }),
  })
  .meta({ id: 'TopUp', description: 'Credit in US dollars, paid in won at the rate of the day' });

export function topUpView(
  topUp: PaidTopUp,
  orgId: string,
  { limits, payUrl }: { limits: Limits; payUrl(orderId: string): string },
): z.infer<typeof topUpShape> {
  const { amountWon, cancelledWon, paidAt, paymentStatus } = topUp;
  const { supplyWon, vatWon } = splitVat(amountWon);
  const isLate = paymentStatus === 'late';
  return {
    order_id: topUp.orderId,
    organization_id: orgId,
    status: topUpStatus(topUp, { status: paymentStatus, cancelledWon }),
    usd: topUp.usd,
    credit_micro_usd: topUp.creditMicroUsd,
    credit_usd: usdText(topUp.creditMicroUsd),
    amount_krw: amountWon,
    supply_krw: supplyWon,
    vat_krw: vatWon,
    fx_day: topUp.fxDay,
    fx_source: topUp.fxSource,
    fixed_krw_per_usd: topUp.krwPerUsd,
    payment_id: topUp.txId,
    method: topUp.method,
    paid_at: isoTime(paidAt),
    receipt_url: topUp.receiptUrl,
    cancelled_krw: cancelledWon,
    withdrawing_krw: topUp.withdrawingWon,
    withdrawable_until:
      paidAt === null || topUp.state !== 'credited' ? null : isoTime(paidAt + limits.topup_withdraw_ms),
    failure_code: isLate ? 'late_payment' : topUp.failureCode,
    created_at: isoTime(topUp.createdAt),
    expires_at: isoTime(topUp.expiresAt),
    pay_url: payUrl(topUp.orderId),
  };
}
