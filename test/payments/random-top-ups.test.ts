// Days at random with top-ups: people, PortOne, banks, the operator, lost answers and deaths of the program in any order.
// In the end every won and every dollar is where it belongs.
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { readCancellations } from '../../control-plane/payments/store/payment-cancellations.js';
import { ApiError } from '../../control-plane/platform/domain/error-catalog.js';
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

const WON = 14_664;

interface Day {
  rig: Rig;
  fake: FakePortone;
  settings: Settings;
  topUps: readonly string[];
}

const pick = <T>(from: readonly T[], n: number): T => {
  const chosen = from[n % from.length];
  if (chosen === undefined) throw new Error('nothing to pick from');
  return chosen;
};

const amounts = [WON, WON, WON, 1, WON + 1];
const parts = [null, 1, 4_664, 10_000, WON];
const told = ['Paid', 'Failed', 'Cancelled', 'PartialCancelled'];
const wrongs: Misbehavior[] = [
  { kind: 'cut_before' },
  { kind: 'cut_after' },
  { kind: 'answer', status: 500, body: { type: 'INTERNAL' } },
  { kind: 'answer', status: 502, body: { type: 'PG_PROVIDER', pgCode: 'BUSY' } },
];
const operations: Operation[] = ['pre-register', 'confirm', 'lookup', 'cancel'];

const steps: Record<string, (day: Day, orderId: string, n: number) => unknown> = {
  pay: ({ rig }, orderId) => rig.topUpPayments.pay(rig.caller, orderId, agreed),
  confirm: ({ rig, fake }, orderId, n) =>
    rig.topUpPayments.confirm(rig.caller, orderId, browser(fake.token(orderId, { total: pick(amounts, n) }))),
  cancel: ({ rig }, orderId) => rig.topUpPayments.cancel(rig.caller, orderId),
  withdraw: ({ rig }, orderId, n) => rig.withdrawals.withdraw(rig.caller, orderId, pick(parts, n)),
  adjust: ({ rig }, _, n) => rig.adjust(n % 2 ? -(n * 9_973) - 1 : n * 977 + 1, 'at random'),
  webhook: ({ rig, fake }, orderId, n) => rig.tell(fake.webhook(`Transaction.${pick(told, n)}`, orderId)),
  takeBack({ fake }, orderId, n) {
    if (fake.payments.get(orderId)?.status !== 'PAID' || n % 3 > 0) return;
    fake.takeBack(orderId, n % 2 ? 'CONSOLE' : 'CHARGEBACK', n % 4 ? undefined : 777);
  },
  misbehave: ({ fake }, _, n) => fake.next(pick(operations, n), pick(wrongs, Math.floor(n / 4))),
  decideLater: ({ fake }, _, n) => fake.cancelLater(n % 2 === 0),
  decide: ({ fake }, orderId, n) =>
    fake.payments.has(orderId) && fake.decideCancellations(orderId, n % 2 ? 'SUCCEEDED' : 'FAILED'),
  async wait({ rig }, _, n) {
    await rig.clock.advance(pick([1_000, MINUTE, 10 * MINUTE, 61 * MINUTE], n));
    await rig.work();
  },
  work: ({ rig }) => rig.work(),
};

async function live(day: Day, plan: readonly { step: string; which: number; n: number; dies: number }[]) {
  const { rig, settings } = day;
  for (const { step, which, n, dies } of plan) {
    if (dies > 0) {
      rig.restart(settings, mortal(rig.store, { at: dies, when: n % 2 ? 'before' : 'after' }).store);
    }
    try {
      await steps[step]?.(day, pick(day.topUps, which), n);
    } catch (error) {
      if (!(error instanceof ApiError) && !(error instanceof Died)) throw error;
    }
    if (dies > 0) rig.restart(settings);
  }
}

/** Nothing goes wrong any more, and time passes. */
async function calmDown({ rig, fake, topUps }: Day) {
  fake.behave();
  fake.cancelLater(false);
  for (const orderId of topUps) {
    if (!fake.payments.has(orderId)) continue;
    fake.decideCancellations(orderId, 'SUCCEEDED');
    await rig.tell(fake.webhook('Transaction.Paid', orderId));
  }
  await rig.pass(70 * MINUTE, 5 * MINUTE);
  await rig.pass(DAY, 120 * MINUTE);
}

async function problems({ rig, fake, topUps }: Day): Promise<string[]> {
  const found = await moneyProblems(rig.store, fake.held(topUps), topUps);
  for (const orderId of topUps) {
    const { topUp } = await rig.topUpPayments.read(rig.caller, orderId);
    const there = fake.payments.get(orderId);
    const say = `${orderId} ${topUp.state} ${topUp.paymentStatus}, there ${there?.status}`;
    if (topUp.state !== 'credited' && fake.held([orderId]) !== 0) found.push(`${say}: money is kept`);
    if (topUp.state === 'credited' && there?.total !== WON) found.push(`${say}: paid with ${there?.total}`);
    if (topUp.paymentStatus === 'confirming' || topUp.withdrawingWon > 0)
      found.push(`${say}: still in doubt`);
    if (topUp.state === 'open') found.push(`${say}: still open`);
    for (const { status, reason, lastError } of await readCancellations(rig.store, orderId)) {
      const isOver = status !== 'open' && (status !== 'failed' || reason === 'withdrawn');
      if (!isOver) found.push(`${say}: a refund is ${status}, ${lastError}`);
    }
  }
  const [, reserved] = (await rig.credit()).split(' ');
  if (reserved !== '0.000000') found.push(`${reserved} stays reserved`);
  return found;
}

const plan = fc.array(
  fc.record({
    step: fc.constantFrom(...Object.keys(steps), 'pay', 'confirm', 'withdraw', 'wait', 'work'),
    which: fc.nat(1),
    n: fc.nat(1000),
    // Most steps live; some die at one of their first commits.
    dies: fc.oneof(
      { weight: 4, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 4 }) },
    ),
  }),
  { minLength: 8, maxLength: 24 },
);

t.test('won and dollars', async (t: Test) => {
  const { rig, fake, settings } = await startPortoneRig(t);
  await fc.assert(
    fc.asyncProperty(plan, async (steps) => {
      fake.behave();
      const topUps = [(await rig.topUp()).orderId, (await rig.topUp()).orderId];
      const day = { rig, fake, settings, topUps };
      // Somebody is about to pay.
      for (const orderId of topUps) await rig.topUpPayments.pay(rig.caller, orderId, agreed);
      await live(day, steps);
      await calmDown(day);
      const wrong = await problems(day);
      if (wrong.length > 0) throw new Error(wrong.join('\n'));
    }),
    { numRuns: runs(3, 60) },
  );
  t.same(await moneyProblems(rig.store, fake.held()), []);
});
