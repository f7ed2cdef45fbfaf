// Top-ups of credit as what payments pay for.
import type { Clock } from '../../../shared/clock.js';
import { creditFor } from '../domain/credit.js';
import { ledgerEntries } from '../domain/ledger.js';
import type { Payable } from '../domain/payable.js';
import type { FoundCancellation } from '../domain/provider-payment.js';
import type { TopUp } from '../domain/top-up.js';
import { insertCreditEntry, readTakenWon } from '../store/credit-ledger.js';
import { changeTopUp, findTopUp } from '../store/top-ups.js';
import type { PayableRules } from './payables.js';

export function topUpPayables({ clock }: { clock: Pick<Clock, 'now'> }): PayableRules {
  return {
    async find(q, orderNo) {
      const topUp = await findTopUp(q, orderNo);
      return topUp && payableOf(topUp);
    },
    // A person of the organization has created the top-up. Real money needs the consent to its terms too.
    needsConsent: ({ remote }) => remote,
    refusal: async () => null,
    async pay(tx, orderNo, at) {
      const topUp = await findTopUp(tx, orderNo);
      if (!topUp || !(await changeTopUp(tx, orderNo, 'credit'))) return false;
      const { accountId, creditMicroUsd, amountWon } = topUp;
      await insertCreditEntry(tx, {
        accountId,
        kind: 'top_up',
        microUsd: creditMicroUsd,
        krw: amountWon,
        reason: null,
        at,
        orderId: orderNo,
        reference: `${orderNo}:payment`,
      });
      return true;
    },
    cancel: (tx, orderNo) => changeTopUp(tx, orderNo, 'cancel'),
    // It holds nothing, shows how its payment ended, and expires.
    unpayable: async () => undefined,
    async wentBack(tx, payment, found) {
      const topUp = await findTopUp(tx, payment.orderNo);
      // Money that was never credited, because it came too late or did not match.
      if (topUp?.state !== 'credited') return;
      for (const { amountWon, reference, at } of ledgerEntries(payment, found, clock.now())) {
        if (amountWon >= 0) continue;
        const taken = creditFor(topUp, await readTakenWon(tx, topUp.orderId), -amountWon);
        const cause = found.cancellations.find(({ id }) => reference.endsWith(`:${id}`));
        await insertCreditEntry(tx, {
          accountId: topUp.accountId,
          kind: kindOf(cause),
          microUsd: -taken,
          krw: amountWon,
          orderId: topUp.orderId,
          reason: null,
          reference,
          at,
        });
      }
    },
  };
}

/** A cancellation of a credited top-up that bears our mark is a withdrawal: others are made only before. */
const kindOf = (cause: FoundCancellation | undefined) =>
  cause?.chargeback ? 'chargeback' : /\(pc_\w+-\d+\)$/.test(cause?.reason ?? '') ? 'withdrawal' : 'refund';

export function payableOf({ orderId, accountId, amountWon, usd, state, expiresAt }: TopUp): Payable {
  return {
    kind: 'top_up',
    orderNo: orderId,
    accountId,
    amountWon,
    payExpiresAt: expiresAt,
    name: `${usd} USD of credit`,
    status: state === 'open' ? 'open' : state === 'expired' ? 'expired' : 'closed',
  };
}
