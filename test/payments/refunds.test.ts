// Money that goes back: asked for by an operator or by an order that cannot be served, or taken by a payer's bank.
// Runs in: soak
import t, { type Test } from 'tap';
import { findOrganization } from '../../control-plane/access/store/organizations.js';
import { createManualSettlements } from '../../control-plane/payments/app/manual-settlements.js';
import { carryOutCancellations, requestRefund } from '../../control-plane/payments/app/refunds.js';
import { findPayment } from '../../control-plane/payments/store/payments.js';
import { listUnsettled } from '../../control-plane/start/store/payment-list.js';
import type { FakePortone } from './fake-portone.js';
import { agreed, browser, DAY, MINUTE, type Rig, startPortoneRig, startRig } from './rig.js';
import { readCancellations, readLedger } from './rows.js';

async function paidOrder(rig: Rig, fake: FakePortone | null = null, amountWon = 10_000): Promise<string> {
  const { orderNo } = await rig.order(amountWon);
  await rig.payments.pay(rig.caller, orderNo, agreed);
  if (fake) await rig.payments.confirm(rig.caller, orderNo, browser(fake.token(orderNo)));
  return orderNo;
}

const refund = (rig: Rig, orderNo: string, amountWon = 10_000, reason = 'no_capacity') =>
  rig.store.transaction((tx) =>
    requestRefund(tx, rig.deps, { orderNo, accountId: rig.caller.account.id, amountWon, reason }),
  );

const summary = async (rig: Rig, orderNo: string) =>
  (await readCancellations(rig.store, orderNo)).map(({ status, lastError }) => `${status} ${lastError ?? ''}`.trim());

const told = async (rig: Rig, fake: FakePortone, orderNo: string) => {
  await rig.tell(fake.webhook('Transaction.PartialCancelled', orderNo));
  await rig.work();
};

for (const provider of ['sandbox', 'approval'] as const) {
  t.test(`${provider}: a refund is carried out at once`, async (t) => {
    const rig = await startRig(t, { provider });
    const orderNo = await paidOrder(rig);
    await refund(rig, orderNo);
    await rig.work();
    t.same(await summary(rig, orderNo), ['succeeded']);
    t.match(await findPayment(rig.store, orderNo), { status: 'cancelled', cancelledWon: 10_000 });
    t.same(
      (await readLedger(rig.store, orderNo)).map(({ amountWon }) => amountWon),
      provider === 'sandbox' ? [10_000, -10_000] : [],
    );
    await rig.checkMoney(t);
  });
}

t.test('no money moves for a refund that a power loss may still undo', async (t) => {
  const rig = await startRig(t, { provider: 'sandbox' });
  const orderNo = await paidOrder(rig);
  await refund(rig, orderNo);
  const unsure = { ...rig.store, durable: () => Promise.reject(new Error('the disk is slow')) };
  await t.rejects(carryOutCancellations({ ...rig.deps, store: unsure }), /slow/);
  t.match(await findPayment(rig.store, orderNo), { status: 'paid' });
  await rig.work();
  t.same(await summary(rig, orderNo), ['succeeded']);
});

t.test('a refund that is written in a transaction that fails was never asked for', async (t) => {
  const rig = await startRig(t, { provider: 'sandbox' });
  const orderNo = await paidOrder(rig);
  const failing = rig.store.transaction(async (tx) => {
    await requestRefund(tx, rig.deps, { orderNo, accountId: 1, amountWon: 10_000, reason: 'no_capacity' });
    throw new Error('on purpose');
  });
  await t.rejects(failing, /on purpose/);
  await rig.work();
  t.same(await summary(rig, orderNo), []);
  await rig.checkMoney(t);
});

