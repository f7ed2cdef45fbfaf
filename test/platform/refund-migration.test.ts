// Older databases: what refunds added is filled in, and rentals that were one row are split into Mac and rental.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { migrate } from '../../control-plane/platform/store/migrate.js';
import { migrations } from '../../control-plane/platform/store/migrations/all.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';

t.test('orders and rentals of an older database get their sums', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'cidermill-migration-'));
  const store = openSqlite(join(dir, 'db'));
  t.teardown(async () => {
    await store.close();
    rmSync(dir, { recursive: true });
  });
  const before = migrations.slice(
    0,
    migrations.findIndex(({ name }) => name === 'refunds-and-grants'),
  );
  await migrate(store, before, 0);
  await store.run(
    `INSERT INTO organizations (id, org_id, name, slug, status, created_at) VALUES (1, 'o', 'o', 'o', 'active', 0)`,
  );
  await store.run(`INSERT INTO tiers (tier, name, price_won, spec, xcode_versions, runtimes, tools, sales_open, max_days,
    created_at) VALUES ('m4', 'm4', 1, '{}', '[]', '[]', '[]', 1, 30, 0)`);
  await store.run(
    `INSERT INTO hosts (host_id, name, credential_hash, status, created_at) VALUES ('h', 'h', 'h', 'active', 0)`,
  );
  const item = (rentalId: string, amountWon: number) => ({ rentalId, tier: 'm4', amountWon });
  const orders: [string, string, string, number, number, object[], string | null][] = [
    ['RT-1', 'rental', 'ready', 2, 20_000, [], null],
    ['RT-2', 'extension', 'ready', 2, 30_000, [item('rt_a', 10_000), item('rt_b', 20_000)], null],
    ['RT-3', 'extension', 'ready', 1, 5_000, [item('rt_a', 5_000)], 'refunded_by_operator'],
    ['RT-4', 'rental', 'canceled', 1, 10_000, [], 'no_capacity'],
  ];
  for (const [no, kind, status, units, won, items, reason] of orders) {
    await store.run(
      `INSERT INTO orders (order_no, account_id, kind, status, tier, hours, units, amount_won, setup, items,
         pay_expires_at, paid_at, ended_at, end_reason, created_at)
       VALUES (:no, 1, :kind, :status, 'm4', 24, :units, :won, '{}', :items, 0, 1, :endedAt, :reason, 0)`,
      {
        no,
        kind,
        status,
        units,
        won,
        items: JSON.stringify(items),
        reason,
        endedAt: reason === null ? null : 7,
      },
    );
  }
  for (const [i, id] of ['rt_a', 'rt_b', 'rt_c'].entries()) {
    await store.run(
      `INSERT INTO slots (slot_id, host_id, tier, position, created_at) VALUES (:id, 'h', 'm4', :i, 0)`,
      {
        id,
        i,
      },
    );
    await store.run(
      `INSERT INTO rentals (rental_id, account_id, order_no, slot_id, tier, runtimes, tools, state, hours, starts_at,
         ends_at, created_at) VALUES (:id, 1, :order, :id, 'm4', '[]', '[]', 'ready', 24, 0, 1, 0)`,
      { id, order: i < 2 ? 'RT-1' : null },
    );
  }
  await store.run(`INSERT INTO jobs (job_id, account_id, rental_id, kind, status, created_at)
    VALUES ('op_1', 1, 'rt_a', 'reset', 'running', 0)`);
  await store.run(`INSERT INTO holds (order_no, account_id, slot_id, rental_id, starts_at, ends_at)
    VALUES ('RT-2', 1, 'rt_b', 'rt_b', 1, 2)`);
  const granting = migrations.findIndex(({ name }) => name === 'hours-of-grants');
  await migrate(store, migrations.slice(0, granting), 0);
  await store.run(`UPDATE rentals SET granted = 'tier', hours = 0 WHERE rental_id = 'rt_c'`);
  await migrate(store, migrations, 0);
  t.same(await store.all('SELECT order_no, refunded_won, refunded_at FROM orders ORDER BY order_no'), [
    { order_no: 'RT-1', refunded_won: 0, refunded_at: null },
    { order_no: 'RT-2', refunded_won: 0, refunded_at: null },
    { order_no: 'RT-3', refunded_won: 5_000, refunded_at: 7 },
    { order_no: 'RT-4', refunded_won: 10_000, refunded_at: 7 },
  ]);
  t.same(await store.all('SELECT rental_id, hours, amount_won, granted FROM rentals ORDER BY rental_id'), [
    { rental_id: 'rt_a', hours: 24, amount_won: 20_000, granted: null },
    { rental_id: 'rt_b', hours: 24, amount_won: 30_000, granted: null },
    { rental_id: 'rt_c', hours: null, amount_won: 0, granted: 'tier' },
  ]);
  const mac = { slot_id: 'rt_a', state: 'ready', usable_until: 1, away_since: null, generation: 1 };
  const agreed = { order_no: 'RT-1', hours: 24, starts_at: 0, ends_at: 1, ended_at: null };
  t.match(await store.get(`SELECT * FROM macs WHERE rental_id = 'rt_a'`), mac);
  t.match(await store.get(`SELECT * FROM rentals WHERE rental_id = 'rt_a'`), agreed);
  t.same(await store.all('SELECT COUNT(*) AS n FROM macs'), [{ n: 3 }]);
  t.same(await store.all('SELECT rental_id FROM jobs'), [{ rental_id: 'rt_a' }]);
  t.same(await store.all('SELECT rental_id FROM holds'), [{ rental_id: 'rt_b' }]);
  t.same(await store.all('PRAGMA foreign_key_check'), [], 'jobs and holds refer to what is there');
});
