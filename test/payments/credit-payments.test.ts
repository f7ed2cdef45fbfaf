// Orders that are paid with the organization's credit: what is taken, every refusal, and what refunds return.
import t, { type Test } from 'tap';
import type { OrderRefund } from '../../control-plane/payments/app/order-refunds.js';
import { usdText } from '../../control-plane/platform/domain/usd-text.js';
import { HOUR } from '../harness/renting.js';
import { saidNotices } from '../harness/said-notices.js';
import { RATE } from './rig.js';
import { checkMoney, openShop, type Shop } from './shop.js';

const consents = { terms: true, withdrawal: true };
/** 10,000 won at 1466.40 won per dollar, rounded up. */
const PRICE = 6_819_422;
const PLENTY = 100_000_000;

interface Office extends Shop {
  credit(microUsd: number): Promise<void>;
  place(body?: object): Promise<string>;
  page(orderNo: string): Promise<Record<string, { [name: string]: unknown } | null>>;
  spend(orderNo: string, body?: object, as?: string): ReturnType<Shop['h']['callConsole']>;
  balance(): Promise<number>;
}

async function openOffice(t: Test, slots = 2): Promise<Office> {
  const shop = await openShop(t, slots);
  const { h } = shop;
  const cookie = await h.signIn('admin');
  const org = `/v1/organizations/${h.org.orgId}`;
  const ask = (method: string, path: string, as = cookie, body?: object) =>
    h.callConsole(method, `${org}${path}`, { key: null, headers: { cookie: as }, ...(body ? { body } : {}) });
  return {
    ...shop,
    async credit(microUsd) {
      await h.parts.payments.credit.adjust(h.org.id, microUsd, 'a gift');
    },
    place: (body = {}) => shop.ask('/orders', { tier: 'm4', hours: 24, ...body }),
    page: async (orderNo) => (await ask('GET', `/orders/${orderNo}`)).json(),
    async spend(orderNo, body = {}, as = cookie) {
      const given = { consents, price_micro_usd: PRICE, ...body };
      const answer = await ask('POST', `/orders/${orderNo}/pay-with-credit`, as, given);
      await h.workers.idle();
      return answer;
    },
    balance: async () => (await ask('GET', '/credit')).json().balance_micro_usd,
  };
}

t.test('credit pays an order whole, at the rate of the day', async (t) => {
  const office = await openOffice(t);
  const { h } = office;
  await office.credit(PLENTY);
  const orderNo = await office.place();
  const offer = {
    price_micro_usd: PRICE,
    price_usd: '6.819422',
    available_micro_usd: PLENTY,
    available_usd: '100.000000',
    suffices: true,
    fx_day: new Date(h.clock.now() + 9 * 3_600_000).toISOString().slice(0, 10),
    fx_source: 'fixed',
    krw_per_usd: RATE,
  };
  const before = await office.page(orderNo);
  t.same(before.credit, offer);
  t.equal(before.credit_payment, null);

  const answer = await office.spend(orderNo);
  t.equal(answer.statusCode, 200, answer.body);
  const paid = answer.json();
  t.match(paid.order, { status: 'provisioning', amount_won: 10_000, refunded_won: 0 });
  t.equal(paid.payment, null, 'no provider was asked');
  t.match(paid.credit_payment, { micro_usd: PRICE, usd: '6.819422', krw_per_usd: RATE, returned_won: 0 });
  t.equal((await office.macs()).length, 1);
  t.equal(await office.balance(), PLENTY - PRICE);
  t.equal((await office.page(orderNo)).credit, null, 'nothing is left to pay');
  t.match(await h.store.all('SELECT order_no, text_version FROM consents'), [{ order_no: orderNo }]);
  t.match(await h.store.all('SELECT kind, micro_usd, paid_order_no FROM credit_ledger ORDER BY entry_id'), [
    { kind: 'adjustment' },
    { kind: 'order', micro_usd: -PRICE, paid_order_no: orderNo },
  ]);
  t.same(await h.store.all('SELECT 1 FROM ledger'), [], 'no won have moved');
  t.match((await office.spend(orderNo)).json().error.code, 'order_not_payable', 'once');
  t.equal(await office.pay(orderNo), false, 'nor is it paid in another way afterwards');
  await checkMoney(t, office);
});

