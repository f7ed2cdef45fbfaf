// Webhooks from payment providers. A message only says that a payment has changed; the payment itself is then
// fetched.
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { fieldError } from '../../platform/domain/field-error.js';
import type { Transaction } from '../../platform/store/sql.js';
import type { Payment } from '../domain/payment.js';
import type { PaymentProvider } from '../providers/provider.js';
import { expediteCancellations } from '../store/payment-cancellations.js';
import { expediteLook, findPayment, openPayment } from '../store/payments.js';
import { blockPayments } from './ledger.js';
import type { ReconcileDeps } from './payment-reconciliation.js';
import { wakeForPayment } from './payment-settlement.js';

export type PaymentWebhooks = ReturnType<typeof createPaymentWebhooks>;

export function createPaymentWebhooks(
  deps: Pick<ReconcileDeps, 'store' | 'clock' | 'wake' | 'mail' | 'payables'>,
  provider: PaymentProvider,
) {
  const { store, clock, payables } = deps;

  /**
   * A payment of an order that nobody started to pay here: it is fetched so that it is refunded. Top-ups always have a
   * payment.
   */
  const unbidden = async (tx: Transaction, orderNo: string): Promise<Payment | null> => {
    const order = await payables.order.find(tx, orderNo);
    if (!order) return null;
    const now = clock.now();
    const { kind, accountId, amountWon } = order;
    return openPayment(tx, {
      kind,
      orderNo,
      accountId,
      amountWon,
      provider: provider.name,
      fetchAt: now,
      now,
    });
  };

  return {
    /**
     * Accepts one message; once this resolves, the work that it asks for survives a crash. Messages of unknown kinds or
     * about unknown payments are accepted too.
     * Throws invalid_request when it was not signed by the provider, or is more than five minutes old.
     */
    async receive(body: Buffer, headers: Readonly<Record<string, string | readonly string[] | undefined>>) {
      const message = provider.readWebhook(body, headers);
      if (message.kind === 'refused') {
        throw fieldError('invalid_request', message.header, fieldProblem('invalid'), {
          message: `The message is not validly signed by the provider: ${message.header}.`,
        });
      }
      if (message.kind === 'ignored') return;
      const { orderNo, disputed } = message;
      await store.transaction(async (tx) => {
        const payment = (await findPayment(tx, orderNo)) ?? (await unbidden(tx, orderNo));
        if (payment?.provider !== provider.name) return;
        await expediteLook(tx, orderNo, clock.now());
        await expediteCancellations(tx, orderNo, clock.now());
        if (disputed) await blockPayments(tx, deps, payment);
        wakeForPayment(tx, deps, payment);
      });
    },
  };
}
