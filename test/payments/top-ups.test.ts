// Top-ups from beginning to end, and what can go wrong between the won and the credit.
import t, { type Test } from 'tap';
import { saidNotices } from '../harness/said-notices.js';
import type { FakePortone } from './fake-portone.js';
import { agreed, browser, DAY, MINUTE, type Rig, startPortoneRig, startRig } from './rig.js';
import { readCancellations } from './rows.js';

const WON = 14_664;

const pay = (rig: Rig, orderId: string, given: object = {}) =>
  rig.topUpPayments.pay(rig.caller, orderId, { ...agreed, ...given });
const confirm = (rig: Rig, orderId: string, token: string | null = null) =>
  rig.topUpPayments.confirm(rig.caller, orderId, browser(token));
const withdraw = (rig: Rig, orderId: string, krw: number | null = null) =>
  rig.withdrawals.withdraw(rig.caller, orderId, krw);
const refuses = (t: Test, promise: Promise<unknown>, code: string, message = code) =>
  t.rejects(promise, { code }, message);

/** A top-up of ten dollars, paid with manual confirm. */
async function paid(rig: Rig, fake: FakePortone): Promise<string> {
  const { orderId } = await rig.topUp();
  await pay(rig, orderId);
  await confirm(rig, orderId, fake.token(orderId));
  return orderId;
}

t.test('sandbox: created, declined, paid, withdrawn in parts', async (t) => {
  const rig = await startRig(t, { provider: 'sandbox' });
  const { orderId, amountWon, creditMicroUsd } = await rig.topUp();
  t.same([amountWon, creditMicroUsd], [WON, 10_000_000]);
  t.equal(await rig.seeTopUp(orderId), 'pending');
  const declined = await pay(rig, orderId, { outcome: 'declined' });
  t.match(declined.topUp, { paymentStatus: 'pending', failureCode: 'card_declined' });
  await pay(rig, orderId, { outcome: 'abandoned' });
  t.equal(await rig.credit(), '0.000000 0.000000');
  await confirm(rig, orderId);
  t.equal(await rig.seeTopUp(orderId), 'paid');
  t.equal(await rig.credit(), '10.000000 0.000000');
  await confirm(rig, orderId);
  await refuses(t, pay(rig, orderId), 'order_not_payable');
  await refuses(t, rig.topUpPayments.cancel(rig.caller, orderId), 'order_not_payable');
  t.match((await withdraw(rig, orderId, 1)).topUp, { cancelledWon: 1, withdrawingWon: 0 });
  t.equal(await rig.credit(), '9.999318 0.000000', 'rounded up');
  await withdraw(rig, orderId, 7_000);
  t.equal(await rig.seeTopUp(orderId), 'paid');
  await refuses(t, withdraw(rig, orderId, WON - 7_000), 'invalid_request');
  await withdraw(rig, orderId, WON - 7_001);
  t.equal(await rig.seeTopUp(orderId), 'cancelled');
  t.equal(await rig.credit(), '0.000000 0.000000');
  await refuses(t, withdraw(rig, orderId), 'topup_not_withdrawable');
  await rig.checkMoney(t);
});

t.test('approval: the credit follows the consent, though no money moves', async (t) => {
  const rig = await startRig(t, { provider: 'approval' });
  const { orderId } = await rig.topUp();
  await confirm(rig, orderId);
  t.equal(await rig.credit(), '10.000000 0.000000');
  await withdraw(rig, orderId);
  t.equal(await rig.credit(), '0.000000 0.000000');
  t.same(await rig.store.all('SELECT * FROM ledger'), []);
});

t.test('fifty confirmations at once are one payment and one credit', async (t) => {
  const { rig, fake } = await startPortoneRig(t);
  const { orderId } = await rig.topUp();
  await pay(rig, orderId);
  const token = fake.token(orderId);
  await Promise.all(Array.from({ length: 50 }, () => confirm(rig, orderId, token)));
  t.equal(fake.count('confirm'), 1);
  t.equal(await rig.credit(), '10.000000 0.000000');
  await rig.checkMoney(t);
});

