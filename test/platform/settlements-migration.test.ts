// What operators have to settle by hand in an existing database.
import t from 'tap';
import { migrate } from '../../control-plane/platform/store/migrate.js';
import { migrations } from '../../control-plane/platform/store/migrations/all.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';

t.test('the migration finds refused refunds and payments of which too much was returned', async (t) => {
  const store = openSqlite(':memory:');
  t.teardown(() => store.close());
  const before = migrations.findIndex(({ name }) => name === 'settlements-by-hand');
  await migrate(store, migrations.slice(0, before), 0);
  await store.run(
    `INSERT INTO organizations (id, org_id, name, slug, status, created_at)
     VALUES (1, 'org_1', 'one', 'one', 'active', 0)`,
  );
  for (const [no, returned] of [
    ['even', 10],
    ['over', 13],
    ['refused', 0],
  ] as const) {
    const values = { no, returned };
    await store.run(
      `INSERT INTO payments (order_no, account_id, kind, provider, status, amount_won, cancelled_won, created_at, updated_at)
       VALUES (:no, 1, 'order', 'portone', 'paid', 10, :returned, 0, 0)`,
      values,
    );
    await store.run(
      `INSERT INTO ledger (account_id, order_no, kind, amount_won, reference, at)
       VALUES (1, :no, 'payment', 10, 'in-' || :no, 1), (1, :no, 'refund', -:returned, 'out-' || :no, 2)`,
      values,
    );
    await store.run(
      `INSERT INTO payment_cancellations (cancellation_id, order_no, account_id, amount_won, reason, status, created_at)
       VALUES ('pc-' || :no, :no, 1, NULL, 'no_capacity', 'failed', 3)`,
      { no },
    );
  }
  await migrate(store, migrations, 0);
  t.same(await store.all('SELECT id, kind, amount_won, created_at, settled_at FROM manual_settlements'), [
    { id: 'over', kind: 'over_returned', amount_won: 3, created_at: 2, settled_at: null },
    { id: 'pc-refused', kind: 'refused', amount_won: null, created_at: 3, settled_at: null },
  ]);
});
