// Requests to start and to charge a payment, and what is known after the answer or without one.
import type { Log } from '../../../shared/log.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import {
  type Charge,
  type Checkout,
  type ConfirmAnswer,
  type PaymentProvider,
  type Proof,
  ProviderUncertain,
} from '../providers/provider.js';
import type { Known } from './payment-settlement.js';

/** Throws payment_unavailable when the provider does not answer: nothing has been charged then. */
export async function beginAt(
  { log }: { log: Log },
  provider: PaymentProvider,
  charge: Charge,
): Promise<{ paid: boolean; checkout: Checkout }> {
  try {
    return await provider.start(charge);
  } catch (error) {
    if (!(error instanceof ProviderUncertain)) throw error;
    log.warn({ err: error, order: charge.orderNo }, 'failed to start the payment');
    throw new ApiError('payment_unavailable', { cause: error });
  }
}

/** After this call the provider may have charged even if it answers with an error; the payment is fetched to find out. */
export async function askToCharge(
  { log }: { log: Log },
  provider: PaymentProvider,
  charge: Charge,
  proof: Proof,
): Promise<Known> {
  try {
    return knownFrom(await provider.confirm(charge, proof));
  } catch (error) {
    if (!(error instanceof ProviderUncertain)) throw error;
    log.warn(
      { err: error, order: charge.orderNo },
      'uncertain whether the payment was made; it is fetched to find out',
    );
    return { asked: true };
  }
}

function knownFrom(confirmed: ConfirmAnswer): Known {
  switch (confirmed.answer) {
    case 'fetch':
      return { asked: true };
    case 'declined':
      return { refused: confirmed.code };
    case 'mismatch':
      return { refused: 'payment_mismatch' };
    case 'nothing':
      return { refused: null };
  }
}
