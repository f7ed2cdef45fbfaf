// A person pays: at providers of our own, and at PortOne, whatever goes wrong there. After every scenario what came
// less what went back is what the ledger says and what the provider holds.
import t, { type Test } from 'tap';
import { findPayment } from '../../control-plane/payments/store/payments.js';
import { ApiError } from '../../control-plane/platform/domain/error-catalog.js';
import { agreed, browser, DAY, MINUTE, type Rig, START, startPortoneRig, startRig } from './rig.js';
import { readCancellations, readConsents, readLedger } from './rows.js';

const code = (wanted: string) => (error: unknown) => error instanceof ApiError && error.code === wanted;

async function refuses(t: Test, work: Promise<unknown>, wanted: string, name = wanted) {
  try {
    await work;
    t.fail(`${name}: was not refused`);
  } catch (error) {
    t.ok(code(wanted)(error), `${name}: ${error instanceof ApiError ? error.code : String(error)}`);
  }
}

const pay = (rig: Rig, orderNo: string, given: Partial<typeof agreed> = {}) =>
  rig.payments.pay(rig.caller, orderNo, { ...agreed, ...given });
const confirm = (rig: Rig, orderNo: string, token: string | null = null) =>
  rig.payments.confirm(rig.caller, orderNo, browser(token));

/** An order whose payment has begun at PortOne. */
async function begun(...given: Parameters<typeof startPortoneRig>) {
  const portone = await startPortoneRig(...given);
  const { orderNo } = await portone.rig.order();
  await pay(portone.rig, orderNo);
  return { ...portone, orderNo };
}

t.test('sandbox: consent, then paid', async (t) => {
  const rig = await startRig(t, { provider: 'sandbox' });
  const { orderNo } = await rig.order(30_000);
  t.equal(await rig.see(orderNo), 'awaiting_payment unpaid');
  for (const given of [{ terms: false }, { withdrawal: false }, { textVersion: 'an older one' }]) {
    await refuses(t, pay(rig, orderNo, given), 'consent_required', JSON.stringify(given));
  }
  await refuses(t, confirm(rig, orderNo), 'consent_required', 'confirming without having agreed');
  t.equal(await rig.see(orderNo), 'awaiting_payment unpaid', 'nothing has begun');

  const { order, payment, checkout } = await pay(rig, orderNo, { method: 'transfer' });
  t.equal(order.status, 'paid');
  t.match(payment, {
    status: 'paid',
    provider: 'sandbox',
    amountWon: 30_000,
    txId: /./,
    method: 'transfer',
    failureCode: null,
    paidAt: START,
    cancelledWon: 0,
    fetchAt: null,
  });
  t.equal(checkout, null);
  const [consent, ...others] = await readConsents(rig.store, orderNo);
  t.same(others, []);
  t.match(consent, {
    userId: 'user_rig',
    ip: '192.0.2.7',
    at: START,
    textVersion: /./,
    textSha256: /^[0-9a-f]{64}$/,
  });
  t.match(await readLedger(rig.store, orderNo), [{ kind: 'payment', amountWon: 30_000 }]);
  await refuses(t, pay(rig, orderNo), 'order_not_payable');
  t.equal((await confirm(rig, orderNo)).payment?.status, 'paid', 'confirming again is harmless');
  await refuses(t, rig.payments.cancel(rig.caller, orderNo), 'order_not_payable');
  await rig.checkMoney(t);
});

t.test('sandbox: declined and abandoned leave the order payable', async (t) => {
  const rig = await startRig(t, { provider: 'sandbox' });
  const { orderNo } = await rig.order();
  const declined = await pay(rig, orderNo, { outcome: 'declined' });
  t.equal(declined.order.status, 'awaiting_payment');
  t.match(declined.payment, { status: 'pending', failureCode: 'card_declined', paidAt: null });
  const abandoned = await pay(rig, orderNo, { outcome: 'abandoned' });
  t.match(abandoned, { order: { status: 'awaiting_payment' }, payment: { status: 'pending' } });
  await rig.checkMoney(t);
  const paid = await rig.payments.confirm(rig.caller, orderNo, browser());
  t.match(paid, { order: { status: 'paid' }, payment: { status: 'paid', failureCode: null } });
  t.equal((await readConsents(rig.store, orderNo)).length, 1, 'one agreement per person and moment');
  await rig.checkMoney(t);
});