t.test('only real money needs a recorded consent', async (t) => {
  const { rig, fake } = await startPortoneRig(t, { manualConfirm: false });
  const { orderId } = await rig.topUp();
  fake.charge(orderId, { total: WON }, true);
  await rig.tell(fake.webhook('Transaction.Paid', orderId));
  await rig.work();
  t.equal(await rig.seeTopUp(orderId), 'failed');
  t.equal(await rig.credit(), '0.000000 0.000000');
  t.equal(fake.held(), 0);
  await rig.checkMoney(t);
  const { orderId: other } = await rig.topUp();
  await refuses(t, pay(rig, other, { withdrawal: false }), 'consent_required');
});

t.test('a webhook alone is enough, repeated and out of order', async (t) => {
  const { rig, fake } = await startPortoneRig(t, { manualConfirm: false });
  const { orderId } = await rig.topUp();
  await pay(rig, orderId);
  fake.charge(orderId);
  for (const kind of ['Cancelled', 'Paid', 'Paid', 'Failed']) {
    await rig.tell(fake.webhook(`Transaction.${kind}`, orderId));
    await rig.work();
  }
  t.equal(await rig.seeTopUp(orderId), 'paid');
  t.equal(await rig.credit(), '10.000000 0.000000');
  await rig.checkMoney(t);
});

t.test('a lost answer to the charge is looked up', async (t) => {
  for (const kind of ['cut_before', 'cut_after'] as const) {
    const { rig, fake } = await startPortoneRig(t);
    const { orderId } = await rig.topUp();
    await pay(rig, orderId);
    fake.next('confirm', { kind });
    fake.next('lookup', { kind: 'cut_before' });
    const { topUp } = await confirm(rig, orderId, fake.token(orderId));
    t.equal(topUp.paymentStatus, 'confirming');
    await rig.pass(2 * MINUTE, MINUTE / 4);
    t.equal(await rig.seeTopUp(orderId), kind === 'cut_after' ? 'paid' : 'pending');
    await rig.checkMoney(t);
  }
});

t.test('a top-up expires after an hour, unless its payment is in doubt; what comes later goes back', async (t) => {
  const { rig, fake } = await startPortoneRig(t, { manualConfirm: false });
  const { orderId } = await rig.topUp();
  await pay(rig, orderId);
  await rig.pass(60 * MINUTE - 1, MINUTE);
  t.equal(await rig.seeTopUp(orderId), 'pending');
  const woken: string[] = [];
  rig.deps.wake.on('orders', (key) => woken.push(key));
  await rig.pass(MINUTE);
  t.equal(await rig.seeTopUp(orderId), 'expired');
  t.ok(woken.includes(String(rig.caller.account.id)), 'open pages hear of it');
  await refuses(t, pay(rig, orderId), 'order_expired');
  fake.charge(orderId);
  await rig.tell(fake.webhook('Transaction.Paid', orderId));
  await rig.work();
  t.equal(await rig.seeTopUp(orderId), 'expired');
  const { topUp } = await rig.topUpPayments.read(rig.caller, orderId);
  t.match(topUp, { paymentStatus: 'late', cancelledWon: WON });
  t.equal(await rig.credit(), '0.000000 0.000000');
  t.equal(fake.held(), 0);
  await rig.checkMoney(t);
});

t.test('what was canceled cannot be paid', async (t) => {
  const { rig, fake } = await startPortoneRig(t, { manualConfirm: false });
  const { orderId } = await rig.topUp();
  await pay(rig, orderId);
  await rig.topUpPayments.cancel(rig.caller, orderId);
  t.equal(await rig.seeTopUp(orderId), 'cancelled');
  fake.charge(orderId);
  await refuses(t, confirm(rig, orderId), 'order_not_payable');
  await rig.work();
  t.equal(fake.held(), 0);
  await rig.checkMoney(t);
});

