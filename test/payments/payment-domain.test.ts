// Payments and cancellations as tables: every status and event, every answer of a provider.
import fc from 'fast-check';
import t from 'tap';
import {
  type Cancellation,
  nextAttempt,
  nextStep,
  reasonText,
  tryOf,
} from '../../control-plane/payments/domain/cancellation.js';
import {
  isOpen,
  nextFetch,
  paymentEvents,
  paymentStatuses,
  paymentTransitions,
} from '../../control-plane/payments/domain/payment.js';
import {
  cancellableOf,
  type ExpectedPayment,
  type FoundCancellation,
  type FoundPayment,
  foundStates,
  isWon,
  judge,
  leftOf,
  mismatchOf,
  returnedOf,
} from '../../control-plane/payments/domain/provider-payment.js';
import { topUpEvents, topUpStates, topUpTransitions } from '../../control-plane/payments/domain/top-up.js';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';

const expected: ExpectedPayment = { id: 'RT-1', totalWon: 10_000, storeId: 's', testAllowed: false };

const found = (given: Partial<FoundPayment> = {}): FoundPayment => ({
  state: 'paid',
  id: 'RT-1',
  storeId: 's',
  total: 10_000,
  currency: 'KRW',
  live: true,
  txId: 'tx',
  method: 'card',
  paidAt: 1,
  receiptUrl: null,
  failureCode: null,
  cancellations: [],
  ...given,
});

const gone = (amount: number, given: Partial<FoundCancellation> = {}): FoundCancellation => ({
  id: `c${amount}`,
  status: 'succeeded',
  amount,
  reason: 'by hand',
  chargeback: false,
  at: 2,
  ...given,
});

t.test('every payment status and event', async (t) => {
  const lines = paymentStatuses.flatMap((status) =>
    paymentEvents.map((event) => `${status} ${event}: ${paymentTransitions[status][event]}`),
  );
  const possible = [
    'pending ask: confirming',
    'pending charged: paid',
    'pending charged_late: late',
    'pending mismatch: failed',
    'pending declined: pending',
    'pending returned: cancelled',
    'confirming charged: paid',
    'confirming charged_late: late',
    'confirming mismatch: failed',
    'confirming not_charged: pending',
    'confirming declined: pending',
    'confirming returned: cancelled',
    'paid returned: cancelled',
  ];
  t.same(
    lines.filter((line) => !line.endsWith('null')),
    possible,
  );
  t.equal(lines.length, paymentStatuses.length * paymentEvents.length);
  for (const status of paymentStatuses) {
    t.equal(isOpen({ status }), paymentTransitions[status].charged === 'paid', `${status} can still be paid`);
  }
});

t.test('every state and event of a top-up', async (t) => {
  const lines = topUpStates.flatMap((state) =>
    topUpEvents.map((event) => `${state} ${event}: ${topUpTransitions[state][event]}`),
  );
  t.same(
    lines.filter((line) => !line.endsWith('null')),
    ['open credit: credited', 'open expire: expired', 'open cancel: cancelled'],
  );
  t.equal(lines.length, topUpStates.length * topUpEvents.length);
});

t.test('what a fetched payment means', async (t) => {
  const verdicts = Object.fromEntries(foundStates.map((state) => [state, judge(expected, found({ state }))]));
  t.same(verdicts, {
    none: 'nothing',
    ready: 'nothing',
    pending: 'undecided',
    paid: 'charged',
    failed: 'declined',
    cancelled: 'returned',
    partially_cancelled: 'wrong',
  });
  for (const [amount, verdict] of [
    [9_999, 'wrong'],
    [10_000, 'returned'],
    [10_001, 'returned'],
  ] as const) {
    const given = found({ state: 'partially_cancelled', cancellations: [gone(amount)] });
    t.equal(judge(expected, given), verdict, `${amount} of 10,000 went back`);
    t.equal(leftOf(given), 10_000 - amount);
  }
  const wrong: [Partial<FoundPayment>, string, string, boolean][] = [
    [{ total: 9_999 }, 'total', 'wrong', true],
    [{ total: 10_001 }, 'total', 'wrong', true],
    [{ total: 1 }, 'total', 'wrong', true],
    [{ currency: 'USD' }, 'currency', 'wrong', false],
    [{ live: false }, 'channel', 'wrong', false],
    [{ id: 'RT-2' }, 'id', 'foreign', false],
    [{ storeId: 'other' }, 'store', 'foreign', false],
    [{ storeId: null }, 'store', 'foreign', false],
  ];
  for (const [given, mismatch, verdict, won] of wrong) {
    t.equal(mismatchOf(expected, found(given)), mismatch, JSON.stringify(given));
    t.equal(judge(expected, found(given)), verdict);
    t.equal(isWon(expected, found(given)), won, 'only won of ours go into the ledger');
  }
  const test = { ...expected, testAllowed: true };
  t.equal(judge(test, found({ live: false })), 'charged', 'a test channel, where that is allowed');
  for (const state of foundStates) {
    if (state === 'none') continue;
    t.equal(judge(expected, found({ state, id: 'RT-2' })), 'foreign', `${state} of another payment says nothing`);
    t.equal(isWon(expected, found({ state })), ['paid', 'cancelled', 'partially_cancelled'].includes(state));
  }
});

const cancellation = (given: Partial<Cancellation> = {}): Cancellation => ({
  cancellationId: 'pc_1',
  orderNo: 'RT-1',
  accountId: 1,
  amountWon: 10_000,
  reason: 'no_capacity',
  creditMicroUsd: null,
  status: 'open',
  providerRef: null,
  lastError: null,
  attempts: 0,
  refusals: 1,
  nextAttemptAt: 0,
  createdAt: 0,
  endedAt: null,
  ...given,
});