t.test('PortOne: the money is refunded once, for any fate of the request', async (t) => {
  const faults = [
    ['nothing', null],
    ['the connection is cut after it was done', { kind: 'cut_after' }],
    ['the connection is cut before', { kind: 'cut_before' }],
    ['no answer comes after it was done', { kind: 'hang_after' }],
    ['no answer comes', { kind: 'hang' }],
    ['500', { kind: 'answer', status: 500, body: { type: 'INTERNAL' } }],
    ['429', { kind: 'answer', status: 429, body: { type: 'TOO_MANY_REQUESTS' } }],
    ['nobody there knows our secret for a while', { kind: 'answer', status: 401, body: { type: 'UNAUTHORIZED' } }],
    ['the bank refuses once', { kind: 'answer', status: 502, body: { type: 'PG_PROVIDER', pgCode: 'BUSY' } }],
    ['half an answer', { kind: 'alter', alter: () => '{"cancellation":' }],
  ] as const;
  for (const [name, fault] of faults) {
    await t.test(name, async (t) => {
      const { rig, fake, settings } = await startPortoneRig(t);
      const orderNo = await paidOrder(rig, fake);
      await refund(rig, orderNo);
      if (fault) fake.next('cancel', fault);
      // A short wait only for the request that gets no answer: any other may take longer on a busy machine.
      if (fault?.kind === 'hang' || fault?.kind === 'hang_after') {
        rig.restart({ ...settings, limits: { payment_timeout_ms: 500 } });
        await rig.pass(MINUTE);
        rig.restart(settings);
      }
      await rig.pass(5 * MINUTE);
      t.same(await summary(rig, orderNo), ['succeeded']);
      t.equal(fake.get(orderNo).cancellations.length, 1);
      t.match(await findPayment(rig.store, orderNo), { status: 'cancelled', cancelledWon: 10_000 });
      await rig.checkMoney(t);
    });
  }
  await t.test('the fetches around it fail', async (t) => {
    const { rig, fake } = await startPortoneRig(t);
    const orderNo = await paidOrder(rig, fake);
    await refund(rig, orderNo);
    fake.next('lookup', { kind: 'cut_before' }, { kind: 'meanwhile' }, { kind: 'answer', status: 500, body: 'x' });
    await rig.pass(5 * MINUTE);
    t.same(await summary(rig, orderNo), ['succeeded']);
    t.equal(fake.get(orderNo).cancellations.length, 1);
    await rig.checkMoney(t);
  });
  await t.test('the answer is lost for longer than a provider remembers its keys', async (t) => {
    const { rig, fake } = await startPortoneRig(t);
    const orderNo = await paidOrder(rig, fake);
    await refund(rig, orderNo, 4_000);
    fake.next('cancel', { kind: 'cut_after' });
    fake.next('lookup', { kind: 'meanwhile' }, ...Array.from({ length: 14 }, () => ({ kind: 'cut_before' as const })));
    await rig.pass(4 * MINUTE);
    t.same(await summary(rig, orderNo), ['open no_certain_answer']);
    fake.forgetKeys();
    await rig.pass(12 * 60 * MINUTE, 10 * MINUTE);
    t.same(await summary(rig, orderNo), ['succeeded']);
    t.equal(fake.held(), 6_000);
    await rig.checkMoney(t);
  });
});

t.test('PortOne: a refund that is decided later', async (t) => {
  const { rig, fake } = await startPortoneRig(t);
  const orderNo = await paidOrder(rig, fake);
  fake.cancelLater();
  await refund(rig, orderNo);
  await rig.pass(10 * MINUTE);
  t.same(await summary(rig, orderNo), ['open']);
  t.equal((await findPayment(rig.store, orderNo))?.status, 'paid', 'nothing has gone back yet');
  t.same((await readLedger(rig.store, orderNo)).length, 1);
  await rig.checkMoney(t);
  fake.decideCancellations(orderNo, 'FAILED');
  await rig.pass(30 * MINUTE);
  t.equal(fake.get(orderNo).cancellations.length, 2, 'it is asked for anew');
  fake.decideCancellations(orderNo, 'SUCCEEDED');
  await rig.tell(fake.webhook('Transaction.Cancelled', orderNo));
  await rig.work();
  t.same(await summary(rig, orderNo), ['succeeded'], 'as soon as PortOne says so');
  await rig.checkMoney(t);
});

t.test('PortOne: a refund that is refused again and again is left to a person', async (t) => {
  const { rig, fake } = await startPortoneRig(t);
  const orderNo = await paidOrder(rig, fake);
  await refund(rig, orderNo);
  const refusal = { kind: 'answer' as const, status: 502, body: { type: 'PG_PROVIDER', pgCode: 'NO_FUNDS' } };
  fake.next('cancel', ...Array.from({ length: 5 }, () => refusal));
  await rig.pass(30 * MINUTE);
  t.same(await summary(rig, orderNo), ['failed NO_FUNDS']);
  t.equal(fake.count('cancel'), 5);
  const settlements = createManualSettlements(rig.deps);
  t.match(await settlements.open(), [{ kind: 'refused', orderNo, amountWon: 10_000 }]);
  fake.takeBack(orderNo, 'CONSOLE');
  await told(rig, fake, orderNo);
  t.same(await settlements.open(), [], 'the person has done it in the console of PortOne');
  t.match(await settlements.all(), [{ orderNo, settledBy: null, note: null }]);
  await rig.checkMoney(t);
});

