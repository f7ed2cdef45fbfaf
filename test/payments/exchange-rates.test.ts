// Where the exchange rate comes from, and what happens when its source does not answer.
import { join } from 'node:path';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { createExchangeRates } from '../../control-plane/payments/app/exchange-rates.js';
import { createEximbank } from '../../control-plane/payments/providers/eximbank.js';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';
import { createAdvancingClock } from '../../shared/clock.js';
import { putMigratedDatabase } from '../harness/migrated-database.js';
import { AUTH_KEY, startFakeEximbank } from './fake-eximbank.js';
import { DAY } from './rig.js';

const HOUR = 3_600_000;
/** Noon in Korea, on a Monday. */
const MONDAY = Date.parse('2026-03-02T03:00:00.000Z');

async function rig(t: Test, { fixedRate = null as string | null, authKey = AUTH_KEY, timeoutMs = 5_000 } = {}) {
  const bank = await startFakeEximbank(t);
  const clock = createAdvancingClock({ start: MONDAY });
  const file = join(t.testdir(), 'rates.db');
  await putMigratedDatabase(file);
  const store = openSqlite(file, { dataSync: async () => undefined });
  t.teardown(() => store.close());
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
  const start = () =>
    createExchangeRates({
      store,
      clock,
      log,
      limits: defaultLimits,
      fixedRate,
      published: createEximbank({ url: bank.url, authKey, timeoutMs }),
    });
  return { bank, clock, lines, start, rates: start() };
}

t.test('the rate of the day, which is fetched once an hour', async (t) => {
  const { bank, clock, rates, start } = await rig(t);
  bank.rates.set('2026-03-02', '1,466.40');
  t.same(await rates.today(), {
    fxDay: '2026-03-02',
    source: 'eximbank',
    krwPerUsd: '1466.40',
    fetchedAt: MONDAY,
  });
  await Promise.all([rates.today(), rates.today()]);
  await start().today();
  t.same(bank.asked, ['2026-03-02'], 'also after a restart');
  await clock.advance(HOUR);
  bank.rates.set('2026-03-02', '1,470');
  const answers = await Promise.all([rates.today(), rates.today(), rates.today()]);
  t.equal(bank.asked.length, 2, 'one request for all that wait');
  for (const { krwPerUsd } of answers) t.equal(krwPerUsd, '1470');
});

t.test('without a rate of today the latest one holds, over a long holiday too', async (t) => {
  const { bank, rates } = await rig(t);
  bank.rates.set('2026-02-20', '1,400.5');
  const { fxDay, krwPerUsd, fetchedAt } = await rates.today();
  t.same({ fxDay, krwPerUsd, fetchedAt }, { fxDay: '2026-02-20', krwPerUsd: '1400.5', fetchedAt: MONDAY });
  t.equal(bank.asked.length, 11);
});

t.test('the last published rate is not used if it is too old', async (t) => {
  const { bank, rates } = await rig(t);
  bank.rates.set('2026-02-19', '1,400.5');
  await t.rejects(rates.today(), { code: 'fx_unavailable' });
});

t.test('the last rate is used for seven days when the bank does not answer', async (t) => {
  const { bank, clock, rates, lines } = await rig(t);
  bank.rates.set('2026-03-02', '1,466.40');
  await rates.today();
  bank.answer('cut');
  await clock.advance(7 * DAY);
  t.equal((await rates.today()).krwPerUsd, '1466.40');
  const asked = bank.asked.length;
  await rates.today();
  t.equal(bank.asked.length, asked, 'a failed fetch is not repeated at once');
  await clock.advance(1);
  await t.rejects(rates.today(), { code: 'fx_unavailable' });
  bank.answer(null);
  bank.rates.set('2026-03-09', '1,450');
  await clock.advance(defaultLimits.fx_retry_ms);
  t.equal((await rates.today()).krwPerUsd, '1450');
  t.match(lines[0], /failed to fetch the exchange rate/);
});

t.test('invalid rates are not used, and the key is in no log', async (t) => {
  const row = (given: object) => JSON.stringify([{ result: 1, cur_unit: 'USD', deal_bas_r: '1,466.40', ...given }]);
  const cases: Record<string, Parameters<Awaited<ReturnType<typeof startFakeEximbank>>['answer']>[0]> = {
    'a cut connection': 'cut',
    'no answer': 'hang',
    'status 500': { status: 500, body: row({}) },
    'a redirect': { status: 302, body: '', location: 'http://127.0.0.1:1/' },
    'no JSON': { body: '<html>' },
    'another shape': { body: '{"rates":[]}' },
    'a refused key': { body: row({ result: 3, deal_bas_r: null }) },
    'the daily limit': { body: row({ result: 4 }) },
    'no dollars': { body: row({ cur_unit: 'EUR' }) },
    'no number': { body: row({ deal_bas_r: '1.466,40' }) },
    'a rate of nothing': { body: row({ deal_bas_r: '0' }) },
    'much text': { body: `["${'x'.repeat(300_000)}"]` },
  };
  const { bank, clock, rates, lines } = await rig(t, { timeoutMs: 50 });
  for (const [name, answer] of Object.entries(cases)) {
    bank.answer(answer);
    await t.rejects(rates.today(), { code: 'fx_unavailable' }, name);
    await clock.advance(defaultLimits.fx_retry_ms);
  }
  t.equal(lines.length, Object.keys(cases).length, 'each is logged');
  t.notMatch(lines.join(), AUTH_KEY);
  for (const body of ['[]', 'null', '']) {
    bank.answer({ body });
    await t.rejects(rates.today(), { code: 'fx_unavailable' }, `a day without rates: "${body}"`);
    await clock.advance(defaultLimits.fx_retry_ms);
  }
});

t.test('a wrong key is a failure, not a holiday', async (t) => {
  const { bank, rates, lines } = await rig(t, { authKey: 'wrong' });
  bank.rates.set('2026-03-02', '1,466.40');
  await t.rejects(rates.today(), { code: 'fx_unavailable' });
  t.match(lines[0], /the key is refused/);
});

t.test('a rate that jumps is left to the operator', async (t) => {
  const { bank, clock, rates, lines } = await rig(t);
  bank.rates.set('2026-03-02', '1,466.40');
  await rates.today();
  await clock.advance(DAY);
  bank.rates.set('2026-03-03', '146.64');
  t.equal((await rates.today()).krwPerUsd, '1466.40');
  t.match(lines[0], /differs by more than 10 %/);
});

t.test("the operator's rate wins, and nothing is fetched", async (t) => {
  const { bank, rates } = await rig(t, { fixedRate: '1400' });
  bank.rates.set('2026-03-02', '1,466.40');
  t.same(await rates.today(), { fxDay: '2026-03-02', source: 'fixed', krwPerUsd: '1400', fetchedAt: MONDAY });
  t.equal(await rates.refresh(), null);
  t.same(bank.asked, []);
});

t.test('the worker keeps a recent rate', async (t) => {
  const { bank, clock, rates } = await rig(t);
  bank.rates.set('2026-03-02', '1,466.40');
  t.equal(await rates.refresh(), MONDAY + HOUR, 'due again in an hour');
  bank.answer('cut');
  await clock.advance(HOUR);
  t.equal(await rates.refresh(), MONDAY + HOUR + defaultLimits.fx_retry_ms);
});