t.test('sandbox: fifty at once pay once', async (t) => {
  const rig = await startRig(t, { provider: 'sandbox' });
  const { orderNo } = await rig.order();
  const answers = await Promise.allSettled(Array.from({ length: 50 }, () => pay(rig, orderNo)));
  t.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1);
  for (const answer of answers) {
    if (answer.status === 'rejected') t.ok(code('order_not_payable')(answer.reason));
  }
  await rig.checkMoney(t);
});

t.test('approval: agreeing is paying, and nothing is entered into the ledger', async (t) => {
  const rig = await startRig(t, { provider: 'approval' });
  const { orderNo } = await rig.order();
  await refuses(t, pay(rig, orderNo, { terms: false }), 'consent_required');
  t.match(await pay(rig, orderNo, { outcome: 'declined' }), {
    order: { status: 'paid' },
    payment: { status: 'paid', method: 'approval', amountWon: 10_000 },
  });
  t.same(await readLedger(rig.store, orderNo), []);
  await rig.checkMoney(t);
});

t.test('an order of nothing needs no provider, only consent', async (t) => {
  const { rig, fake } = await startPortoneRig(t);
  const { orderNo } = await rig.order(0);
  await refuses(t, pay(rig, orderNo, { withdrawal: false }), 'consent_required');
  t.match(await pay(rig, orderNo), {
    order: { status: 'paid' },
    payment: { provider: 'approval', amountWon: 0 },
  });
  t.equal(fake.requests.length, 0);
  await rig.checkMoney(t);
});

t.test('an order that cannot be paid', async (t) => {
  const rig = await startRig(t, { provider: 'sandbox' });
  await refuses(t, rig.payments.read(rig.caller, 'RT-NONE'), 'not_found');
  const { orderNo: foreign } = await rig.order();
  const stranger = { ...rig.caller, account: { ...rig.caller.account, id: 99 } };
  await refuses(t, rig.payments.pay(stranger, foreign, agreed), 'not_found', 'another account’s');
  const blocked = { ...rig.caller, account: { ...rig.caller.account, paymentsBlocked: true } };
  await refuses(t, rig.payments.pay(blocked, foreign, agreed), 'account_blocked');

  const { orderNo: canceled } = await rig.order();
  t.equal((await rig.payments.cancel(rig.caller, canceled)).order.status, 'canceled');
  for (const work of [pay(rig, canceled), confirm(rig, canceled), rig.payments.cancel(rig.caller, canceled)]) {
    await refuses(t, work, 'order_not_payable', 'canceled');
  }
  const { orderNo: expired } = await rig.order();
  await rig.clock.advance(30 * MINUTE);
  for (const moment of ['the link is over', 'it has expired']) {
    await refuses(t, pay(rig, expired), 'order_expired', moment);
    await refuses(t, confirm(rig, expired), 'order_expired', moment);
    await refuses(t, rig.payments.cancel(rig.caller, expired), 'order_expired', moment);
    await rig.expire(expired);
  }
  await rig.checkMoney(t);
});

t.test('a payment that was begun under another provider', async (t) => {
  const rig = await startRig(t, { provider: 'sandbox' });
  const { orderNo } = await rig.order();
  await pay(rig, orderNo, { outcome: 'abandoned' });
  rig.restart({ provider: 'approval' });
  await refuses(t, confirm(rig, orderNo), 'consent_required', 'the sandbox takes nothing any more');
  t.match(await pay(rig, orderNo), { payment: { status: 'paid', provider: 'approval' } });
  await rig.checkMoney(t);
});

