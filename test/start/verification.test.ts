// What `cidermill admin verify` finds: nothing in a service that works, and every contradiction that is put into its rows.
import t, { type Test } from 'tap';
import type { Queries, Store } from '../../control-plane/platform/store/sql.js';
import { verify } from '../../control-plane/start/app/verification.js';
import { type Clock, systemClock } from '../../shared/clock.js';
import { makeBusy } from '../harness/busy-service.js';
import { contradictionsIn } from '../harness/contradictions.js';
import { startHarness } from '../harness/harness.js';
import { openBeside } from '../harness/open-beside.js';
import { onPostgres } from '../harness/postgres-database.js';
import { addHost, DAY, rent } from '../harness/renting.js';
import { runs } from '../harness/soak.js';

/** Each check by name, with a change of rows that it must find, and the subject of what it finds. */
const faults: Readonly<Record<string, readonly [sql: string | readonly string[], found: RegExp]>> = {
  one_build_on_a_mac: [
    `UPDATE builds SET status = 'running', rental_id = (SELECT rental_id FROM builds WHERE rental_id IS NOT NULL ORDER BY seq DESC LIMIT 1)
       WHERE seq IN (SELECT seq FROM builds ORDER BY seq DESC LIMIT 2)`,
    /^rt_\w+: 2 builds run on it/,
  ],
  running_build: [
    `UPDATE builds SET status = 'running', rental_id = NULL, host_id = NULL`,
    /^rb_\w+: it runs, with Mac none, host none/,
  ],
  queued_build: [
    `UPDATE builds SET status = 'queued', end_reason = 'timeout'`,
    /^rb_\w+: it is queued, with the end timeout/,
  ],
  end_of_build: [
    `UPDATE builds SET status = 'succeeded', end_reason = 'timeout', ended_at = 1`,
    /^rb_\w+: it is succeeded, with the reason timeout/,
  ],
  one_end_event: [`UPDATE builds SET status = 'failed'`, /^rb_\w+: it is failed, with [01] events of an end/],
  event_numbers: [
    'UPDATE builds SET event_sequence = event_sequence + 1',
    /^rb_\w+: \d events, up to number \d; the build counts/,
  ],
  build_on_ended_mac: [
    ['UPDATE rentals SET ended_at = 1', "UPDATE builds SET status = 'running' WHERE rental_id IS NOT NULL"],
    /^rb_\w+: it runs on rt_\w+, which has ended/,
  ],
  script_of_build: ['UPDATE builds SET script_id = 4711', /^rb_\w+: its script 4711 is missing/],
  sources_of_build: [
    `UPDATE builds SET upload_id = 'up_gone', status = 'queued'`,
    /^rb_\w+: its upload up_gone is missing/,
  ],
  event_is_sent: ['UPDATE events SET fanned_out = 0, occurred_at = 1', /^evt_\w+: [\w.]+ of [\w-]+ still waits/],
  paid_time: [
    'UPDATE rentals SET ended_at = NULL, ends_at = starts_at + 60000 WHERE hours IS NOT NULL',
    /^rt_\w+: it lasts 60 s; \d+ hours are paid/,
  ],
  mac_of_build: [`UPDATE macs SET build_id = 'rb_gone'`, /^rt_\w+: it names rb_gone, which is missing/],
  build_of_mac: [
    ["UPDATE builds SET status = 'running' WHERE rental_id IS NOT NULL", 'UPDATE macs SET build_id = NULL'],
    /^rb_\w+: it runs on rt_\w+, which names none/,
  ],
  one_owner: [
    "UPDATE events SET account_id = (SELECT MAX(id) FROM organizations) WHERE subject_kind <> 'build'",
    /^evt_\w+: it belongs to account \d+, r\w+(-\w+)* to \d+/i,
  ],
  paid_in_ledger: [
    "UPDATE payments SET amount_won = amount_won + 1 WHERE status = 'paid'",
    /^RT-[\w-]+: it is paid with \d+ won; the ledger has \d+/,
  ],
  returned_in_ledger: ['UPDATE payments SET cancelled_won = 5', /^RT-[\w-]+: 5 won went back; the ledger has 0/],
  nothing_kept: [
    "UPDATE payments SET status = 'failed', updated_at = 1",
    /^RT-[\w-]+: it is failed, and \d+ won are kept/,
  ],
  approvals_without_money: ["UPDATE payments SET provider = 'approval'", /^RT-[\w-]+: the ledger has \d+ won/],
  order_is_paid: ["UPDATE payments SET status = 'late'", /^RT-[\w-]+: it is \w+, its payment late/],
  credit_balance: [
    'UPDATE credit_ledger SET balance_micro_usd = balance_micro_usd + 1',
    /^entry \d+: its balance is \d+ millionths/,
  ],
  bytes_of_contents: [
    'UPDATE account_usage SET contents_bytes = contents_bytes + 3',
    /^account \d+: \d+ bytes are counted; the rows have \d+/,
  ],
  bytes_of_artifacts: [
    'UPDATE account_usage SET artifacts_bytes = artifacts_bytes + 3',
    /^account \d+: 3 bytes are counted; the rows have 0/,
  ],
  bytes_of_logs: [
    'UPDATE account_usage SET logs_bytes = logs_bytes + 3',
    /^account \d+: \d+ bytes are counted; the rows have \d+/,
  ],
  bytes_of_records: [
    'UPDATE account_usage SET records_bytes = records_bytes + 3',
    /^account \d+: \d+ bytes are counted; the rows have \d+/,
  ],
  slots: ['UPDATE slots SET retired_at = 1', /^rt_\w+: rt_\w+ is in the slot slot_\w+, which is retired/],
};