t.test('a refused payment takes nothing and leaves the order as it was', async (t) => {
  const office = await openOffice(t);
  const { h } = office;
  const developer = await h.signIn('developer');
  const orderNo = await office.place();
  const refusals: [what: string, credit: number, body: object, status: number, code: string, as?: string][] = [
    ['without credit', 0, {}, 409, 'insufficient_credit'],
    ['a millionth short', PRICE - 1, {}, 409, 'insufficient_credit'],
    ['without consent', 1, { consents: { terms: true } }, 400, 'consent_required'],
    ['an older text', 0, { consents: { ...consents, version: '0' } }, 400, 'consent_required'],
    ['another price than was shown', 0, { price_micro_usd: PRICE - 1 }, 400, 'payment_mismatch'],
    ['no price', 0, { price_micro_usd: undefined }, 400, 'invalid_request'],
    ['a typo', 0, { prize_micro_usd: PRICE }, 400, 'invalid_request'],
    ['by a developer', 0, {}, 403, 'insufficient_permission', developer],
  ];
  for (const [what, credit, body, status, code, as] of refusals) {
    if (credit > 0) await office.credit(credit);
    const before = await office.balance();
    const answer = await office.spend(orderNo, body, as);
    t.equal(answer.statusCode, status, `${what}: ${answer.body}`);
    t.equal(answer.json().error.code, code, what);
    t.equal(await office.balance(), before, what);
    t.match(await office.see(orderNo), { status: 'awaiting_payment' }, what);
  }
  t.same(await h.store.all('SELECT 1 FROM consents'), [], 'nor is a consent recorded');
  t.equal((await office.spend('CM000000000000')).json().error.code, 'not_found');
  await h.store.run('UPDATE organizations SET payments_blocked = 1');
  t.equal((await office.spend(orderNo)).json().error.code, 'account_blocked');
  await h.store.run('UPDATE organizations SET payments_blocked = 0');
  await h.pass(HOUR);
  t.equal((await office.spend(orderNo)).json().error.code, 'order_expired');
  t.equal((await office.page(orderNo)).credit, null);
  t.equal(await office.balance(), PRICE);
});

t.test('credit that is being withdrawn pays nothing, and the last of it pays one of two orders', async (t) => {
  const office = await openOffice(t);
  const { h } = office;
  await office.credit(PRICE + 5);
  await h.store.run(
    `INSERT INTO payment_cancellations (cancellation_id, order_no, account_id, amount_won, credit_micro_usd, reason, status, created_at)
     VALUES ('pc_1', 'TU1', :id, 1, 6, 'withdrawn', 'open', 0)`,
    { id: h.org.id },
  );
  const [one, two] = [await office.place(), await office.place()];
  t.match((await office.page(one)).credit, { available_micro_usd: PRICE - 1, suffices: false });
  t.equal((await office.spend(one)).json().error.code, 'insufficient_credit');
  await h.store.run('DELETE FROM payment_cancellations');
  const answers = await Promise.all([office.spend(one), office.spend(two)]);
  t.same(answers.map(({ statusCode }) => statusCode).sort(), [200, 409]);
  t.equal(await office.balance(), 5);
  t.equal((await office.macs()).length, 1);
});