t.test('PortOne: the browser gets what it needs, its token is confirmed', async (t) => {
  const { rig, fake } = await startPortoneRig(t);
  const { orderNo } = await rig.order(22_000);
  const begun = await pay(rig, orderNo);
  t.match(begun, {
    order: { status: 'awaiting_payment' },
    payment: { status: 'pending', provider: 'portone' },
    checkout: {
      manualConfirm: true,
      request: {
        paymentId: orderNo,
        totalAmount: 22_000,
        redirectUrl: `https://cidermill.example/pay/${orderNo}`,
      },
    },
  });
  t.match(await pay(rig, orderNo), { checkout: { manualConfirm: true } }, 'a second window may be opened');
  t.throws(() => fake.charge(orderNo, { total: 1 }), /AmountNotEqualToPredefined/, 'PortOne knows the amount');
  t.match(
    await confirm(rig, orderNo, null),
    { payment: { status: 'pending', failureCode: null } },
    'the window was closed',
  );
  const paid = await confirm(rig, orderNo, fake.token(orderNo));
  t.match(paid, {
    order: { status: 'paid' },
    payment: { status: 'paid', method: 'card', receiptUrl: /^https:/, txId: fake.get(orderNo).transactionId },
  });
  t.match(await confirm(rig, orderNo, 'whatever'), { payment: { status: 'paid' } });
  t.equal(fake.count('confirm'), 1, 'PortOne was asked once');
  await rig.checkMoney(t);
});

t.test('PortOne: fifty confirmations at once, two windows, one payment', async (t) => {
  const { rig, fake } = await startPortoneRig(t);
  const { orderNo } = await rig.order();
  await Promise.all([pay(rig, orderNo), pay(rig, orderNo)]);
  const tokens = [fake.token(orderNo), fake.token(orderNo)];
  const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => confirm(rig, orderNo, tokens[i % 2] ?? null)));
  for (const { payment } of answers) if (payment?.status !== 'paid') t.fail(`one is ${payment?.status}`);
  t.equal((await readLedger(rig.store, orderNo)).length, 1);
  await rig.checkMoney(t);
});

t.test('PortOne: two control planes at once charge once', async (t) => {
  const { rig, fake, settings, orderNo } = await begun(t);
  const first = rig.payments;
  rig.restart(settings);
  const tokens = [fake.token(orderNo), fake.token(orderNo)];
  await Promise.all([
    first.confirm(rig.caller, orderNo, browser(tokens[0])),
    rig.payments.confirm(rig.caller, orderNo, browser(tokens[1])),
  ]);
  await rig.pass(2 * MINUTE);
  t.equal(await rig.see(orderNo), 'paid paid');
  await rig.checkMoney(t);
});

t.test('PortOne: a token for another amount charges nothing', async (t) => {
  const { rig, fake, orderNo } = await begun(t);
  for (const total of [1, 9_999, 10_001]) {
    await refuses(t, confirm(rig, orderNo, fake.token(orderNo, { total })), 'payment_mismatch', `${total}`);
  }
  t.equal(fake.held(), 0);
  t.match(await findPayment(rig.store, orderNo), { status: 'pending', failureCode: 'payment_mismatch' });
  t.match(await confirm(rig, orderNo, fake.token(orderNo)), {
    payment: { status: 'paid', failureCode: null },
  });
  await rig.checkMoney(t);
});

t.test('PortOne: a wrong charge is refunded in full', async (t) => {
  const wrong = [{ total: 1 }, { total: 10_001 }, { currency: 'USD' }, { channel: 'TEST' as const }];
  for (const given of wrong) {
    await t.test(JSON.stringify(given), async (t) => {
      const { rig, fake, orderNo } = await begun(t, { manualConfirm: false });
      fake.charge(orderNo, given, true);
      await refuses(t, confirm(rig, orderNo), 'payment_mismatch');
      t.equal(await rig.see(orderNo), 'canceled failed', 'it holds no slot any more');
      t.match(await rig.payments.read(rig.caller, orderNo), { order: { endReason: 'payment_failed' } });
      await refuses(t, pay(rig, orderNo), 'order_not_payable', 'the payment id is used up');
      await rig.pass(5 * MINUTE);
      t.equal(fake.get(orderNo).status, 'CANCELLED');
      t.match(await readCancellations(rig.store, orderNo), [{ status: 'succeeded', reason: 'payment_mismatch' }]);
      t.ok(await rig.store.get("SELECT 1 FROM notices WHERE kind = 'payment_returned'"), 'the account is told');
      await rig.checkMoney(t);
    });
  }
  await t.test('a discount that somebody else pays is no mismatch', async (t) => {
    const { rig, fake, orderNo } = await begun(t, { manualConfirm: false });
    fake.charge(orderNo, { paid: 9_000 });
    t.match(await confirm(rig, orderNo), { payment: { status: 'paid' } });
    await rig.checkMoney(t);
  });
  await t.test('a test channel, where it is allowed', async (t) => {
    const { rig, fake, orderNo } = await begun(t, { manualConfirm: false, testAllowed: true });
    fake.charge(orderNo, { channel: 'TEST' });
    t.match(await confirm(rig, orderNo), { payment: { status: 'paid' } });
  });
});