/** Checks of the database itself, which it does not let a test break by a statement. */
const ofTheDatabase = ['database_file', 'references'];

async function busy(t: Test) {
  const h = await startHarness(t, { receivers: true, oneClock: true });
  await makeBusy(h);
  await h.parts.payments.credit.adjust(h.org.id, 5_000_000, 'goodwill');
  await rent(h, await addHost(h, 2));
  await h.workers.idle();
  return h;
}

/** Returns what the check says of rows that have been changed, as `subject: what was found`; the change is rolled back. */
async function foundBy(
  store: Store,
  clock: Clock,
  name: string,
  changes: string | readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  const undo = new Error('rolled back');
  const changing = store.transaction(async (tx) => {
    for (const sql of [changes].flat()) await tx.run(sql);
    const changed = { ...store, snapshot: <T>(fn: (q: Queries) => Promise<T>) => fn(tx) };
    for await (const one of verify({ store: changed, clock, realClock: systemClock })) {
      if (one.name === name) found.push(...one.contradictions.map(({ subject, found: what }) => `${subject}: ${what}`));
    }
    throw undo;
  });
  await changing.catch((error: unknown) => {
    if (error !== undo) throw new Error(`${name}: ${error}`, { cause: error });
  });
  return found;
}

/** Tests pay orders without a payment. */
const isNoShortcut = (found: string) => !/^order_is_paid: .* its payment is missing$/.test(found);

/** The payments that these orders would have. */
const PAYMENTS = [
  `INSERT INTO payments (order_no, account_id, kind, provider, status, amount_won, created_at, updated_at)
     SELECT order_no, account_id, 'order', 'sandbox', 'paid', amount_won, 1, 1 FROM orders WHERE paid_at IS NOT NULL`,
  `INSERT INTO ledger (account_id, order_no, kind, amount_won, reference, at)
     SELECT account_id, order_no, 'payment', amount_won, order_no, 1 FROM payments`,
];

t.test('a service that works has no contradiction, whatever has been purged', async (t) => {
  const h = await busy(t);
  for (const after of runs(1, 2) === 1 ? [0, DAY] : [0, DAY, 40 * DAY]) {
    await h.clock.advance(after);
    t.same((await contradictionsIn(h)).filter(isNoShortcut), [], `after ${after / DAY} days`);
  }
});

t.test('every check finds what it is about', async (t) => {
  const h = await busy(t);
  const { clock } = h;
  const store = await openBeside(h.data);
  t.teardown(() => store.close());
  for (const sql of PAYMENTS) await store.run(sql);
  t.same(await contradictionsIn(h), []);
  const names: string[] = [];
  for await (const { name } of verify({ store, clock, realClock: systemClock })) names.push(name);
  t.same(
    names.filter((name) => !(name in faults)).sort(),
    onPostgres() ? [] : ofTheDatabase,
    'every check has a fault here',
  );
  for (const [name, [sql, expected]] of Object.entries(faults)) {
    const found = await foundBy(store, clock, name, sql);
    t.ok(found.length > 0 && found.every((one) => expected.test(one)), `${name}: ${found.slice(0, 3).join('; ')}`);
  }
  t.same(await contradictionsIn(h), [], 'all of it was rolled back');
});
