// What billing computes itself: prices as the service computes them, and the CSV of a ledger.
import fc from 'fast-check';
import t from 'tap';
import type { CreditEntry } from '../../client/types.js';
import { ledgerCsv } from '../../control-plane/console/pages/billing/csv.js';
import { creditGone, priceOf, rateText, vatOf } from '../../control-plane/console/pages/billing/price.js';
import { parseBillingSearch } from '../../control-plane/console/pages/billing/search.js';
import { creditFor } from '../../control-plane/payments/domain/credit.js';
import { wonOf } from '../../control-plane/payments/domain/exchange-rate.js';
import { splitVat } from '../../control-plane/renting/domain/pricing.js';

t.test('the price that is shown is the price that is asked', async (t) => {
  const rates = fc
    .tuple(fc.integer({ min: 100, max: 99_999 }), fc.constantFrom('', '.4', '.40', '.05', '.123456'))
    .map(([whole, fraction]) => `${whole}${fraction}`);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), rates, (usd, rate) => {
      const won = priceOf(usd, rate);
      return won === wonOf(usd, rate) && vatOf(won) === splitVat(won).vatWon;
    }),
  );
  t.equal(priceOf(85, '1466.40'), 124_644);
});

t.test('the credit that is shown is the credit that a withdrawal takes', async () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000_000 }), fc.nat(), (amount_krw, n) => {
      const won = n % (amount_krw + 1);
      const credit_micro_usd = 1_000_000 + n;
      const bought = { amountWon: amount_krw, creditMicroUsd: credit_micro_usd };
      return creditGone({ amount_krw, credit_micro_usd }, won) === creditFor(bought, 0, won);
    }),
  );
});

t.test('a rate keeps its digits', async (t) => {
  const won = (amount: number) => `₩${amount.toLocaleString('en')}`;
  t.equal(rateText('1466.40', won), '₩1,466.40');
  t.equal(rateText('1400', won), '₩1,400');
});

t.test('a reason is no formula in a spreadsheet', async (t) => {
  const entry = (reason: string | null): CreditEntry => ({
    id: 'ce_1',
    at: '2026-03-01T09:00:00.000Z',
    kind: 'adjustment',
    micro_usd: -1,
    credit_usd: '-0.000001',
    balance_usd: '0.000000',
    order_id: null,
    order_no: null,
    krw: null,
    reason,
  });
  const cellOf = (reason: string | null) =>
    ledgerCsv([entry(reason)])
      .split('\r\n')[1]
      ?.split(',')
      .slice(7, -1)
      .join();
  t.equal(cellOf('=1+1'), "'=1+1");
  t.equal(cellOf('@x'), "'@x");
  t.equal(cellOf('-5'), '-5', 'a number stays one');
  t.equal(cellOf('a "b", c'), '"a ""b"", c"');
  t.equal(cellOf(null), '');
  t.match(ledgerCsv([]), /^\ufeffat,kind,credit_usd/);
});

t.test('an unknown tab is the first one', async (t) => {
  t.same(parseBillingSearch({ tab: 'ledger' }), { tab: 'ledger' });
  t.same(parseBillingSearch({ tab: 'x' }), { tab: 'topups' });
});