t.test('another amount, currency, store or channel is no credit', async (t) => {
  const wrong: [string, Parameters<FakePortone['charge']>[1]][] = [
    ['a won less', { total: WON - 1 }],
    ['a won more', { total: WON + 1 }],
    ['dollars', { currency: 'USD' }],
    ['play money', { channel: 'TEST' }],
  ];
  const { rig, fake } = await startPortoneRig(t, { manualConfirm: false });
  for (const [name, given] of wrong) {
    const { orderId } = await rig.topUp();
    await pay(rig, orderId);
    fake.charge(orderId, given, true);
    await refuses(t, confirm(rig, orderId), 'payment_mismatch', name);
    await rig.work();
    t.equal(await rig.seeTopUp(orderId), 'failed', name);
  }
  const { orderId } = await rig.topUp();
  await pay(rig, orderId);
  fake.charge(orderId, { paid: WON - 1_000 });
  await confirm(rig, orderId);
  t.equal(await rig.seeTopUp(orderId), 'paid', 'a discount that others pay is no mismatch');
  t.equal(await rig.credit(), '10.000000 0.000000');
  await rig.checkMoney(t);
});

t.test('a withdrawal reserves credit until the provider has decided', async (t) => {
  const { rig, fake } = await startPortoneRig(t);
  const orderId = await paid(rig, fake);
  fake.cancelLater();
  const { topUp } = await withdraw(rig, orderId);
  t.match(topUp, { cancelledWon: 0, withdrawingWon: WON });
  t.equal(await rig.credit(), '10.000000 10.000000');
  await refuses(t, withdraw(rig, orderId, 1), 'topup_not_withdrawable', 'nothing is left of it');
  const second = await paid(rig, fake);
  t.equal(await rig.credit(), '20.000000 10.000000');
  fake.decideCancellations(orderId, 'FAILED');
  fake.cancelLater(false);
  fake.next('cancel', ...Array(4).fill({ kind: 'answer', status: 502, body: { type: 'PG_PROVIDER', pgCode: 'NO' } }));
  await rig.pass(DAY, 10 * MINUTE);
  t.equal(await rig.credit(), '20.000000 0.000000', 'a refused withdrawal gives it free again');
  t.match(await readCancellations(rig.store, orderId), [{ status: 'failed' }]);
  t.match(await saidNotices(rig.store, 'withdrawal_failed'), [{ text: /available again/ }]);
  await rig.checkMoney(t);
  await withdraw(rig, orderId);
  t.equal(await rig.seeTopUp(orderId), 'cancelled', 'it can be tried again');
  t.equal(await rig.seeTopUp(second), 'paid');
  await rig.checkMoney(t);
});

t.test('a withdrawal whose answer is lost happens once', async (t) => {
  for (const kind of ['cut_before', 'cut_after'] as const) {
    const { rig, fake } = await startPortoneRig(t);
    const orderId = await paid(rig, fake);
    fake.next('cancel', { kind });
    const { topUp } = await withdraw(rig, orderId, 5_000);
    t.equal(topUp.withdrawingWon, 5_000);
    await rig.pass(MINUTE, MINUTE / 4);
    t.match((await rig.topUpPayments.read(rig.caller, orderId)).topUp, {
      cancelledWon: 5_000,
      withdrawingWon: 0,
    });
    t.equal(fake.get(orderId).cancellations.length, 1);
    await rig.checkMoney(t);
  }
});

t.test('withdrawals at once never pay back more than there is', async (t) => {
  const { rig, fake } = await startPortoneRig(t);
  const orderId = await paid(rig, fake);
  const asked = await Promise.allSettled(Array.from({ length: 6 }, () => withdraw(rig, orderId, 4_000)));
  t.equal(asked.filter(({ status }) => status === 'fulfilled').length, 3);
  await rig.pass(MINUTE);
  t.equal(fake.held(), WON - 12_000);
  await rig.checkMoney(t);
});

