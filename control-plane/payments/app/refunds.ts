// Refunds: requested inside a transaction, then carried out at the provider by a worker until they are certain.
import type { Clock } from '../../../shared/clock.js';
import { notify } from '../../access/app/notices.js';
import { newId } from '../../platform/domain/ids.js';
import type { Transaction } from '../../platform/store/sql.js';
import type { Wake } from '../../platform/wake.js';
import { type Cancellation, nextAttempt, nextStep, reasonText, tryOf } from '../domain/cancellation.js';
import { withdrawalFailed } from '../domain/payment-notices.js';
import { type FoundPayment, judge } from '../domain/provider-payment.js';
import { type PaymentProvider, ProviderUncertain } from '../providers/provider.js';
import { openSettlement } from '../store/manual-settlements.js';
import {
  type CancellationChanges,
  changeCancellation,
  findCancellation,
  insertCancellation,
  readDueCancellations,
} from '../store/payment-cancellations.js';
import { findPayment } from '../store/payments.js';
import { returnCredit } from './credit-payments.js';
import { providerOf, type ReconcileDeps } from './payment-reconciliation.js';
import { expectedOf, settle } from './payment-settlement.js';

/**
 * Requests the refund of a paid order in the caller's transaction. Credit is returned at once; the payer's bank may take
 * days, and the ledger records when it is done.
 *
 * @returns what came back as credit, millionths of a dollar; null if the payment method gets it
 *
 * @example await requestRefund(tx, deps, { orderNo, accountId, amountWon: order.amountWon, reason: 'no_capacity' });
 */
export async function requestRefund(
  tx: Transaction,
  { clock, wake }: { clock: Pick<Clock, 'now'>; wake: Pick<Wake, 'wake'> },
  refund: { orderNo: string; accountId: number; amountWon: number; reason: string },
): Promise<number | null> {
  const returned = await returnCredit(tx, { clock }, refund);
  if (returned !== null) return returned;
  const cancellationId = newId('pc');
  await insertCancellation(tx, { ...refund, cancellationId, creditMicroUsd: null, now: clock.now() });
  tx.onCommit(() => wake.wake('payments', refund.orderNo));
  return null;
}

const SIDE_BY_SIDE = 16;
const PASSES = 100;

/** Carries out due refunds; returns when the next one is due, or null. */
export async function carryOutCancellations(deps: ReconcileDeps): Promise<number | null> {
  for (let pass = 1; ; pass++) {
    const { due, nextAt } = await readDueCancellations(deps.store, deps.clock.now(), SIDE_BY_SIDE);
    if (due.length === 0 || pass === PASSES) return nextAt;
    // Money moves only for records that survive a power loss.
    await deps.store.durable();
    await Promise.all(due.map(({ cancellationId }) => carryOut(deps, cancellationId)));
  }
}

/** The same for one refund, in the request of a person who waits for it. */
export async function carryOutNow(deps: ReconcileDeps, cancellationId: string): Promise<void> {
  await deps.store.durable();
  await carryOut(deps, cancellationId);
}

/** Two cancellations of one payment cannot see each other's requests, so they run one after the other. */
async function carryOut(deps: ReconcileDeps, cancellationId: string): Promise<void> {
  const seen = await findCancellation(deps.store, cancellationId);
  if (!seen) return;
  await deps.cancelling.run(seen.orderNo, async () => {
    const c = await findCancellation(deps.store, cancellationId);
    // Another one may have made this attempt meanwhile.
    if (c?.status === 'open' && c.attempts === seen.attempts) await attempt(deps, c);
  });
}

