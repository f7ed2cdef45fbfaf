// Won from dollars, shares of credit, and the status of a top-up: pure decisions over their whole tables.
import fc from 'fast-check';
import t from 'tap';
import { creditFor, MICRO, wonFor } from '../../control-plane/payments/domain/credit.js';
import {
  isWithin,
  koreanDay,
  microUsdOf,
  parseRate,
  wonOf,
} from '../../control-plane/payments/domain/exchange-rate.js';
import { paymentStatuses } from '../../control-plane/payments/domain/payment.js';
import { type TopUpState, topUpStatus } from '../../control-plane/payments/domain/top-up.js';
import { usdText } from '../../control-plane/platform/domain/usd-text.js';
import { splitVat } from '../../control-plane/renting/domain/pricing.js';

t.test('won of dollars are exact where binary fractions are not', async (t) => {
  const cases: [usd: number, rate: string, won: number][] = [
    [85, '1466.40', 124_644],
    [165, '1466.40', 241_956],
    [170, '1466.40', 249_288],
    [175, '1466.40', 256_620],
    [180, '1425.15', 256_527],
    [325, '1466.40', 476_580],
    [1, '1466.40', 1_467],
    [1, '1466', 1_466],
    [10_000, '1380.55', 13_805_500],
    [3, '1000.000001', 3_001],
  ];
  for (const [usd, rate, won] of cases) t.equal(wonOf(usd, rate), won, `${usd} USD at ${rate}`);
  t.equal(Math.ceil(85 * 1466.4), 124_645, 'the trap');
});

t.test('won cost as few millionths of a dollar as cover them', async (t) => {
  const cases: [won: number, rate: string, microUsd: number][] = [
    [10_000, '1466.40', 6_819_422],
    [14_664, '1466.40', 10_000_000],
    [14_665, '1466.40', 10_000_682],
    [1, '1000', 1_000],
    [1, '999.999999', 1_001],
    [0, '1466.40', 0],
  ];
  for (const [won, rate, microUsd] of cases) t.equal(microUsdOf(won, rate), microUsd, `${won} won at ${rate}`);
  const rates = fc.integer({ min: 10_000, max: 10_000_000 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000_000 }), rates, (won, hundredths) => {
      const rate = `${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, '0')}`;
      const covered = (micro: number) => BigInt(micro) * BigInt(hundredths);
      const wanted = BigInt(won) * 100n * 1_000_000n;
      const micro = microUsdOf(won, rate);
      return covered(micro) >= wanted && covered(micro - 1) < wanted;
    }),
  );
});

t.test('a rate is taken as published, or not at all', async (t) => {
  const good: [string, string][] = [
    ['1,466.40', '1466.40'],
    ['1466.4', '1466.4'],
    ['1,380', '1380'],
    ['999.999999', '999.999999'],
  ];
  for (const [published, rate] of good) t.equal(parseRate(published), rate);
  const bad = ['', '0', '-1,466.40', '14,66.40', '1.466,40', '1e3', 'NaN', '99.9', '100001', ' 1466', '1466.'];
  for (const published of bad) t.equal(parseRate(published), null, published);
});

t.test('the day of a rate is a day in Korea', async (t) => {
  t.equal(koreanDay(Date.parse('2026-03-01T14:59:59.999Z')), '2026-03-01');
  t.equal(koreanDay(Date.parse('2026-03-01T15:00:00.000Z')), '2026-03-02');
  t.equal(koreanDay(Date.parse('2026-03-01T15:00:00.000Z'), 2), '2026-02-28');
});

t.test('a rate that jumps is not believed', async (t) => {
  t.ok(isWithin(10, '1540', '1400.00'));
  t.notOk(isWithin(10, '1540.01', '1400'));
  t.ok(isWithin(10, '1260.0', '1400'));
  t.notOk(isWithin(10, '1259.99', '1400'));
});

t.test('the VAT of a price and the price before it add up', async (t) => {
  const cases: [number, number][] = [
    [1_000, 91],
    [10_000, 909],
    [30_000, 2_727],
    [37_400, 3_400],
    [15_000, 1_364],
  ];
  for (const [total, vatWon] of cases) t.same(splitVat(total), { vatWon, supplyWon: total - vatWon });
});

t.test('dollars are written with six digits', async (t) => {
  const cases: [number, string][] = [
    [12_345_678, '12.345678'],
    [-1, '-0.000001'],
    [0, '0.000000'],
    [10_000 * MICRO, '10000.000000'],
    [-10 * MICRO, '-10.000000'],
  ];
  for (const [micro, text] of cases) t.equal(usdText(micro), text);
});

const bought = fc
  .tuple(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 10_000, max: 200_000_000 }))
  .map(([usd, rate]) => {
    const krwPerUsd = `${Math.floor(rate / 100)}.${String(rate % 100).padStart(2, '0')}`;
    return { amountWon: wonOf(usd, krwPerUsd), creditMicroUsd: usd * MICRO };
  });

t.test('however a payment is paid back, its parts take exactly its credit', async () => {
  fc.assert(
    fc.property(bought, fc.array(fc.integer({ min: 1, max: 1_000_000 }), { maxLength: 12 }), (all, parts) => {
      let gone = 0;
      let credit = 0;
      for (const part of [...parts, all.amountWon]) {
        const won = Math.min(part, all.amountWon - gone);
        const taken = creditFor(all, gone, won);
        if (taken < 0) return false;
        credit += taken;
        gone += won;
      }
      return gone === all.amountWon && credit === all.creditMicroUsd;
    }),
  );
});

t.test('what can be withdrawn for some credit is the most that it covers', async (t) => {
  fc.assert(
    fc.property(bought, fc.nat(), fc.nat(), (all, n, m) => {
      const before = n % (all.amountWon + 1);
      const available = m % (all.creditMicroUsd + 1);
      const won = wonFor(all, before, available);
      const covered = won === 0 || creditFor(all, before, won) <= available;
      // Without credit nothing is paid back, not even a won that costs less than a millionth of a dollar.
      if (available === 0) return won === 0;
      const most = before + won === all.amountWon || creditFor(all, before, won + 1) > available;
      return won >= 0 && covered && most;
    }),
  );
  t.equal(wonFor({ amountWon: 14_664, creditMicroUsd: 10 * MICRO }, 0, -5), 0, 'nothing of a debt');
});

t.test('the status of a top-up follows from it and its payment', async (t) => {
  const states: TopUpState[] = ['open', 'credited', 'expired', 'cancelled'];
  const seen = Object.fromEntries(
    paymentStatuses.map((status) => [
      status,
      states.map((state) => topUpStatus({ state, amountWon: 100 }, { status, cancelledWon: 0 })).join(' '),
    ]),
  );
  t.same(seen, {
    pending: 'pending pending expired cancelled',
    confirming: 'confirming confirming confirming confirming',
    paid: 'paid paid paid paid',
    late: 'failed failed expired cancelled',
    failed: 'failed failed failed failed',
    cancelled: 'cancelled cancelled cancelled cancelled',
  });
  const paid = (cancelledWon: number) =>
    topUpStatus({ state: 'credited', amountWon: 100 }, { status: 'paid', cancelledWon });
  t.same([paid(99), paid(100)], ['paid', 'cancelled']);
});