t.test('PortOne: an answer about another payment or store says nothing about ours', async (t) => {
  for (const given of [{ id: 'RT-OTHER' }, { storeId: 'store-other' }]) {
    const { rig, fake, orderNo } = await begun(t, { manualConfirm: false });
    fake.charge(orderNo);
    fake.next('lookup', { kind: 'alter', alter: (body) => ({ ...body, ...given }) });
    await refuses(t, confirm(rig, orderNo), 'payment_mismatch', JSON.stringify(given));
    t.equal(await rig.see(orderNo), 'awaiting_payment pending');
    t.equal(fake.held(), 10_000, 'nothing is cancelled that may not be ours');
    await rig.pass(MINUTE);
    t.equal(await rig.see(orderNo), 'paid paid', 'the true answer comes through');
    await rig.checkMoney(t);
  }
});

t.test('PortOne: declined, then paid under the same payment id', async (t) => {
  const { rig, fake, orderNo } = await begun(t);
  const declined = await confirm(rig, orderNo, fake.token(orderNo, { declined: 'REJECT_CARD_COMPANY' }));
  t.match(declined, {
    order: { status: 'awaiting_payment' },
    payment: { status: 'pending', failureCode: 'REJECT_CARD_COMPANY' },
  });
  await pay(rig, orderNo);
  t.match(await confirm(rig, orderNo, fake.token(orderNo)), {
    payment: { status: 'paid', failureCode: null },
  });
  await rig.checkMoney(t);

  const { orderNo: second } = await rig.order();
  await pay(rig, second);
  fake.decline(second, 'LIMIT');
  await rig.pass(2 * MINUTE);
  t.match(await findPayment(rig.store, second), { status: 'pending', failureCode: 'LIMIT' });
  fake.charge(second);
  await rig.pass(2 * MINUTE);
  t.equal(await rig.see(second), 'paid paid', 'found without browser or webhook');
  await rig.checkMoney(t);
});

t.test('PortOne: one payment results, for any fate of the answer', async (t) => {
  const faults = [
    ['the connection is cut after the charge', { kind: 'cut_after' }, true],
    ['no answer comes after the charge', { kind: 'hang_after' }, true],
    ['the connection is cut before the charge', { kind: 'cut_before' }, false],
    ['no answer comes and nothing is charged', { kind: 'hang' }, false],
    ['500', { kind: 'answer', status: 500, body: { type: 'INTERNAL' } }, false],
    ['503 from a proxy', { kind: 'answer', status: 503, body: '<html>' }, false],
    ['half an answer', { kind: 'alter', alter: () => '{"pgTxId":' }, true],
    [
      'the same request is still at work',
      { kind: 'answer', status: 409, body: { type: 'IDEMPOTENCY_OUTSTANDING_REQUEST' } },
      false,
    ],
  ] as const;
  for (const [name, fault, charged] of faults) {
    await t.test(name, async (t) => {
      const { rig, fake, settings, orderNo } = await begun(t, { limits: { payment_timeout_ms: 20_000 } });
      const token = fake.token(orderNo);
      fake.next('confirm', fault);
      // A short wait only where no answer comes: any other request may take longer on a busy machine.
      const silent = fault.kind === 'hang' || fault.kind === 'hang_after';
      if (silent) rig.restart({ ...settings, limits: { payment_timeout_ms: 3_000 } });
      const { payment } = await confirm(rig, orderNo, token);
      rig.restart(settings);
      t.equal(fake.held(), charged ? 10_000 : 0);
      t.equal(payment?.status, charged ? 'paid' : 'confirming');
      await rig.pass(MINUTE, 10_000);
      t.equal(await rig.see(orderNo), charged ? 'paid paid' : 'awaiting_payment pending');
      await rig.checkMoney(t);
      await confirm(rig, orderNo, token);
      t.equal(await rig.see(orderNo), 'paid paid', 'the person can go on');
      t.equal(fake.held(), 10_000);
      await rig.checkMoney(t);
    });
  }
  await t.test('the fetch after it fails too', async (t) => {
    const { rig, fake, orderNo } = await begun(t);
    fake.next('confirm', { kind: 'cut_after' });
    fake.next('lookup', { kind: 'cut_before' }, { kind: 'answer', status: 429, body: { type: 'BUSY' } });
    const { payment } = await confirm(rig, orderNo, fake.token(orderNo));
    t.equal(payment?.status, 'confirming');
    await refuses(t, rig.payments.cancel(rig.caller, orderNo), 'order_not_payable', 'a payment is under way');
    await rig.pass(MINUTE, 5_000);
    t.equal(await rig.see(orderNo), 'paid paid');
    await rig.checkMoney(t);
  });
  await t.test('a definite refusal counts even when nothing more can be learned', async (t) => {
    const { rig, fake, orderNo } = await begun(t);
    fake.next('lookup', { kind: 'cut_before' });
    const { payment } = await confirm(rig, orderNo, fake.token(orderNo, { declined: 'NO' }));
    t.match(payment, { status: 'pending', failureCode: 'NO' });
  });
});