t.test('a refund returns the credit as it was taken, a part of it for a part of the Macs', async (t) => {
  const office = await openOffice(t, 3);
  const { h, host } = office;
  await office.credit(PLENTY);
  const one = await office.place({ units: 2 });
  await office.spend(one, { price_micro_usd: 2 * PRICE });
  const two = await office.place();
  await office.spend(two);
  const macs = (await office.macs()).map(({ rental_id }) => rental_id);
  for (const rentalId of macs) await host.mac(rentalId, 'ready');
  const extension = await office.extend(macs);
  const price = Number((await office.page(extension)).credit?.price_micro_usd);
  t.equal((await office.spend(extension, { price_micro_usd: price })).statusCode, 200);
  const left = await office.balance();

  const returned = Math.ceil((price * 20_000) / 30_000);
  const inCredit = [
    [one, 2 * PRICE],
    [extension, returned],
  ];
  const linesOf = ({ lines }: OrderRefund) => lines.map(({ order, creditMicroUsd }) => [order.orderNo, creditMicroUsd]);
  t.same(linesOf(await office.refunds.plan(one)), inCredit, 'operators see what would come back');
  t.equal(await office.balance(), left, 'a plan returns nothing');
  t.same(linesOf(await office.refunds.refund(one)), inCredit);
  await office.settle();
  const [notice] = await saidNotices(h.store, 'order_refunded');
  t.match(notice?.text, `Refunded as credit: ${one} (₩20,000, ${usdText(2 * PRICE)} USD)`);
  t.notMatch(JSON.stringify(notice), /original payment method|원래 결제 수단/);
  t.equal(await office.balance(), left + 2 * PRICE + returned);
  t.match(await office.see(extension), { refunded_won: 20_000, end_reason: null });
  t.match((await office.page(extension)).credit_payment, { returned_won: 20_000, returned_micro_usd: returned });
  await office.refunds.refund(extension);
  await office.refunds.refund(two);
  await office.settle();
  t.equal(await office.balance(), PLENTY, 'to the millionth');
  t.same(await office.macs(), []);
  t.same(await h.store.all("SELECT 1 FROM payment_cancellations WHERE status <> 'succeeded'"), []);
  await t.rejects(office.refunds.refund(two), { code: 'order_not_refundable' }, 'once');
  await checkMoney(t, office);
});

t.test('nothing is taken for a Mac that has ended meanwhile', async (t) => {
  const office = await openOffice(t);
  const { h } = office;
  await office.credit(PLENTY);
  const { orderNo, rentalIds } = await office.rent();
  const extension = await office.extend(rentalIds);
  await h.store.run('UPDATE rentals SET end_requested_at = 1 WHERE order_no = :orderNo', { orderNo });
  t.equal((await office.spend(extension)).json().error.code, 'order_not_payable');
  t.equal(await office.balance(), PLENTY);
});

t.test('money that arrives at the provider after credit has paid goes back, and the order stays paid', async (t) => {
  const office = await openOffice(t);
  const { fake } = office;
  await office.credit(PLENTY);
  const orderNo = await office.place();
  await office.agree(orderNo);
  t.equal((await office.spend(orderNo)).statusCode, 200, 'while the window of the provider is open');
  fake.charge(orderNo);
  await office.tell('Transaction.Paid', orderNo);
  await office.settle();
  await office.settle();
  t.equal(fake.held(), 0);
  t.match(await office.see(orderNo), { refunded_won: 0, refunded_at: null, end_reason: null });
  t.equal((await office.macs()).length, 1);
  t.equal(await office.balance(), PLENTY - PRICE);
  await checkMoney(t, office);
});

t.test('a charge in progress keeps credit from paying', async (t) => {
  const office = await openOffice(t);
  const { fake } = office;
  await office.credit(PLENTY);
  const orderNo = await office.place();
  fake.next('confirm', { kind: 'cut_after' });
  fake.next('lookup', { kind: 'cut_before' });
  await office.pay(orderNo);
  t.match((await office.page(orderNo)).payment, { status: 'confirming' });
  t.equal((await office.spend(orderNo)).json().error.code, 'order_not_payable');
  t.equal(await office.balance(), PLENTY);
  await office.settle();
  await checkMoney(t, office);
});
