// Days at random: people, PortOne, banks, lost answers and deaths of the program in any order. Whatever happened,
// in the end every won is where it belongs.
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { requestRefund } from '../../control-plane/payments/app/refunds.js';
import { readCancellations } from '../../control-plane/payments/store/payment-cancellations.js';
import { findPayment } from '../../control-plane/payments/store/payments.js';
import { ApiError } from '../../control-plane/platform/domain/error-catalog.js';
import { findAnyOrder } from '../../control-plane/renting/store/orders.js';
import { runs } from '../harness/soak.js';
import type { FakePortone, Misbehavior, Operation } from './fake-portone.js';
import { Died, mortal } from './mortal-store.js';
import {
  agreed,
  browser,
  DAY,
  MINUTE,
  moneyProblems,
  type Rig,
  type Settings,
  startPortoneRig,
} from './rig.js';

const WON = 10_000;

interface Day {
  rig: Rig;
  fake: FakePortone;
  settings: Settings;
  orders: readonly string[];
}

type Step = (day: Day, orderNo: string, n: number) => unknown;

const amounts = [WON, WON, WON, WON, 1, WON + 1];
const told = ['Paid', 'Failed', 'Cancelled', 'PartialCancelled', 'Ready', 'DisputeCreated'];
const wrongs: Misbehavior[] = [
  { kind: 'cut_before' },
  { kind: 'cut_after' },
  { kind: 'answer', status: 500, body: { type: 'INTERNAL' } },
  { kind: 'answer', status: 502, body: { type: 'PG_PROVIDER', pgCode: 'BUSY' } },
  { kind: 'answer', status: 200, body: 'nonsense' },
];
const operations: Operation[] = ['pre-register', 'confirm', 'lookup', 'cancel'];
const pick = <T>(from: readonly T[], n: number): T => {
  const chosen = from[n % from.length];
  if (chosen === undefined) throw new Error('nothing to pick from');
  return chosen;
};

const isPaid = (fake: FakePortone, orderNo: string) => (fake.payments.get(orderNo)?.paidAt ?? null) !== null;

const steps: Record<string, Step> = {
  pay: ({ rig }, orderNo) => rig.payments.pay(rig.caller, orderNo, agreed),
  confirm: ({ rig, fake }, orderNo, n) =>
    rig.payments.confirm(
      rig.caller,
      orderNo,
      browser(fake.token(orderNo, { total: pick(amounts, n), ...(n % 7 === 0 ? { declined: 'NO' } : {}) })),
    ),
  // Somebody got round the confirmation: the window charged by itself, perhaps another amount.
  charge: ({ fake }, orderNo, n) =>
    isPaid(fake, orderNo) ? null : fake.charge(orderNo, { total: pick(amounts, n) }, true),
  cancel: ({ rig }, orderNo) => rig.payments.cancel(rig.caller, orderNo),
  webhook: ({ rig, fake }, orderNo, n) => rig.tell(fake.webhook(`Transaction.${pick(told, n)}`, orderNo)),
  takeBack({ fake }, orderNo, n) {
    if (fake.payments.get(orderNo)?.status !== 'PAID' || n % 3 > 0) return;
    fake.takeBack(orderNo, n % 2 ? 'CONSOLE' : 'CHARGEBACK', n % 4 ? undefined : 1);
  },
  async refund({ rig }, orderNo) {
    const order = await findAnyOrder(rig.store, orderNo);
    if (order?.status !== 'paid' || (await readCancellations(rig.store, orderNo)).length > 0) return;
    const refund = { orderNo, accountId: order.accountId, amountWon: WON, reason: 'no_capacity' };
    await rig.deps.store.transaction((tx) => requestRefund(tx, rig.deps, refund));
  },
  misbehave: ({ fake }, _, n) => fake.next(pick(operations, n), pick(wrongs, Math.floor(n / 4))),
  decideLater: ({ fake }, _, n) => fake.cancelLater(n % 2 === 0),
  decide: ({ fake }, orderNo, n) =>
    fake.payments.has(orderNo) && fake.decideCancellations(orderNo, n % 2 ? 'SUCCEEDED' : 'FAILED'),
  async wait(day, _, n) {
    await day.rig.clock.advance(pick([1_000, MINUTE, 10 * MINUTE, 31 * MINUTE], n));
    await expireOverdue(day);
    await day.rig.work();
  },
  work: ({ rig }) => rig.work(),
};