t.test('PortOne: while nothing can have been charged the answer is an error', async (t) => {
  const { rig, fake } = await startPortoneRig(t);
  const { orderNo } = await rig.order();
  for (const how of [
    { kind: 'cut_before' as const },
    { kind: 'answer' as const, status: 500, body: { type: 'INTERNAL' } },
    { kind: 'answer' as const, status: 401, body: { type: 'UNAUTHORIZED' } },
  ]) {
    fake.next('pre-register', how);
    await refuses(t, pay(rig, orderNo), 'payment_unavailable');
    t.equal(await rig.see(orderNo), 'awaiting_payment pending');
  }
  t.match(await pay(rig, orderNo), { checkout: { request: { paymentId: orderNo } } }, 'and then it works');
});

t.test('PortOne: paid in a browser that was closed, with every message lost', async (t) => {
  const { rig, fake, orderNo } = await begun(t, { manualConfirm: false });
  await rig.pass(10 * MINUTE);
  fake.charge(orderNo);
  await rig.pass(MINUTE);
  t.equal(await rig.see(orderNo), 'paid paid');
  const { orderNo: twice } = await rig.order();
  await pay(rig, twice);
  fake.charge(twice);
  await refuses(
    t,
    pay(rig, twice).then(({ payment }) => {
      t.equal(payment?.status, 'paid', 'paying again finds that it is paid');
      return pay(rig, twice);
    }),
    'order_not_payable',
  );
  await rig.checkMoney(t);
});

t.test('PortOne: money that comes too late goes back', async (t) => {
  for (const how of ['expired', 'expired, found by the browser', 'canceled', 'canceled meanwhile'] as const) {
    await t.test(how, async (t) => {
      const { rig, fake, orderNo } = await begun(t, { manualConfirm: false });
      if (how === 'canceled meanwhile') {
        // Paid between the last check and the cancellation.
        fake.next('lookup', { kind: 'meanwhile', after: () => void fake.charge(orderNo) });
        await rig.payments.cancel(rig.caller, orderNo);
      } else {
        if (how === 'canceled') await rig.payments.cancel(rig.caller, orderNo);
        else {
          await rig.pass(30 * MINUTE);
          await rig.expire(orderNo);
        }
        await rig.pass(3 * MINUTE);
        fake.charge(orderNo);
      }
      if (how === 'expired, found by the browser') await refuses(t, confirm(rig, orderNo), 'order_expired');
      await rig.pass(2 * 60 * MINUTE);
      t.equal(await rig.see(orderNo), `${how.startsWith('expired') ? 'expired' : 'canceled'} late`);
      t.equal(fake.get(orderNo).status, 'CANCELLED');
      t.match(await readLedger(rig.store, orderNo), [{ amountWon: 10_000 }, { kind: 'refund', amountWon: -10_000 }]);
      t.match(await readCancellations(rig.store, orderNo), [{ reason: 'paid_too_late', status: 'succeeded' }]);
      t.equal((await findPayment(rig.store, orderNo))?.cancelledWon, 10_000);
      await rig.checkMoney(t);
    });
  }
});