t.test('what to do about money that is to go back', async (t) => {
  const c = cancellation();
  const ours = (given: Partial<FoundCancellation> = {}) => gone(10_000, { reason: reasonText(c), ...given });
  const first = reasonText(cancellation({ refusals: 0 }));
  t.equal(reasonText(c), 'No Mac was available (pc_1-1)');
  t.equal(tryOf(c), 'pc_1-1');
  const cases: [string, Partial<FoundPayment>, object][] = [
    ['it is there', {}, { do: 'ask', amount: 10_000, remaining: 10_000 }],
    ['a part is there', { cancellations: [gone(4_000)] }, { do: 'ask', amount: 6_000, remaining: 6_000 }],
    ['ours is on its way', { cancellations: [ours({ status: 'requested' })] }, { do: 'wait' }],
    ['ours is done', { state: 'cancelled', cancellations: [ours()] }, { do: 'done' }],
    ['this try failed', { cancellations: [ours({ status: 'failed' })] }, { do: 'refused' }],
    ['an earlier try failed', { cancellations: [ours({ status: 'failed', reason: first })] }, { do: 'ask' }],
    ['an earlier try went through', { cancellations: [ours({ reason: first })] }, { do: 'done' }],
    ['others were first', { state: 'cancelled', cancellations: [gone(10_000)] }, { do: 'nothing_left' }],
    ['others are at a part of it', { cancellations: [gone(1, { status: 'requested' })] }, { do: 'wait' }],
    ['others are at it', { cancellations: [gone(10_000, { status: 'requested' })] }, { do: 'wait' }],
    ['others took all of it', { state: 'partially_cancelled', cancellations: [gone(10_000)] }, { do: 'nothing_left' }],
    ['the provider does not know it', { state: 'none' }, { do: 'wait' }],
    ['the provider says it was not paid', { state: 'ready' }, { do: 'wait' }],
  ];
  for (const [name, given, step] of cases) t.match(nextStep(c, found(given)), step, name);
  const whole = cancellation({ amountWon: null });
  t.match(nextStep(whole, found({ currency: 'USD', total: 77 })), { do: 'ask', amount: null, remaining: 77 });
});

t.test('never more goes back than was paid, whether the service or the provider returns it', async () => {
  const parts = fc.array(
    fc.record({
      amount: fc.integer({ min: 1, max: 4_000 }),
      status: fc.constantFrom('requested', 'succeeded', 'failed'),
    }),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(parts, fc.integer({ min: 1, max: 10_000 }), (given, amountWon) => {
      let left = 10_000;
      const cancellations = given.flatMap(({ amount, status }, i) => {
        if (status !== 'failed' && amount > left) return [];
        if (status !== 'failed') left -= amount;
        return [gone(amount, { status, id: `c${i}` })];
      });
      const payment = found({ state: 'partially_cancelled', cancellations });
      if (cancellableOf(payment) !== left || returnedOf(payment) > 10_000) return false;
      const step = nextStep(cancellation({ amountWon }), payment);
      const isContested = cancellations.some(({ status }) => status === 'requested');
      if (isContested && left < amountWon) return step.do === 'wait';
      if (left === 0) return step.do === 'nothing_left';
      return step.do === 'ask' && step.remaining === left && step.amount === Math.min(amountWon, left);
    }),
  );
});

t.test('when a payment is fetched again', async (t) => {
  const limits = { ...defaultLimits };
  const base = {
    ...({ kind: 'order', attempts: 0, createdAt: 0, askedAt: 0, paidAt: null } as const),
    certain: true,
    remote: true,
  };
  const HOUR = 3_600_000;
  const DAY = 24 * HOUR;
  const cases: [string, Parameters<typeof nextFetch>[0], number, number | null][] = [
    ['being asked', { ...base, status: 'confirming' }, 0, 5_000],
    ['waits double', { ...base, status: 'confirming', attempts: 3 }, 0, 40_000],
    ['while it is asked here too', { ...base, status: 'confirming', remote: false }, 0, 5_000],
    ['when patience ends', { ...base, status: 'confirming', attempts: 50 }, 0, HOUR / 2],
    ['up to an hour', { ...base, status: 'confirming', attempts: 50 }, HOUR, 2 * HOUR],
    ['a pay window may be open', { ...base, status: 'pending', attempts: 20 }, 0, 60_000],
    ['even when the link is over', { ...base, status: 'pending', attempts: 50 }, HOUR, 2 * HOUR],
    ['for a day', { ...base, status: 'pending', attempts: 50 }, DAY, null],
    ['longer without an answer', { ...base, status: 'pending', attempts: 50, certain: false }, 9 * DAY, 9 * DAY + HOUR],
    ['not at a provider of our own', { ...base, status: 'pending', remote: false }, 0, null],
    ['paid', { ...base, status: 'paid', paidAt: 0 }, 0, DAY],
    ['paid some time ago', { ...base, status: 'paid', paidAt: 0, attempts: 3 }, 7 * DAY, 14 * DAY],
    ['paid long ago', { ...base, status: 'paid', paidAt: 0, attempts: 9 }, 174 * DAY, null],
    ['paid here', { ...base, status: 'paid', paidAt: 0, remote: false }, 0, null],
    ['late', { ...base, status: 'late' }, 0, null],
    ['gone back', { ...base, status: 'cancelled' }, 0, null],
    ['gone back, no answer', { ...base, status: 'cancelled', certain: false }, 0, 5_000],
  ];
  for (const [name, moment, now, at] of cases) t.equal(nextFetch(moment, now, limits), at, name);
  t.equal(nextAttempt({ attempts: 2, refusals: 4 }, 0, limits), 20_000);
  t.equal(nextAttempt({ attempts: 2, refusals: 5 }, 0, limits), null, 'a person must see to it');
});
