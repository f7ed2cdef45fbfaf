// Days at random: people, PortOne, banks, lost answers and deaths of the program in any order. Whatever happened, in the
// end every won is where it belongs. Orders and top-ups share what is here.
import fc from 'fast-check';
import type { Payments } from '../../control-plane/payments/app/payments.js';
import { findPayment } from '../../control-plane/payments/store/payments.js';
import { ApiError } from '../../control-plane/platform/domain/error-catalog.js';
import type { FakePortone, Misbehavior, Operation } from './fake-portone.js';
import { Died, mortal } from './mortal-store.js';
import { agreed, browser, DAY, MINUTE, moneyProblems, type Rig, type Settings } from './rig.js';
import { readCancellations } from './rows.js';

export interface Day {
  readonly rig: Rig;
  readonly fake: FakePortone;
  readonly settings: Settings;
  /** The orders or top-ups of the day. */
  readonly ids: readonly string[];
}

/** @param n a random number, from which it takes its choices */
export type Step = (day: Day, id: string, n: number) => unknown;

export interface Kind {
  /** Won of each. */
  readonly won: number;
  payments(rig: Rig): Pick<Payments<unknown>, 'pay' | 'confirm' | 'cancel'>;
  open(rig: Rig): Promise<readonly string[]>;
  /** What only this kind has. */
  readonly steps: Readonly<Record<string, Step>>;
  /** Steps that are taken more often, besides those of `often`. */
  readonly often: readonly string[];
  /** Work that the rig's workers do not do. */
  expire?(day: Day): Promise<void>;
  /** Whether it was paid and is kept; a text says what is wrong with it. */
  verdict(day: Day, id: string): Promise<{ isPaid: boolean; problems: readonly string[] }>;
  /** Refunds with this reason may end as failed. */
  readonly mayFail?: string;
}

export const pick = <T>(from: readonly T[], n: number): T => {
  const chosen = from[n % from.length];
  if (chosen === undefined) throw new Error('nothing to pick from');
  return chosen;
};

const told = ['Paid', 'Failed', 'Cancelled', 'PartialCancelled', 'Ready', 'DisputeCreated'];
const wrongs: Misbehavior[] = [
  { kind: 'cut_before' },
  { kind: 'cut_after' },
  { kind: 'answer', status: 500, body: { type: 'INTERNAL' } },
  { kind: 'answer', status: 502, body: { type: 'PG_PROVIDER', pgCode: 'BUSY' } },
  { kind: 'answer', status: 200, body: 'nonsense' },
];
const operations: Operation[] = ['pre-register', 'confirm', 'lookup', 'cancel'];
const often = ['pay', 'confirm', 'charge', 'wait', 'work'];

function stepsOf({ won, payments, steps, expire }: Kind): Readonly<Record<string, Step>> {
  const amounts = [won, won, won, won, 1, won + 1];
  return {
    pay: ({ rig }, id) => payments(rig).pay(rig.caller, id, agreed),
    confirm: ({ rig, fake }, id, n) => {
      const given = { total: pick(amounts, n), ...(n % 7 === 0 ? { declined: 'NO' } : {}) };
      return payments(rig).confirm(rig.caller, id, browser(fake.token(id, given)));
    },
    // Somebody bypassed the confirmation: the window charged by itself, perhaps another amount.
    charge: ({ fake }, id, n) =>
      (fake.payments.get(id)?.paidAt ?? null) === null && fake.charge(id, { total: pick(amounts, n) }, true),
    cancel: ({ rig }, id) => payments(rig).cancel(rig.caller, id),
    webhook: ({ rig, fake }, id, n) => rig.tell(fake.webhook(`Transaction.${pick(told, n)}`, id)),
    takeBack: ({ fake }, id, n) =>
      (fake.payments.get(id)?.paidAt ?? null) !== null &&
      fake.takeBack(id, n % 3 ? 'CONSOLE' : 'CHARGEBACK', n % 4 < 2 ? undefined : pick([1, 777], n)),
    misbehave: ({ fake }, _, n) => fake.next(pick(operations, n), pick(wrongs, Math.floor(n / 4))),
    decideLater: ({ fake }, _, n) => fake.cancelLater(n % 2 === 0),
    decide: ({ fake }, id, n) => fake.payments.has(id) && fake.decideCancellations(id, n % 2 ? 'SUCCEEDED' : 'FAILED'),
    async wait(day, _, n) {
      await day.rig.clock.advance(pick([1_000, MINUTE, 10 * MINUTE, 31 * MINUTE, 61 * MINUTE], n));
      await expire?.(day);
      await day.rig.work();
    },
    work: ({ rig }) => rig.work(),
    ...steps,
  };
}