t.test('spent credit cannot be withdrawn', async (t) => {
  const { rig, fake } = await startPortoneRig(t);
  const orderId = await paid(rig, fake);
  await rig.adjust(-4_000_000, 'Mac time');
  await t.rejects(withdraw(rig, orderId), { code: 'credit_spent', detail: { withdrawable_krw: 8_798 } });
  await refuses(t, withdraw(rig, orderId, 8_799), 'credit_spent');
  await refuses(t, rig.adjust(-6_000_001, 'more than there is'), 'credit_spent');
  await withdraw(rig, orderId, 8_798);
  t.equal(await rig.credit(), '0.000272 0.000000');
  await rig.checkMoney(t);
});

t.test('seven days, to the millisecond', async (t) => {
  const { rig, fake } = await startPortoneRig(t);
  const orderId = await paid(rig, fake);
  await rig.clock.advance(7 * DAY - 1);
  await withdraw(rig, orderId, 1_000);
  await rig.clock.advance(1);
  await refuses(t, withdraw(rig, orderId), 'withdrawal_expired');
  t.equal(await rig.withdrawals.withdrawable((await rig.topUpPayments.read(rig.caller, orderId)).topUp), 0);
  await rig.checkMoney(t);
});

t.test("a refund in the provider's console takes its share of the credit, also beside a withdrawal", async (t) => {
  const { rig, fake } = await startPortoneRig(t);
  const orderId = await paid(rig, fake);
  fake.takeBack(orderId, 'CONSOLE', 4_664);
  // The service does not know of that refund yet, and asks for more than is left.
  await withdraw(rig, orderId);
  await rig.pass(MINUTE);
  t.equal(await rig.seeTopUp(orderId), 'cancelled');
  t.equal(await rig.credit(), '0.000000 0.000000');
  t.same(await rig.store.all('SELECT kind, krw FROM credit_ledger WHERE krw < 0 ORDER BY krw'), [
    { kind: 'withdrawal', krw: -10_000 },
    { kind: 'refund', krw: -4_664 },
  ]);
  await rig.checkMoney(t);
});

t.test('a chargeback takes what was spent, and blocks payments', async (t) => {
  const { rig, fake } = await startPortoneRig(t);
  const orderId = await paid(rig, fake);
  await rig.adjust(-4_000_000, 'Mac time');
  fake.takeBack(orderId, 'CHARGEBACK');
  await rig.tell(fake.webhook('Transaction.Cancelled', orderId));
  await rig.work();
  t.equal(await rig.credit(), '-4.000000 0.000000');
  t.equal(await rig.seeTopUp(orderId), 'cancelled');
  const [account] = await rig.store.all<{ payments_blocked: number }>('SELECT payments_blocked FROM organizations');
  t.equal(account?.payments_blocked, 1);
  await rig.checkMoney(t);
});

t.test('a blocked account neither tops up nor withdraws', async (t) => {
  const { rig, fake } = await startPortoneRig(t);
  const orderId = await paid(rig, fake);
  const { orderId: open } = await rig.topUp();
  const blocked = { ...rig.caller, account: { ...rig.caller.account, paymentsBlocked: true } };
  await refuses(t, rig.topUps.create(blocked, 10), 'account_blocked');
  await refuses(t, rig.topUpPayments.pay(blocked, open, agreed), 'account_blocked');
  await refuses(t, rig.withdrawals.withdraw(blocked, orderId, null), 'account_blocked');
});

t.test('ten unpaid top-ups are enough', async (t) => {
  const rig = await startRig(t, { provider: 'sandbox' });
  for (let i = 0; i < 10; i++) await rig.topUp(1);
  await refuses(t, rig.topUp(1), 'too_many_pending_orders');
  await rig.pass(61 * MINUTE, 61 * MINUTE);
  await rig.topUp(1);
});
