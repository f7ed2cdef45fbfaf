// An order's payment with credit, and what it would cost, as shown to its payer.
import { z } from 'zod';
import { usdText } from '../../platform/domain/usd-text.js';
import { time, won } from '../../platform/http/values.js';
import type { CreditOffer } from '../app/credit-payments.js';
import { type CreditPayment, type CreditPrice, returnedMicroUsd } from '../domain/credit-payment.js';
import { rateSources } from '../domain/exchange-rate.js';
import { usdAmount } from './top-up-view.js';

const microUsd = z.int().min(0);

const rateShape = {
  fx_day: z.string().meta({ format: 'date', description: 'Day of the exchange rate, in Korea' }),
  fx_source: z.enum(rateSources),
  krw_per_usd: z.string(),
};
const rateView = ({ fxDay, fxSource, krwPerUsd }: Pick<CreditPrice, 'fxDay' | 'fxSource' | 'krwPerUsd'>) => ({
  fx_day: fxDay,
  fx_source: fxSource,
  krw_per_usd: krwPerUsd,
});

export const creditOfferShape = z
  .object({
    price_micro_usd: microUsd.meta({ description: 'Price of the order at the rate, in millionths of a US dollar' }),
    price_usd: usdAmount,
    available_micro_usd: z.int().meta({ description: 'Credit that is neither spent nor being withdrawn' }),
    available_usd: usdAmount,
    suffices: z.boolean(),
    ...rateShape,
  })
  .meta({ id: 'CreditOffer' });

export const creditOfferView = ({ price, available }: CreditOffer): z.infer<typeof creditOfferShape> => ({
  price_micro_usd: price.creditMicroUsd,
  price_usd: usdText(price.creditMicroUsd),
  available_micro_usd: available,
  available_usd: usdText(available),
  suffices: available >= price.creditMicroUsd,
  ...rateView(price),
});

export const creditPaymentShape = z
  .object({
    micro_usd: microUsd.meta({ description: 'Credit that was taken, in millionths of a US dollar' }),
    usd: usdAmount,
    paid_at: time,
    returned_micro_usd: microUsd.meta({ description: 'Credit that refunds have returned' }),
    returned_usd: usdAmount,
    returned_won: won.meta({ description: 'Won of the order that have been refunded as credit' }),
    ...rateShape,
  })
  .meta({ id: 'CreditPayment' });

export function creditPaymentView(payment: CreditPayment | null): z.infer<typeof creditPaymentShape> | null {
  if (!payment) return null;
  const returned = returnedMicroUsd(payment);
  return {
    micro_usd: payment.creditMicroUsd,
    usd: usdText(payment.creditMicroUsd),
    paid_at: new Date(payment.paidAt).toISOString(),
    returned_micro_usd: returned,
    returned_usd: usdText(returned),
    returned_won: payment.returnedWon,
    ...rateView(payment),
  };
}
