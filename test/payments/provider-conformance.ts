// What every payment provider must do.
import type { Test } from 'tap';
import type { CancelRequest, Charge, PaymentProvider, Proof } from '../../control-plane/payments/providers/provider.js';

export interface ProviderUnderTest {
  readonly provider: PaymentProvider;
  /** Another instance that knows what this one did: the program has been started again. */
  restarted(): PaymentProvider;
  /** Does the payer's part, and gives what the browser brings back. */
  payer(charge: Charge): Proof;
}

let orders = 0;

export const chargeOf = (given: Partial<Charge> = {}): Charge => ({
  orderNo: `RT-CONF${++orders}`,
  orderName: '1 × local, 24 h',
  amountWon: 10_000,
  method: 'card',
  returnUrl: 'https://cidermill.example/pay/RT-1',
  ...given,
});

export async function providerConformance(t: Test, open: (t: Test) => Promise<ProviderUnderTest>) {
  const { provider, payer, restarted } = await open(t);
  const paid = async (charge = chargeOf()) => {
    await provider.start(charge);
    const { answer } = await provider.confirm(charge, payer(charge));
    if (answer !== 'fetch') throw new Error(`the payment was not made: ${answer}`);
    return charge;
  };
  const cancel = (charge: Charge, given: Partial<CancelRequest> = {}) =>
    provider.cancel({
      orderNo: charge.orderNo,
      amountWon: null,
      reason: `for a test (${charge.orderNo})`,
      remaining: charge.amountWon,
      idempotencyKey: `conformance-${charge.orderNo}`,
      ...given,
    });

  await t.test('what was never begun is not known', async (t) => {
    const { orderNo } = chargeOf();
    t.match(await provider.lookup(orderNo), { state: 'none', id: orderNo, cancellations: [] });
  });

  await t.test('a payment that was begun and not made holds nothing', async (t) => {
    const charge = chargeOf();
    t.equal((await provider.start(charge)).paid, false);
    t.equal((await provider.start(charge)).paid, false, 'beginning again is harmless');
    t.ok(['none', 'ready'].includes((await provider.lookup(charge.orderNo)).state));
  });

  await t.test('a payment that was made says how much, when and how, and outlives a restart', async (t) => {
    const charge = await paid(chargeOf({ amountWon: 33_333 }));
    for (const at of [provider, restarted()]) {
      const found = await at.lookup(charge.orderNo);
      t.match(found, {
        state: 'paid',
        id: charge.orderNo,
        total: 33_333,
        currency: 'KRW',
        live: true,
        storeId: provider.storeId,
        txId: /./,
        method: /./,
        failureCode: null,
        cancellations: [],
      });
      t.type(found.paidAt, 'number');
    }
    t.equal((await provider.start(charge)).paid, true, 'beginning again tells that it is paid');
  });

  await t.test('confirming twice, one after the other or fifty at once, charges once', async (t) => {
    const charge = await paid();
    t.match(await provider.confirm(charge, payer(charge)), { answer: 'fetch' });
    const crowd = chargeOf();
    await provider.start(crowd);
    await Promise.all(Array.from({ length: 50 }, () => provider.confirm(crowd, payer(crowd))));
    for (const { orderNo } of [charge, crowd]) {
      t.match(await provider.lookup(orderNo), { state: 'paid', total: 10_000 });
    }
  });

  await t.test('a cancellation is done once, however often it is asked for', async (t) => {
    const charge = await paid();
    for (let i = 0; i < 3; i++) t.match(await cancel(charge), { answer: 'fetch' });
    const found = await restarted().lookup(charge.orderNo);
    t.equal(found.state, 'cancelled');
    t.match(found.cancellations, [
      { status: 'succeeded', amount: 10_000, reason: `for a test (${charge.orderNo})`, chargeback: false },
    ]);
    t.equal(found.cancellations.length, 1);
  });

  await t.test('parts add up to all of it, and not a won more', async (t) => {
    const charge = await paid();
    const part = (n: number, amountWon: number, remaining: number) =>
      cancel(charge, { amountWon, remaining, idempotencyKey: `conformance-${charge.orderNo}-${n}` });
    t.match(await part(1, 3_000, 10_000), { answer: 'fetch' });
    t.equal((await provider.lookup(charge.orderNo)).state, 'partially_cancelled');
    t.match(await part(2, 7_001, 7_000), { answer: 'refused', code: /./ }, 'beyond');
    t.match(await part(3, 1_000, 10_000), { answer: 'refused', code: /./ }, 'on a wrong belief');
    t.match(await part(4, 7_000, 7_000), { answer: 'fetch' });
    const found = await provider.lookup(charge.orderNo);
    t.equal(found.state, 'cancelled');
    t.same(
      found.cancellations.map(({ amount }) => amount),
      [3_000, 7_000],
    );
    t.match(await part(5, 1, 0), { answer: 'refused', code: /./ });
  });

  await t.test('nothing can be cancelled that was not paid', async (t) => {
    const charge = chargeOf();
    await provider.start(charge);
    t.match(await cancel(charge), { answer: 'refused', code: /./ });
  });

  await t.test('a webhook that nobody signed is refused', async (t) => {
    const body = Buffer.from('{"type":"Transaction.Paid","data":{"paymentId":"RT-CONF1"}}');
    t.match(provider.readWebhook(body, {}), { kind: 'refused', header: /^webhook-/ });
  });
}