/** As the worker of orders does. */
async function expireOverdue({ rig, orders }: Day) {
  for (const orderNo of orders) {
    const order = await findAnyOrder(rig.store, orderNo);
    const payment = await findPayment(rig.store, orderNo);
    if (order?.status !== 'awaiting_payment' || order.payExpiresAt > rig.clock.now()) continue;
    if (payment?.status !== 'confirming') await rig.expire(orderNo);
  }
}

/** What nobody should be told, of everything that may be thrown. */
const unexpected = (error: unknown) => !(error instanceof ApiError) && !(error instanceof Died);

async function live(day: Day, plan: readonly { step: string; which: number; n: number; dies: number }[]) {
  const { rig, settings } = day;
  for (const { step, which, n, dies } of plan) {
    const act = steps[step];
    if (!act) throw new Error(`no step ${step}`);
    if (dies > 0)
      rig.restart(settings, mortal(rig.store, { at: dies, when: n % 2 ? 'before' : 'after' }).store);
    try {
      await act(day, pick(day.orders, which), n);
    } catch (error) {
      if (unexpected(error)) throw error;
    }
    if (dies > 0) rig.restart(settings);
  }
}

/** Nothing goes wrong any more, and time passes. */
async function calmDown(day: Day) {
  const { rig, fake, orders } = day;
  fake.behave();
  fake.cancelLater(false);
  for (const orderNo of orders) {
    if (!fake.payments.has(orderNo)) continue;
    fake.decideCancellations(orderNo, 'SUCCEEDED');
    // PortOne sends its messages again and again until they are taken.
    await rig.tell(fake.webhook('Transaction.Paid', orderNo));
  }
  for (let i = 0; i < 14; i++) {
    await rig.pass(5 * MINUTE, 5 * MINUTE);
    await expireOverdue(day);
  }
  await rig.pass(DAY, 60 * MINUTE);
}

async function problems({ rig, fake, orders }: Day): Promise<string[]> {
  const found = await moneyProblems(rig.store, fake.held(orders), orders);
  for (const orderNo of orders) {
    const order = await findAnyOrder(rig.store, orderNo);
    const payment = await findPayment(rig.store, orderNo);
    const there = fake.payments.get(orderNo);
    const say = `${orderNo} ${order?.status} ${payment?.status}, there ${there?.status}`;
    if (order?.status !== 'paid' && fake.held([orderNo]) !== 0) found.push(`${say}: money is kept`);
    if (order?.status === 'paid' && there?.total !== WON) found.push(`${say}: paid with ${there?.total}`);
    if (payment?.status === 'confirming') found.push(`${say}: still in doubt`);
    for (const { status, lastError } of await readCancellations(rig.store, orderNo)) {
      if (status === 'open' || status === 'failed') found.push(`${say}: a refund is ${status}, ${lastError}`);
    }
  }
  return found;
}

const plan = fc.array(
  fc.record({
    step: fc.constantFrom(...Object.keys(steps), 'pay', 'confirm', 'wait', 'work'),
    which: fc.nat(2),
    n: fc.nat(1000),
    // Most steps live; some die at one of their first commits.
    dies: fc.oneof(
      { weight: 4, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 5 }) },
    ),
  }),
  { minLength: 8, maxLength: 30 },
);

const variants = [true, false];
for (const manualConfirm of variants) {
  t.test(`PortOne ${manualConfirm ? 'with' : 'without'} manual confirm`, async (t: Test) => {
    const { rig, fake, settings } = await startPortoneRig(t, { manualConfirm });
    await fc.assert(
      fc.asyncProperty(plan, async (steps) => {
        fake.behave();
        const orders: string[] = [];
        // One more than is ever touched at once: its neighbors' troubles are not its own.
        for (let i = 0; i < 3; i++) orders.push((await rig.order(WON)).orderNo);
        const day = { rig, fake, settings, orders };
        await live(day, steps);
        await calmDown(day);
        const wrong = await problems(day);
        if (wrong.length > 0) throw new Error(wrong.join('\n'));
      }),
      { numRuns: runs(8, 40) },
    );
    t.same(await moneyProblems(rig.store, fake.held()), []);
  });
}
