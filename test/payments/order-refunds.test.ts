// Refunds of whole orders in the running service, with PortOne played at the other end: which money goes back, what
// ends, who hears of it; and in the end the won are counted on both sides.
// Runs in: soak
import fc from 'fast-check';
import t from 'tap';
import { ApiError } from '../../control-plane/platform/domain/error-catalog.js';
import { saidNotices } from '../harness/said-notices.js';
import { cases } from '../harness/soak.js';
import { moneyProblems } from './rig.js';
import { checkMoney, openShop, refundProblems, type Shop } from './shop.js';

const DAY = 86_400_000;

t.test('a refund of a rental takes back its paid extension, cancels its unpaid one, and the Mac ends', async (t) => {
  const shop = await openShop(t);
  const { h, refunds, see } = shop;
  const { orderNo, rentalIds } = await shop.rent();
  const paid = await shop.extend(rentalIds, 48);
  await shop.pay(paid);
  const unpaid = await shop.extend(rentalIds);
  t.equal(shop.fake.held(), 30_000);

  const planned = await refunds.plan(orderNo);
  t.match(
    planned.lines.map((line) => [line.order.orderNo, line.action, line.amountWon]),
    [
      [orderNo, 'refund', 10_000],
      [paid, 'refund', 20_000],
      [unpaid, 'cancel', 0],
    ],
  );
  t.same(planned.endedRentalIds, rentalIds);
  t.match(await shop.macs(), [{ state: 'ready' }], 'a dry run does nothing');
  t.match(await see(orderNo), { refunded_won: 0, refunded_at: null });

  const done = await refunds.refund(orderNo);
  t.same(
    done.lines.map((line) => line.amountWon),
    [10_000, 20_000, 0],
  );
  await h.workers.idle();
  t.same(await shop.macs(), [], 'the Mac has ended');
  const at = new Date(h.clock.now()).toISOString();
  t.match(await see(orderNo), { status: 'ready', refunded_won: 10_000, refunded_at: at });
  t.match(await see(paid), {
    status: 'ready',
    refunded_won: 20_000,
    refunded_at: at,
    items: [{ refunded: true }],
  });
  t.match(await see(unpaid), { status: 'canceled', refunded_won: 0, refunded_at: null });
  t.notOk(await shop.pay(unpaid), 'nobody can bring the Mac back');
  t.same(await shop.macs(), []);
  for (const order of [orderNo, paid]) {
    await t.rejects(refunds.refund(order), { code: 'order_not_refundable' }, 'once');
  }
  await shop.settle();
  t.equal(shop.fake.held(), 0);
  await checkMoney(t, shop);
  const notices = await saidNotices(h.store, 'order_refunded');
  t.equal(notices.length, 1);
  t.equal(notices[0]?.subject, `30,000 won of order ${orderNo} are refunded`);
  const text = [
    `Refunded to the original payment method: ${orderNo} (₩10,000), ${paid} (₩20,000).`,
    `Canceled unpaid orders: ${unpaid}.`,
    `The rentals of these Macs end now: Mac 1 (${rentalIds[0]}).`,
  ];
  t.equal(notices[0]?.text, text.join('\n'));
});

t.test('money of an extension that was under way when its Mac was refunded comes back', async (t) => {
  const shop = await openShop(t);
  const { h, fake } = shop;
  const { orderNo, rentalIds } = await shop.rent();
  const extension = await shop.extend(rentalIds);
  fake.next('confirm', { kind: 'cut_after' });
  fake.next('lookup', { kind: 'cut_before' });
  await shop.pay(extension);
  t.equal(fake.held(), 20_000, 'the payer has paid, and nobody knows yet');
  await shop.refunds.refund(orderNo);
  await shop.settle();
  await shop.settle();
  t.same(await shop.macs(), []);
  t.equal(fake.held(), 0);
  t.ok(await h.store.get("SELECT 1 FROM notices WHERE kind = 'payment_returned'"));
  await checkMoney(t, shop);
});

t.test('an extension of Macs of two orders gives back the part of the refunded one', async (t) => {
  const shop = await openShop(t, 3);
  const one = await shop.rent({ units: 2 });
  const two = await shop.rent();
  const extension = await shop.extend([...one.rentalIds, ...two.rentalIds]);
  await shop.pay(extension);
  const { lines } = await shop.refunds.refund(one.orderNo);
  t.same(
    lines.map((line) => line.amountWon),
    [20_000, 20_000],
  );
  await shop.h.workers.idle();
  t.match(await shop.see(extension), {
    status: 'ready',
    amount_won: 30_000,
    refunded_won: 20_000,
    end_reason: null,
    ended_at: null,
    items: [{ refunded: true }, { refunded: true }, { refunded: false }],
  });
  const [left] = await shop.macs();
  t.equal(left?.rental_id, two.rentalIds[0]);
  t.equal(left?.remaining_s, 48 * 3600, 'the other Mac keeps its time');
  const rest = await shop.refunds.refund(extension);
  t.equal(rest.lines[0]?.amountWon, 10_000);
  t.match(await shop.macs(), [{ remaining_s: 24 * 3600 }]);
  await t.rejects(shop.refunds.refund(extension), { code: 'order_not_refundable' });
  await shop.settle();
  t.match(await shop.see(extension), { refunded_won: 30_000, end_reason: 'refunded_by_operator' });
  await checkMoney(t, shop);
});