t.test('PortOne: a manual confirmation that comes too late charges nothing', async (t) => {
  const { rig, fake, orderNo } = await begun(t);
  const token = fake.token(orderNo);
  await rig.clock.advance(30 * MINUTE);
  await refuses(t, confirm(rig, orderNo, token), 'order_expired');
  t.equal(fake.count('confirm'), 0);
  await rig.checkMoney(t);
});

t.test('PortOne: an order waits for a payment in doubt, but not for ever', async (t) => {
  const { rig, fake, orderNo } = await begun(t);
  fake.next('confirm', { kind: 'cut_after' });
  fake.next('lookup', ...Array.from({ length: 20 }, () => ({ kind: 'cut_before' as const })));
  await confirm(rig, orderNo, fake.token(orderNo));
  await rig.pass(29 * MINUTE);
  t.equal(await rig.see(orderNo), 'awaiting_payment confirming');
  await rig.pass(40 * MINUTE);
  t.equal(await rig.see(orderNo), 'awaiting_payment pending', 'the order may expire now');
  await rig.expire(orderNo);
  await rig.pass(DAY, 10 * MINUTE);
  t.equal(await rig.see(orderNo), 'expired late', 'what had been charged is found all the same');
  t.equal(fake.held(), 0);
  await rig.checkMoney(t);
});

t.test('PortOne: a provider that is not set up any more keeps its payments, and takes up where it was', async (t) => {
  const { rig, fake, settings, orderNo } = await begun(t, { manualConfirm: false });
  rig.restart({ provider: 'approval' });
  fake.charge(orderNo);
  await rig.pass(5 * MINUTE);
  await refuses(t, pay(rig, orderNo), 'payment_unavailable');
  await refuses(t, confirm(rig, orderNo), 'payment_unavailable');
  rig.restart({ ...settings, provider: 'approval' });
  await rig.pass(20 * MINUTE);
  t.equal(await rig.see(orderNo), 'paid paid');
  await rig.checkMoney(t);
});

t.test('PortOne: an order that fails to take its payment gives it back in the end', async (t) => {
  const { rig, fake, orderNo } = await begun(t);
  const { order: rules } = rig.deps.payables;
  const works = rules.pay;
  rules.pay = () => Promise.reject(new Error('a bug'));
  await t.rejects(confirm(rig, orderNo, fake.token(orderNo)), /a bug/);
  t.equal(await rig.see(orderNo), 'awaiting_payment confirming');
  await rig.pass(31 * MINUTE);
  t.equal(await rig.see(orderNo), 'awaiting_payment pending', 'the order may expire');
  await rig.expire(orderNo);
  rules.pay = works;
  await rig.pass(60 * MINUTE);
  t.equal(await rig.see(orderNo), 'expired late');
  t.equal(fake.held(), 0);
  await rig.checkMoney(t);
});

t.test('PortOne: the payment is no longer fetched once nothing can come any more', async (t) => {
  const { rig, fake } = await startPortoneRig(t);
  const { orderNo: left } = await rig.order();
  await pay(rig, left);
  const { orderNo: paid } = await rig.order();
  await pay(rig, paid);
  await confirm(rig, paid, fake.token(paid));
  await rig.pass(2 * DAY, 10 * MINUTE);
  t.equal((await findPayment(rig.store, left))?.fetchAt, null);
  fake.takeBack(paid, 'CHARGEBACK');
  await rig.pass(200 * DAY, DAY);
  t.equal((await findPayment(rig.store, paid))?.fetchAt, null);
  t.equal(await rig.see(paid), 'paid cancelled', 'a chargeback of which nobody told was found');
  t.ok(fake.count('lookup') < 150, `${fake.count('lookup')} looks`);
  await rig.checkMoney(t);
});
