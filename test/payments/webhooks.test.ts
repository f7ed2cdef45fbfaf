// PortOne's messages: first, only, twice, late, out of order, for nobody, and from somebody else.
import t from 'tap';
import { findOrganization } from '../../control-plane/access/store/organizations.js';
import { ApiError } from '../../control-plane/platform/domain/error-catalog.js';
import { agreed, browser, MINUTE, type Rig, startPortoneRig } from './rig.js';
import { readCancellations, readLedger } from './rows.js';

/** An order whose payer has the pay window open. */
async function begun(rig: Rig): Promise<string> {
  const { orderNo } = await rig.order();
  await rig.payments.pay(rig.caller, orderNo, agreed);
  return orderNo;
}

t.test('the message comes before the browser, and the browser never', async (t) => {
  const { rig, fake } = await startPortoneRig(t, { manualConfirm: false });
  const orderNo = await begun(rig);
  fake.charge(orderNo);
  await rig.tell(fake.webhook('Transaction.Paid', orderNo));
  t.equal(await rig.see(orderNo), 'awaiting_payment pending', 'a message alone pays nothing');
  await rig.work();
  t.equal(await rig.see(orderNo), 'paid paid');
  await rig.payments.confirm(rig.caller, orderNo, browser());
  t.equal((await readLedger(rig.store, orderNo)).length, 1);
  await rig.checkMoney(t);
});

t.test('message and browser at the same moment', async (t) => {
  const { rig, fake } = await startPortoneRig(t, { manualConfirm: false });
  const orderNo = await begun(rig);
  fake.charge(orderNo);
  await Promise.all([
    rig.tell(fake.webhook('Transaction.Paid', orderNo)).then(() => rig.work()),
    rig.payments.confirm(rig.caller, orderNo, browser()),
    rig.tell(fake.webhook('Transaction.Paid', orderNo)).then(() => rig.work()),
  ]);
  t.equal(await rig.see(orderNo), 'paid paid');
  t.equal((await readLedger(rig.store, orderNo)).length, 1);
  await rig.checkMoney(t);
});

t.test('the same message twice, and many at once', async (t) => {
  const { rig, fake } = await startPortoneRig(t, { manualConfirm: false });
  const orderNo = await begun(rig);
  fake.charge(orderNo);
  const message = fake.webhook('Transaction.Paid', orderNo);
  for (let i = 0; i < 3; i++) {
    await Promise.all(Array.from({ length: 10 }, () => rig.tell(message)));
    await rig.work();
  }
  t.equal((await readLedger(rig.store, orderNo)).length, 1);
  await rig.checkMoney(t);
});

t.test('a message without a change at the provider changes nothing', async (t) => {
  const { rig, fake } = await startPortoneRig(t, { manualConfirm: false });
  const orderNo = await begun(rig);
  for (const type of ['Paid', 'Failed', 'Ready', 'Cancelled', 'PayPending', 'SomethingNew']) {
    await rig.tell(fake.webhook(`Transaction.${type}`, orderNo));
    await rig.work();
    t.equal(await rig.see(orderNo), 'awaiting_payment pending', type);
  }
  fake.set(orderNo, { status: 'PAY_PENDING' });
  await rig.tell(fake.webhook('Transaction.PayPending', orderNo));
  await rig.work();
  t.equal(await rig.see(orderNo), 'awaiting_payment pending');
  fake.charge(orderNo);
  await rig.tell(fake.webhook('Transaction.Ready', orderNo));
  await rig.work();
  t.equal(await rig.see(orderNo), 'paid paid', 'whatever it says, the look counts');
  await rig.checkMoney(t);
});

t.test('cancelled arrives before paid', async (t) => {
  const { rig, fake } = await startPortoneRig(t, { manualConfirm: false });
  const orderNo = await begun(rig);
  fake.charge(orderNo);
  fake.takeBack(orderNo, 'CONSOLE');
  for (const type of ['Transaction.Cancelled', 'Transaction.Paid']) {
    await rig.tell(fake.webhook(type, orderNo));
    await rig.work();
    t.equal(await rig.see(orderNo), 'canceled cancelled');
  }
  await rig.checkMoney(t);
});