t.test('PortOne: parts, and never more than there is', async (t) => {
  const { rig, fake } = await startPortoneRig(t);
  const orderNo = await paidOrder(rig, fake);
  for (const amount of [3_000, 3_000, 3_000]) await refund(rig, orderNo, amount);
  await rig.pass(MINUTE);
  t.equal(fake.held(), 1_000);
  t.match(await findPayment(rig.store, orderNo), { status: 'paid', cancelledWon: 9_000 });
  await rig.checkMoney(t);
  await refund(rig, orderNo, 5_000);
  await refund(rig, orderNo, 5_000);
  await rig.pass(5 * MINUTE);
  t.equal(fake.held(), 0);
  t.same((await summary(rig, orderNo)).sort(), [
    'succeeded',
    'succeeded',
    'succeeded',
    'succeeded',
    'void nothing_left',
  ]);
  t.equal((await findPayment(rig.store, orderNo))?.status, 'cancelled');
  await rig.checkMoney(t);
});

t.test('PortOne: what others take back is found, and a bank’s chargeback blocks the account’s payments', async (t) => {
  const { rig, fake } = await startPortoneRig(t);
  const orderNo = await paidOrder(rig, fake);
  fake.takeBack(orderNo, 'CONSOLE', 2_500);
  await told(rig, fake, orderNo);
  t.match(await findPayment(rig.store, orderNo), { status: 'paid', cancelledWon: 2_500 });
  await rig.checkMoney(t);
  const blocked = async () => (await findOrganization(rig.store, 'org_rig'))?.paymentsBlocked;
  t.equal(await blocked(), false);
  fake.takeBack(orderNo, 'CHARGEBACK');
  await told(rig, fake, orderNo);
  t.equal(await blocked(), true);
  t.match(await readLedger(rig.store, orderNo), [{}, { kind: 'refund' }, { kind: 'chargeback', amountWon: -7_500 }]);
  t.match(await findPayment(rig.store, orderNo), { status: 'cancelled', cancelledWon: 10_000 });
  t.ok(await rig.store.get("SELECT 1 FROM notices WHERE kind = 'payments_blocked'"));
  await rig.checkMoney(t);
  // The operator has looked into it; seeing the same chargeback again does not block again.
  await rig.store.run('UPDATE organizations SET payments_blocked = 0');
  await told(rig, fake, orderNo);
  t.equal(await blocked(), false);
  await refund(rig, orderNo);
  await rig.pass(MINUTE);
  t.same(await summary(rig, orderNo), ['void nothing_left'], 'there is nothing left to refund');
  await rig.checkMoney(t);
});

const moves = async (rig: Rig, orderNo: string) =>
  (await readLedger(rig.store, orderNo)).map(({ kind, amountWon }) => `${kind} ${amountWon}`);

t.test('PortOne: a chargeback while a refund is in progress', async (t) => {
  const cases = [
    ['of all', undefined, ['payment 10000', 'chargeback -10000'], 'void nothing_left'],
    ['of a part', 1, ['payment 10000', 'chargeback -1', 'refund -9999'], 'succeeded'],
  ] as const;
  const { rig, fake } = await startPortoneRig(t);
  for (const [name, taken, ledger, ends] of cases) {
    for (const decided of ['SUCCEEDED', 'FAILED'] as const) {
      // Whether the service reads the payment between the chargeback and the decision.
      for (const isSeen of [true, false]) {
        const say = `${name}, then ${decided}, ${isSeen ? 'seen between' : 'seen together'}`;
        const orderNo = await paidOrder(rig, fake);
        fake.cancelLater();
        await refund(rig, orderNo);
        await rig.work();
        fake.takeBack(orderNo, 'CHARGEBACK', taken);
        if (isSeen) {
          await told(rig, fake, orderNo);
          const state = { status: taken ? 'paid' : 'cancelled', cancelledWon: taken ?? 10_000 };
          t.match(await findPayment(rig.store, orderNo), state, say);
          t.same(await summary(rig, orderNo), ['open'], `${say}: the provider has not decided`);
        }
        fake.cancelLater(false);
        fake.decideCancellations(orderNo, decided);
        await told(rig, fake, orderNo);
        await rig.pass(MINUTE, MINUTE / 2);
        t.same(await moves(rig, orderNo), ledger, say);
        t.same(await summary(rig, orderNo), [ends], say);
        t.match(await findPayment(rig.store, orderNo), { status: 'cancelled', cancelledWon: 10_000 }, say);
        await rig.checkMoney(t);
      }
    }
  }
});

