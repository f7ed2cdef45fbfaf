// Statements keep their plan, whatever values are bound: a statement that SQLite compiles again each time costs ten times
// what it reads.
import Database from 'better-sqlite3';
import t from 'tap';
import { fixedPlan } from '../../control-plane/platform/store/fixed-plan.js';

t.test('parameters are hidden from the planner, and nothing else is changed', async (t) => {
  for (const [sql, fixed] of [
    ['SELECT 1 LIMIT :limit OFFSET :skipped', 'SELECT 1 LIMIT +:limit OFFSET +:skipped'],
    ["SELECT ':a', ':b''c :d' FROM t WHERE a = :a", "SELECT ':a', ':b''c :d' FROM t WHERE a = +:a"],
    ['SELECT a AS ":a" FROM t', 'SELECT a AS ":a" FROM t'],
    ['INSERT INTO t VALUES (:a, :b_2)', 'INSERT INTO t VALUES (+:a, +:b_2)'],
  ] as const) {
    t.equal(fixedPlan(sql), fixed);
  }
});

t.test('values of every kind come back as they were bound', async (t) => {
  const db = new Database(':memory:');
  db.exec('CREATE TABLE kinds (i INTEGER, t TEXT, b BLOB, n INTEGER, same TEXT)');
  const given = { i: 9_007_199_254_740_991, t: '007', b: Buffer.from([0, 255]), n: null, same: '1' };
  db.prepare(fixedPlan('INSERT INTO kinds VALUES (:i, :t, :b, :n, :same)')).run(given);
  t.same(db.prepare('SELECT * FROM kinds').get(), given);
  const found = db
    .prepare(fixedPlan('SELECT i FROM kinds WHERE t = :t AND b = :b AND n IS NOT DISTINCT FROM :n'))
    .get(given);
  t.same(found, { i: given.i });
  db.close();
});

t.test('a statement is not planned anew for other values', async (t) => {
  const db = new Database(':memory:');
  db.exec(`CREATE TABLE things (id INTEGER PRIMARY KEY, account_id INTEGER, status TEXT, at INTEGER);
    CREATE INDEX things_waiting ON things (account_id, at) WHERE status = 'waiting';
    INSERT INTO things VALUES (1, 1, 'waiting', 30), (2, 1, 'waiting', 20), (3, 1, 'waiting', 10)`);
  // Without an ORDER BY the order of the rows shows the plan: that of the index, or that of the table.
  const sql = 'SELECT id FROM things WHERE account_id = :account AND status = :status';
  const idsBy = (text: string) => db.prepare(text).pluck().all({ account: 1, status: 'waiting' });
  t.same(idsBy(sql), [3, 2, 1], 'planned with the value');
  t.same(idsBy(fixedPlan(sql)), [1, 2, 3], 'planned without it');
  db.close();
});