t.test('a message that is late, after the order has expired', async (t) => {
  const { rig, fake } = await startPortoneRig(t, { manualConfirm: false });
  const orderNo = await begun(rig);
  await rig.pass(30 * MINUTE);
  fake.charge(orderNo);
  await rig.expire(orderNo);
  await rig.tell(fake.webhook('Transaction.Paid', orderNo));
  await rig.work();
  t.equal(await rig.see(orderNo), 'expired late');
  t.equal(fake.held(), 0, 'it went back at once');
  await rig.checkMoney(t);
});

t.test('a payment with our public keys but without our page has no consent and is refunded', async (t) => {
  const { rig, fake } = await startPortoneRig(t, { manualConfirm: false });
  const { orderNo } = await rig.order();
  fake.charge(orderNo, { total: 10_000 });
  await rig.tell(fake.webhook('Transaction.Paid', orderNo));
  await rig.work();
  t.equal(await rig.see(orderNo), 'canceled late');
  t.equal(fake.held(), 0);
  t.match(await readCancellations(rig.store, orderNo), [{ reason: 'paid_without_consent', status: 'succeeded' }]);
  await rig.checkMoney(t);
});

t.test('messages about unknown payments, of other kinds or of other stores change nothing', async (t) => {
  const { rig, fake } = await startPortoneRig(t);
  const orderNo = await begun(rig);
  await rig.tell(fake.webhook('Transaction.Paid', 'RT-NOBODY'));
  await rig.tell(fake.webhook('BillingKey.Deleted', null));
  await rig.tell(fake.webhook('Transaction.Paid', orderNo, { storeId: 'store-other' }));
  t.equal(await rig.see(orderNo), 'awaiting_payment pending');
});

t.test('a message that PortOne has not signed just now is refused', async (t) => {
  const { rig, fake } = await startPortoneRig(t, { manualConfirm: false });
  const orderNo = await begun(rig);
  fake.charge(orderNo);
  const looks = fake.count('lookup');
  const messages = [
    fake.webhook('Transaction.Paid', orderNo, { secret: 'bm90IG91ciBzZWNyZXQgYXQgYWxs' }),
    fake.webhook('Transaction.Paid', orderNo, { skewS: -301 }),
    fake.webhook('Transaction.Paid', orderNo, { skewS: 301 }),
  ];
  for (const message of messages) {
    const refused = await rig.tell(message).catch((error: unknown) => error);
    t.ok(refused instanceof ApiError && refused.code === 'invalid_request');
  }
  await rig.work();
  t.equal(fake.count('lookup'), looks, 'and causes no look');
  await rig.tell(fake.webhook('Transaction.Paid', orderNo));
  await rig.clock.advance(5 * MINUTE + 1_000);
  const replayed = await rig.tell(fake.webhook('Transaction.Paid', orderNo, { skewS: -301 })).catch((e: unknown) => e);
  t.ok(replayed instanceof ApiError, 'an old one cannot be sent again');
});

t.test('a dispute blocks the account’s payments, once', async (t) => {
  const { rig, fake } = await startPortoneRig(t);
  const orderNo = await begun(rig);
  await rig.payments.confirm(rig.caller, orderNo, browser(fake.token(orderNo)));
  await rig.tell(fake.webhook('Transaction.DisputeCreated', 'RT-NOBODY'));
  t.equal((await findOrganization(rig.store, 'org_rig'))?.paymentsBlocked, false);
  await rig.tell(fake.webhook('Transaction.DisputeCreated', orderNo));
  t.equal((await findOrganization(rig.store, 'org_rig'))?.paymentsBlocked, true);
  await rig.work();
  t.equal(await rig.see(orderNo), 'paid paid', 'the money is still there');
  await rig.checkMoney(t);
});