t.test('PortOne: a chargeback after the provider has decided about a refund', async (t) => {
  const cases = [
    ['SUCCEEDED', undefined, ['payment 10000', 'refund -10000'], 'succeeded'],
    ['FAILED', undefined, ['payment 10000', 'chargeback -10000'], 'void nothing_left'],
    ['FAILED', 1, ['payment 10000', 'chargeback -1', 'refund -9999'], 'succeeded'],
  ] as const;
  const { rig, fake } = await startPortoneRig(t);
  for (const [decided, taken, ledger, ends] of cases) {
    const say = `${decided}, then ${taken ?? 'all'} taken back`;
    const orderNo = await paidOrder(rig, fake);
    fake.cancelLater();
    await refund(rig, orderNo);
    await rig.work();
    fake.cancelLater(false);
    fake.decideCancellations(orderNo, decided);
    fake.takeBack(orderNo, 'CHARGEBACK', taken);
    await told(rig, fake, orderNo);
    await rig.pass(MINUTE, MINUTE / 2);
    t.same(await moves(rig, orderNo), ledger, say);
    t.same(await summary(rig, orderNo), [ends], say);
    t.match(await findPayment(rig.store, orderNo), { status: 'cancelled', cancelledWon: 10_000 }, say);
    await rig.checkMoney(t);
  }
});

t.test('PortOne: more was returned than was charged', async (t) => {
  const { rig, fake } = await startPortoneRig(t);
  // PortOne's name for this state is not documented.
  for (const status of ['CANCELLED', 'PARTIAL_CANCELLED']) {
    rig.logged.length = 0;
    const orderNo = await paidOrder(rig, fake);
    fake.cancelLater();
    await refund(rig, orderNo);
    await rig.work();
    fake.takeBack(orderNo, 'CHARGEBACK', 1);
    // The whole refund still succeeds.
    for (const cancellation of fake.get(orderNo).cancellations) cancellation.status = 'SUCCEEDED';
    fake.set(orderNo, { status });
    await told(rig, fake, orderNo);
    t.same(await summary(rig, orderNo), ['succeeded'], status);
    t.match(await findPayment(rig.store, orderNo), { status: 'cancelled', cancelledWon: 10_001 }, status);
    t.same((await moves(rig, orderNo)).sort(), ['chargeback -1', 'payment 10000', 'refund -10000']);
    const error = {
      level: 50,
      order: orderNo,
      charged_won: 10_000,
      returned_won: 10_001,
      msg: /^more was ret/,
    };
    t.match(rig.logged, [error], 'the operator is told');
    await told(rig, fake, orderNo);
    t.equal(rig.logged.length, 1, 'once');
    const [listed] = await listUnsettled(rig.store, { before: null, limit: 10 });
    t.match(listed, { kind: 'payment', orderNo, status: 'over_returned', returnedWon: 10_001 });
    const settlements = createManualSettlements(rig.deps);
    t.match(await settlements.open(), [{ id: orderNo, kind: 'over_returned', amountWon: 1 }]);
    await settlements.settle(orderNo, 'ada', 'sent back by the bank');
    t.same(await listUnsettled(rig.store, { before: null, limit: 10 }), []);
    await t.rejects(settlements.settle(orderNo, 'ada', 'again'), { code: 'order_not_found' });
    await told(rig, fake, orderNo);
    t.same(await settlements.open(), [], 'what was settled stays settled');
    fake.get(orderNo).cancellations.push({
      id: `more-${orderNo}`,
      status: 'SUCCEEDED',
      totalAmount: 2,
      reason: '',
      trigger: 'CHARGEBACK',
    });
    await told(rig, fake, orderNo);
    t.match(await settlements.open(), [{ id: orderNo, amountWon: 3, note: null }], 'until more goes back');
    await settlements.settle(orderNo, 'ada', 'once more');
    await rig.checkMoney(t);
  }
});

t.test('PortOne: more was returned than was charged, before the service had read the payment', async (t) => {
  const { rig, fake } = await startPortoneRig(t, { manualConfirm: false });
  const { orderNo } = await rig.order();
  await rig.payments.pay(rig.caller, orderNo, agreed);
  fake.charge(orderNo);
  fake.takeBack(orderNo, 'CONSOLE');
  fake.get(orderNo).cancellations.push({
    id: 'twice',
    status: 'SUCCEEDED',
    totalAmount: 10_000,
    reason: '',
    trigger: 'CHARGEBACK',
  });
  fake.set(orderNo, { status: 'PARTIAL_CANCELLED' });
  await rig.pass(2 * MINUTE);
  t.equal(await rig.see(orderNo), 'canceled cancelled');
  t.same(await summary(rig, orderNo), [], 'nothing more is asked for');
  t.match(rig.logged, [{ level: 50, order: orderNo, returned_won: 20_000 }]);
  await rig.checkMoney(t);
});