/** One step of a cancellation with at most one request to cancel. Only what the provider lists counts as done. */
async function attempt(deps: ReconcileDeps, c: Cancellation): Promise<void> {
  const payment = await findPayment(deps.store, c.orderNo);
  const provider = payment && providerOf(deps, payment);
  if (!payment || !provider) return postpone(deps, c, payment ? 'provider_not_set_up' : 'no_payment');
  try {
    const found = await provider.lookup(c.orderNo);
    if (judge(expectedOf(payment, provider), found) === 'foreign') {
      return await postpone(deps, c, 'foreign_payment');
    }
    const step = nextStep(c, found);
    if (step.do !== 'ask') return await record(deps, c, provider, found, null);
    const answer = await provider.cancel({
      orderNo: c.orderNo,
      amountWon: step.amount,
      remaining: step.remaining,
      reason: reasonText(c),
      idempotencyKey: tryOf(c),
    });
    const refusal = answer.answer === 'refused' ? answer.code : null;
    await record(deps, c, provider, await provider.lookup(c.orderNo), refusal);
  } catch (error) {
    if (!(error instanceof ProviderUncertain)) {
      deps.log.error({ err: error, order: c.orderNo }, 'failed to carry out a refund; will retry');
    }
    await postpone(deps, c, error instanceof ProviderUncertain ? 'no_certain_answer' : 'internal_error');
  }
}

/** Records what the provider lists now, and the resulting state of the cancellation, in one transaction. */
function record(
  deps: ReconcileDeps,
  c: Cancellation,
  provider: PaymentProvider,
  found: FoundPayment,
  refusal: string | null,
): Promise<void> {
  const now = deps.clock.now();
  return deps.store.transaction(async (tx) => {
    await settle(tx, deps, c.orderNo, provider, found);
    const step = nextStep(c, found);
    if (step.do === 'done') {
      return end(tx, c, { status: 'succeeded', providerRef: step.found.id, lastError: null, endedAt: now });
    }
    if (step.do === 'nothing_left') {
      await end(tx, c, { status: 'void', lastError: 'nothing_left', endedAt: now });
      return notifyOfFailure(tx, deps, c);
    }
    if (step.do !== 'refused' && refusal === null) {
      return await retry(tx, deps, c, { lastError: null });
    }
    const refused = { ...c, attempts: c.attempts + 1, refusals: c.refusals + 1 };
    const lastError = refusal ?? 'failed_at_provider';
    const nextAttemptAt = nextAttempt(refused, now, deps.limits);
    if (nextAttemptAt === null) {
      deps.log.error(
        { order: c.orderNo, refund: c.cancellationId, lastError },
        'the provider refuses a refund; operator action is needed',
      );
      await end(tx, c, { status: 'failed', refusals: refused.refusals, lastError, endedAt: now });
      const { cancellationId: id, orderNo, accountId, amountWon } = c;
      await openSettlement(tx, { id, kind: 'refused', orderNo, accountId, amountWon, createdAt: now });
      tx.onCommit(() => deps.wake.wake('operator-notices'));
      return notifyOfFailure(tx, deps, c);
    }
    const { attempts, refusals } = refused;
    await changeCancellation(tx, c, { attempts, refusals, lastError, nextAttemptAt });
  });
}

async function end(tx: Transaction, c: Cancellation, changes: CancellationChanges): Promise<void> {
  await changeCancellation(tx, c, { ...changes, attempts: c.attempts + 1, nextAttemptAt: null });
}

/** Credit that was reserved is available again: nobody else would notice. */
async function notifyOfFailure(tx: Transaction, deps: ReconcileDeps, c: Cancellation): Promise<void> {
  if (c.creditMicroUsd === null) return;
  await notify(tx, deps, {
    accountId: c.accountId,
    kind: 'withdrawal_failed',
    says: withdrawalFailed(c.orderNo, c.amountWon),
  });
}

async function retry(
  tx: Transaction,
  { clock, limits }: ReconcileDeps,
  c: Cancellation,
  changes: CancellationChanges,
): Promise<void> {
  // Waiting does not count as a refusal, so there is always a next attempt.
  const nextAttemptAt = nextAttempt({ attempts: c.attempts, refusals: 0 }, clock.now(), limits);
  await changeCancellation(tx, c, { ...changes, attempts: c.attempts + 1, nextAttemptAt });
}

function postpone(deps: ReconcileDeps, c: Cancellation, lastError: string): Promise<void> {
  return deps.store.transaction((tx) => retry(tx, deps, c, { lastError }));
}
