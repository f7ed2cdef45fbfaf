// Refunds that the service has not asked for, and payments that cannot pay their order: what the order shows, what is left
// of it, and who gets the money.
// Runs in: soak
import t from 'tap';
import { DAY_MS } from '../../control-plane/platform/domain/durations.js';
import { adminOf } from '../harness/admin.js';
import { saidNotices } from '../harness/said-notices.js';
import { checkMoney, openShop } from './shop.js';

t.test('a refund in the provider’s console is seen, by its webhook and by the reconciliation', async (t) => {
  for (const told of [true, false]) {
    const shop = await openShop(t);
    const { orderNo, rentalIds } = await shop.rent({ hours: 720 });
    await shop.h.clock.skip(20 * DAY_MS);
    await shop.h.workers.idle();
    shop.fake.takeBack(orderNo, 'CONSOLE', 100_000);
    if (told) await shop.tell('Transaction.PartialCancelled', orderNo);
    else await shop.h.clock.advance(7 * DAY_MS);
    await shop.h.workers.idle();
    const seen = await shop.see(orderNo);
    t.match(seen, { status: 'ready', refunded_won: 100_000, end_reason: null });
    t.type(seen.refunded_at, 'string', told ? 'webhook' : 'reconciliation');
    t.match(await shop.macs(), [{ rental_id: rentalIds[0] }], 'the Mac stays');
    const notices = await saidNotices(shop.h.store, 'order_refunded');
    t.match(notices, [{ subject: `100,000 won of order ${orderNo}` }], 'people hear of it once');
    await checkMoney(t, shop);
    await shop.settle();
    t.match(await shop.see(orderNo), { refunded_won: 100_000 }, 'it counts once');
  }
});

t.test(
  'an operator’s refund is bounded by the rest, including refunds that the provider has not reported yet',
  async (t) => {
    const shop = await openShop(t);
    const { orderNo, rentalIds } = await shop.rent({ hours: 48 });
    shop.fake.takeBack(orderNo, 'CONSOLE', 6_000);
    const planned = await shop.refunds.plan(orderNo);
    t.match(planned.lines, [{ amountWon: 14_000 }]);
    t.same(planned.endedRentalIds, rentalIds);
    const done = await shop.refunds.refund(orderNo, 14_000);
    t.match(done.lines, [{ amountWon: 14_000 }]);
    await shop.settle();
    t.match(await shop.see(orderNo), { refunded_won: 20_000, end_reason: 'refunded_by_operator' });
    t.equal(shop.fake.held(), 0);
    t.same(await shop.macs(), []);
    await checkMoney(t, shop);
  },
);

t.test('after a full refund in the console, an operator can still end the Macs', async (t) => {
  const shop = await openShop(t);
  const { orderNo, rentalIds } = await shop.rent();
  shop.fake.takeBack(orderNo, 'CONSOLE');
  await shop.tell('Transaction.Cancelled', orderNo);
  await shop.h.workers.idle();
  t.match(await shop.see(orderNo), { status: 'ready', refunded_won: 10_000 });
  const done = await shop.refunds.refund(orderNo, 0);
  t.same(done.endedRentalIds, rentalIds);
  await shop.settle();
  t.same(await shop.macs(), []);
  t.match(await shop.see(orderNo), { refunded_won: 10_000, end_reason: 'refunded_by_operator' });
  await t.rejects(shop.refunds.refund(orderNo), { code: 'order_not_refundable' });
  await checkMoney(t, shop);
});

t.test('a refund of an extension in the console is not repeated with its rental', async (t) => {
  const shop = await openShop(t);
  const { orderNo, rentalIds } = await shop.rent();
  const extension = await shop.extend(rentalIds, 48);
  await shop.pay(extension);
  shop.fake.takeBack(extension, 'CONSOLE', 15_000);
  await shop.tell('Transaction.PartialCancelled', extension);
  await shop.h.workers.idle();
  t.match(await shop.see(extension), { refunded_won: 15_000 });
  const done = await shop.refunds.refund(orderNo);
  t.same(
    done.lines.map(({ amountWon }) => amountWon),
    [10_000, 5_000],
  );
  await shop.settle();
  t.match(await shop.see(extension), { refunded_won: 20_000 });
  t.equal(shop.fake.held(), 0);
  await checkMoney(t, shop);
});

t.test('a refund of an extension whose time runs names the Mac that ends', async (t) => {
  const shop = await openShop(t);
  const { rentalIds } = await shop.rent();
  const extension = await shop.extend(rentalIds);
  await shop.pay(extension);
  const before = await shop.refunds.plan(extension);
  t.same(before.endedRentalIds, [], 'the bought day has not ended');
  await shop.h.clock.advance(DAY_MS);
  await shop.h.workers.idle();
  t.equal((await shop.macs()).length, 1, 'its added time runs');
  const planned = await shop.refunds.plan(extension);
  t.same(planned.endedRentalIds, rentalIds);
  t.match(planned.lines, [{ amountWon: 10_000 }]);
  const said = await adminOf(shop.h)(['order', 'refund', extension, '--dry-run']);
  t.match(said.out, `would end: Mac 1 (${rentalIds[0]})\n`);
  t.equal((await shop.macs()).length, 1);
  const done = await shop.refunds.refund(extension);
  t.same(done.endedRentalIds, rentalIds);
  await shop.settle();
  t.same(await shop.macs(), []);
  const [notice] = await saidNotices(shop.h.store, 'order_refunded');
  t.match(notice?.text, `The rentals of these Macs end now: Mac 1 (${rentalIds[0]}).`);
  t.match(notice?.ko.text, `다음 Mac의 대여가 지금 종료됩니다: Mac 1 (${rentalIds[0]})`);
  await checkMoney(t, shop);
});

t.test('a payment that cannot pay its order ends it: the slot is free, and the money goes back', async (t) => {
  for (const given of [{ total: 1 }, { total: 10_001 }, { currency: 'USD' }]) {
    const shop = await openShop(t, 1);
    const body = { tier: 'm4', hours: 24 };
    const orderNo = await shop.ask('/orders', body);
    await shop.agree(orderNo);
    shop.fake.charge(orderNo, given, true);
    await shop.tell('Transaction.Paid', orderNo);
    await shop.settle();
    t.match(await shop.see(orderNo), { status: 'canceled', end_reason: 'payment_failed' });
    t.equal(shop.fake.get(orderNo).status, 'CANCELLED');
    const again = await shop.ask('/orders', body);
    t.equal(await shop.pay(again), true, 'its slot can be ordered and paid at once');
    t.equal((await shop.macs()).length, 1);
  }
});