t.test('PortOne: money that cannot stay goes back, also when a refund in the console fails', async (t) => {
  const { rig, fake } = await startPortoneRig(t, { manualConfirm: false });
  for (const [amount, state] of [
    [10_000, 'canceled late'],
    [10_001, 'canceled failed'],
  ] as const) {
    const { orderNo } = await rig.order();
    await rig.payments.pay(rig.caller, orderNo, agreed);
    await rig.payments.cancel(rig.caller, orderNo);
    const payment = fake.charge(orderNo, { total: amount }, true);
    payment.cancellations.push({
      id: 'by-hand',
      status: 'REQUESTED',
      totalAmount: amount,
      reason: '',
      trigger: 'CONSOLE',
    });
    await told(rig, fake, orderNo);
    t.equal(await rig.see(orderNo), state);
    fake.decideCancellations(orderNo, 'FAILED');
    await rig.pass(10 * MINUTE);
    t.equal(fake.held(), 0, state);
    t.same(await summary(rig, orderNo), ['succeeded']);
    await rig.checkMoney(t);
  }
});

t.test('PortOne: a refund waits until a part that is in progress in the console is decided', async (t) => {
  const { rig, fake } = await startPortoneRig(t);
  for (const [decided, ours] of [
    ['SUCCEEDED', -6_000],
    ['FAILED', -10_000],
  ] as const) {
    const orderNo = await paidOrder(rig, fake);
    fake.cancelLater();
    fake.takeBack(orderNo, 'CONSOLE', 4_000);
    fake.cancelLater(false);
    await refund(rig, orderNo);
    await rig.work();
    t.same(await summary(rig, orderNo), ['open'], decided);
    fake.decideCancellations(orderNo, decided);
    await told(rig, fake, orderNo);
    t.same(await summary(rig, orderNo), ['succeeded'], decided);
    t.equal((await readLedger(rig.store, orderNo)).at(-1)?.amountWon, ours);
    t.match(await findPayment(rig.store, orderNo), { status: 'cancelled', cancelledWon: 10_000 });
    t.equal(fake.held(), 0);
    await rig.checkMoney(t);
  }
});

t.test('PortOne: a refund meets a cancellation in PortOne’s console', async (t) => {
  const { rig, fake } = await startPortoneRig(t);
  const orderNo = await paidOrder(rig, fake);
  await refund(rig, orderNo);
  // Between the service's check and its request.
  fake.next('lookup', { kind: 'meanwhile', after: () => void fake.takeBack(orderNo, 'CONSOLE', 4_000) });
  await rig.pass(5 * MINUTE);
  t.same(await summary(rig, orderNo), ['succeeded']);
  t.equal(fake.held(), 0, 'the rest has followed');
  await rig.checkMoney(t);
});

t.test('PortOne: money that went before anybody had seen that it came', async (t) => {
  const cases = [
    [undefined, 'canceled cancelled', 'void nothing_left'],
    [4_000, 'canceled failed', 'succeeded'],
  ] as const;
  for (const [amount, state] of cases) {
    const { rig, fake } = await startPortoneRig(t, { manualConfirm: false });
    const { orderNo } = await rig.order();
    await rig.payments.pay(rig.caller, orderNo, agreed);
    fake.charge(orderNo);
    fake.takeBack(orderNo, 'CONSOLE', amount);
    await rig.pass(10 * MINUTE);
    t.equal(await rig.see(orderNo), state);
    t.equal(fake.held(), 0);
    await checkRefused(t, rig, orderNo);
    await rig.checkMoney(t);
  }
});

async function checkRefused(t: Test, rig: Rig, orderNo: string) {
  await t.rejects(rig.payments.pay(rig.caller, orderNo, agreed), { name: 'ApiError' }, 'it cannot be paid again');
}

t.test('a refund without its provider waits, and says so', async (t) => {
  const { rig, fake, settings } = await startPortoneRig(t);
  const orderNo = await paidOrder(rig, fake);
  rig.restart({ provider: 'approval' });
  await refund(rig, orderNo);
  await rig.pass(DAY, 60 * MINUTE);
  t.same(await summary(rig, orderNo), ['open provider_not_set_up']);
  rig.restart(settings);
  await rig.pass(60 * MINUTE);
  t.same(await summary(rig, orderNo), ['succeeded']);
  await rig.checkMoney(t);
});