interface Plan {
  readonly steps: readonly { step: string; which: number; n: number; dies: number }[];
  /** Whether the provider decides about refunds later, until a step changes that. */
  readonly later: boolean;
  /** How it decides about what is left in the end. */
  readonly decided: 'SUCCEEDED' | 'FAILED';
}

function plans(kind: Kind): fc.Arbitrary<Plan> {
  const names = [...Object.keys(stepsOf(kind)), ...often, ...kind.often];
  const step = fc.record({
    step: fc.constantFrom(...names),
    which: fc.nat(2),
    n: fc.nat(1000),
    // In most steps the program lives; in some it dies at one of its first commits.
    dies: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 5 }) }),
  });
  return fc.record({
    steps: fc.array(step, { minLength: 8, maxLength: 30 }),
    later: fc.boolean(),
    decided: fc.constantFrom('SUCCEEDED', 'FAILED'),
  });
}

async function live(day: Day, steps: Readonly<Record<string, Step>>, plan: Plan['steps']) {
  const { rig, settings, ids } = day;
  for (const { step, which, n, dies } of plan) {
    if (dies > 0) {
      rig.restart(settings, mortal(rig.store, { at: dies, when: n % 2 ? 'before' : 'after' }).store);
    }
    try {
      await steps[step]?.(day, pick(ids, which), n);
    } catch (error) {
      // Anything else is a fault.
      if (!(error instanceof ApiError) && !(error instanceof Died)) throw error;
    }
    if (dies > 0) rig.restart(settings);
  }
}

/** From here on no fault is injected, and time passes. */
async function calmDown(day: Day, { expire }: Kind, decided: Plan['decided']) {
  const { rig, fake, ids } = day;
  fake.behave();
  fake.cancelLater(false);
  for (const id of ids) {
    if (!fake.payments.has(id)) continue;
    fake.decideCancellations(id, decided);
    // PortOne sends its messages again and again until they are taken.
    await rig.tell(fake.webhook('Transaction.Paid', id));
  }
  for (let i = 0; i < 14; i++) {
    await rig.pass(5 * MINUTE, 5 * MINUTE);
    await expire?.(day);
  }
  await rig.pass(DAY, 120 * MINUTE);
}

async function problems(day: Day, kind: Kind): Promise<string[]> {
  const { rig, fake, ids } = day;
  const found = await moneyProblems(rig.store, fake.held(ids), ids);
  for (const id of ids) {
    const { isPaid, problems } = await kind.verdict(day, id);
    const payment = await findPayment(rig.store, id);
    const there = fake.payments.get(id);
    const say = `${id} ${isPaid ? 'is paid' : 'is not paid'}, ${payment?.status}, there ${there?.status}`;
    found.push(...problems.map((problem) => `${say}: ${problem}`));
    if (!isPaid && fake.held([id]) !== 0) found.push(`${say}: money is kept`);
    if (isPaid && there?.total !== kind.won) found.push(`${say}: paid with ${there?.total}`);
    if (payment?.status === 'confirming') found.push(`${say}: still in doubt`);
    for (const { status, reason, lastError } of await readCancellations(rig.store, id)) {
      const isOver = status !== 'open' && (status !== 'failed' || reason === kind.mayFail);
      if (!isOver) found.push(`${say}: a refund is ${status}, ${lastError}`);
    }
  }
  return found;
}

/** Lives through `numRuns` days, and throws the shortest one after which something is wrong. */
export async function liveRandomDays(given: Omit<Day, 'ids'>, kind: Kind, numRuns: number): Promise<void> {
  const { rig, fake } = given;
  const steps = stepsOf(kind);
  const day = fc.asyncProperty(plans(kind), async (plan) => {
    fake.behave();
    fake.cancelLater(plan.later);
    const day = { ...given, ids: await kind.open(rig) };
    await live(day, steps, plan.steps);
    await calmDown(day, kind, plan.decided);
    const wrong = await problems(day, kind);
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
  });
  await fc.assert(day, { numRuns });
}