t.test('an order that is canceled for lack of a Mac refunds the extension of its other Mac, too', async (t) => {
  const shop = await openShop(t);
  const { h, host } = shop;
  const orderNo = await shop.ask('/orders', { tier: 'm4', hours: 24, units: 2 });
  await shop.pay(orderNo);
  const [first = '', second = ''] = (await shop.see(orderNo)).rental_ids as string[];
  await host.mac(first, 'ready');
  const extension = await shop.extend([first]);
  await shop.pay(extension);
  await host.mac(second, 'failed');
  await h.workers.idle();
  t.same(await shop.macs(), []);
  t.match(await shop.see(orderNo), { status: 'canceled', end_reason: 'no_capacity', refunded_won: 20_000 });
  t.match(await shop.see(extension), { refunded_won: 10_000, end_reason: 'no_capacity' });
  await shop.settle();
  t.equal(shop.fake.held(), 0);
  await checkMoney(t, shop);
  t.match(await h.store.all('SELECT kind FROM notices'), [{ kind: 'order_canceled' }]);
});

t.test('builds that wait for a refunded Mac end, whether it was ready or not', async (t) => {
  const shop = await openShop(t);
  const { h } = shop;
  const orderNo = await shop.ask('/orders', { tier: 'm4', hours: 24 });
  await shop.pay(orderNo);
  const [rentalId] = (await shop.see(orderNo)).rental_ids as string[];
  const build = await h.call('POST', '/builds', {
    body: { repo_url: 'https://github.com/a/b.git', script: 'true', rental_id: rentalId },
  });
  t.equal(build.statusCode, 201, build.body);
  await shop.refunds.refund(orderNo);
  await h.workers.idle();
  t.match((await h.call('GET', `/builds/${build.json().id}`)).json(), {
    status: 'expired',
    end_reason: 'pinned_mac_ended',
  });
  t.same(await shop.macs(), []);
  await shop.settle();
  await checkMoney(t, shop);
});

const kinds = ['rent', 'order', 'extend', 'pay', 'refund', 'console', 'cancel', 'wait'] as const;

/** Two refunds in the provider's console, the second of which no webhook tells: it was noticed after two days only. */
const TWO_IN_CONSOLE: { kind: (typeof kinds)[number]; n: number }[] = [
  { kind: 'rent', n: 0 },
  { kind: 'console', n: 0 },
  { kind: 'rent', n: 0 },
  { kind: 'rent', n: 0 },
  { kind: 'pay', n: 0 },
  { kind: 'rent', n: 7 },
  { kind: 'pay', n: 0 },
  { kind: 'console', n: 561 },
];

t.test('rentals, extensions, payments and refunds in any order: the won add up', async (t) => {
  const step = fc.record({ kind: fc.constantFrom(...kinds), n: fc.nat(1000) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 16 }), async (steps) => {
      const shop = await openShop(t, 4);
      const orders: string[] = [];
      const of = <T>(list: readonly T[], n: number) => (list.length === 0 ? undefined : list[n % list.length]);
      for (const { kind, n } of steps) {
        try {
          await act(shop, kind, n, orders, of);
        } catch (error) {
          const isRefusal = error instanceof ApiError || /"code"/.test(String(error));
          if (!isRefusal) throw error;
        }
        await shop.h.workers.idle();
      }
      await shop.settle();
      await shop.h.clock.advance(DAY);
      await shop.settle();
      const wrong = [...(await moneyProblems(shop.h.store, shop.fake.held())), ...(await refundProblems(shop))];
      if (wrong.length > 0) throw new Error(wrong.join('\n'));
      await shop.h.close();
    }),
    { numRuns: cases(3), examples: [[TWO_IN_CONSOLE]] },
  );
});

async function act(
  shop: Shop,
  kind: string,
  n: number,
  orders: string[],
  of: <T>(list: readonly T[], n: number) => T | undefined,
): Promise<void> {
  const orderNo = of(orders, n);
  const macs = await shop.macs();
  switch (kind) {
    case 'rent':
      orders.push((await shop.rent({ units: 1 + (n % 2) })).orderNo);
      return;
    case 'order':
      orders.push(await shop.ask('/orders', { tier: 'm4', hours: 24 }));
      return;
    case 'extend': {
      const some = macs.filter((_, i) => (n >> i) % 2 === 1).map((mac) => mac.rental_id);
      if (some.length > 0) orders.push(await shop.extend(some));
      return;
    }
    case 'pay':
      if (orderNo !== undefined) await shop.pay(orderNo);
      return;
    case 'refund':
      if (orderNo !== undefined) await shop.refunds.refund(orderNo);
      return;
    case 'console':
      // Somebody gives back a part in the provider's own console.
      if (orderNo === undefined || shop.fake.held([orderNo]) === 0) return;
      if (shop.fake.takeBack(orderNo, 'CONSOLE', 1_000 * (1 + (n % 15)))) {
        if (n % 2 === 0) await shop.tell('Transaction.PartialCancelled', orderNo);
      }
      return;
    case 'cancel':
      if (orderNo !== undefined) await shop.refunds.cancel(orderNo);
      return;
    default:
      await shop.h.clock.advance(n % 2 === 0 ? 60_000 : 31 * 60_000);
  }
}
