// Which receipts there are, and what they say.
import t from 'tap';
import type { Payment, PayPage } from '../../client/types.js';
import { receiptOfOrder, receiptOfTopUp } from '../../control-plane/console/pages/receipt/receipt.js';

type TopUp = Parameters<typeof receiptOfTopUp>[0];

const at = '2026-03-01T09:00:00.000Z';
const order = {
  order_no: 'CM1',
  paid_at: at as string | null,
  amount_won: 10_000,
  supply_won: 9_091,
  vat_won: 909,
  refunded_won: 0,
};
const payment = { provider: 'sandbox', status: 'paid', method: 'card', payment_id: 'tx1' } as Payment;
const credit = { micro_usd: 6_819_422 } as NonNullable<PayPage['credit_payment']>;
const pay = { payment, credit_payment: null, seller: 'Apple Press' };

t.test('an order that was paid has one', async (t) => {
  t.same(receiptOfOrder(order, pay), {
    number: 'CM1',
    paidAt: at,
    seller: 'Apple Press',
    amountWon: 10_000,
    supplyWon: 9_091,
    vatWon: 909,
    paidWith: { by: 'sandbox' },
    method: 'card',
    paymentId: 'tx1',
    refundedWon: 0,
  });
  t.match(receiptOfOrder({ ...order, refunded_won: 4_000 }, pay), { refundedWon: 4_000 });
  t.match(
    receiptOfOrder(order, { ...pay, credit_payment: credit }),
    { paidWith: { by: 'credit', microUsd: 6_819_422 }, method: null, paymentId: null },
    'a payment at the provider that came too late is not on it',
  );
  const none: [string, Parameters<typeof receiptOfOrder>][] = [
    ['unpaid', [{ ...order, paid_at: null }, pay]],
    ['costs nothing', [{ ...order, amount_won: 0 }, pay]],
    ['approved', [order, { ...pay, payment: { ...payment, provider: 'approval' } }]],
    ['no payment', [order, { ...pay, payment: null }]],
  ];
  for (const [what, given] of none) t.equal(receiptOfOrder(...given), null, what);
});

t.test('a top-up that was paid has one', async (t) => {
  const topUp = {
    order_id: 'TU1',
    status: 'paid',
    paid_at: at,
    amount_krw: 14_664,
    supply_krw: 13_331,
    vat_krw: 1_333,
    cancelled_krw: 0,
    method: 'card',
    payment_id: 'tx2',
    payment,
    seller: null,
  } as TopUp;
  t.match(receiptOfTopUp(topUp), { number: 'TU1', amountWon: 14_664, vatWon: 1_333, paidWith: { by: 'sandbox' } });
  t.match(receiptOfTopUp({ ...topUp, status: 'cancelled', cancelled_krw: 14_664 }), { refundedWon: 14_664 });
  const none: [string, Partial<TopUp>][] = [
    ['unpaid', { status: 'pending', paid_at: null }],
    ['paid too late', { status: 'failed' }],
    ['approved', { payment: { ...payment, provider: 'approval' } }],
  ];
  for (const [what, given] of none) t.equal(receiptOfTopUp({ ...topUp, ...given }), null, what);
});
