// The running service with PortOne played at the other end: orders, payments and refunds, and the won on both sides.
import type { Test } from 'tap';
import type { OrderRefunds } from '../../control-plane/payments/app/order-refunds.js';
import { CONSOLE_ROOT } from '../../control-plane/platform/domain/addresses.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { addHost, type RentingHost } from '../harness/renting.js';
import { type FakePortone, startFakePortone } from './fake-portone.js';
import { moneyProblems, portoneSettings } from './rig.js';

const consents = { terms: true, withdrawal: true };

export interface Shop {
  h: Harness;
  fake: FakePortone;
  host: RentingHost;
  refunds: OrderRefunds;
  ask(path: string, body: object): Promise<string>;
  rent(body?: object): Promise<{ orderNo: string; rentalIds: string[] }>;
  extend(rentalIds: readonly string[], hours?: number): Promise<string>;
  /** Consents, so that the payment can be made in the browser. */
  agree(orderNo: string): Promise<void>;
  /** A webhook of PortOne arrives. */
  tell(type: string, orderNo: string): Promise<void>;
  pay(orderNo: string): Promise<boolean>;
  see(orderNo: string): Promise<Record<string, unknown>>;
  macs(): Promise<{ rental_id: string; [field: string]: unknown }[]>;
  settle(): Promise<void>;
}

export async function openShop(t: Test, slots = 2): Promise<Shop> {
  let now = () => 0;
  const fake = await startFakePortone(t, { now: () => now() });
  const payments = { provider: 'portone' as const, portone: portoneSettings(fake) };
  const h = await startHarness(t, { payments, limits: { pending_orders: 1000 } });
  now = () => h.clock.now();
  const host = await addHost(h, slots);
  const cookie = await h.signIn('owner');
  const send = (orderNo: string, verb: string, body: object) =>
    h.callConsole('POST', `/v1/organizations/${h.org.orgId}/orders/${orderNo}${verb}`, {
      key: null,
      headers: { cookie },
      body,
    });
  const see = async (orderNo: string) => (await h.call('GET', `/orders/${orderNo}`)).json();
  const ask = async (path: string, body: object): Promise<string> => {
    const answer = await h.call('POST', path, { body });
    if (answer.statusCode !== 201) throw new Error(answer.body);
    return answer.json().order_no;
  };
  const pay = async (orderNo: string) => {
    if ((await send(orderNo, '/pay', { consents })).statusCode !== 200) return false;
    const token = { payment_token: fake.token(orderNo) };
    const paid = (await send(orderNo, '/confirm', token)).statusCode === 200;
    await h.workers.idle();
    return paid;
  };
  return {
    h,
    fake,
    host,
    see,
    ask,
    pay,
    refunds: h.parts.payments.orderRefunds,
    async rent(body = {}) {
      const orderNo = await ask('/orders', { tier: 'm4', hours: 24, ...body });
      await pay(orderNo);
      const { rental_ids } = await see(orderNo);
      for (const rentalId of rental_ids as string[]) await host.mac(rentalId, 'ready');
      return { orderNo, rentalIds: rental_ids as string[] };
    },
    async agree(orderNo) {
      const { statusCode, body } = await send(orderNo, '/pay', { consents });
      if (statusCode !== 200) throw new Error(body);
    },
    async tell(type, orderNo) {
      const { body, headers } = fake.webhook(type, orderNo);
      const payload = Buffer.from(body);
      const url = `${CONSOLE_ROOT}/v1/payments/portone/webhook`;
      const { statusCode } = await h.inject({ method: 'POST', url, payload, headers });
      if (statusCode !== 200) throw new Error(`the webhook was refused: ${statusCode}`);
    },
    extend: (rentalIds, hours = 24) => ask('/rentals/extend', { rental_ids: rentalIds, hours }),
    macs: async () => (await h.call('GET', '/rentals')).json().rentals,
    async settle() {
      await h.workers.idle();
      await h.pass(10 * 60_000);
    },
  };
}

export const checkMoney = async (t: Test, { h, fake }: Shop) => {
  t.same(await moneyProblems(h.store, fake.held()), []);
  t.same(await refundProblems({ h, fake }), []);
};

/** Of every order: what it keeps is what the provider holds for it. */
export async function refundProblems({ h, fake }: Pick<Shop, 'h' | 'fake'>): Promise<string[]> {
  const orders = await h.store.all<{
    order_no: string;
    status: string;
    amount: number;
    refunded: number;
    by_credit: number;
  }>(
    `SELECT order_no, status, amount_won AS amount, refunded_won AS refunded,
       EXISTS (SELECT 1 FROM credit_payments c WHERE c.order_no = orders.order_no) AS by_credit FROM orders`,
  );
  return orders.flatMap(({ order_no, status, amount, refunded, by_credit }) => {
    const kept = !by_credit && ['paid', 'provisioning', 'ready'].includes(status) ? amount - refunded : 0;
    const held = fake.held([order_no]);
    return held === kept ? [] : [`${order_no} is ${status}, ${refunded} of ${amount} refunded, ${held} are held`];
  });
}
