// The migration that names the Macs that are there.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Migration } from '../../control-plane/platform/store/migrate.js';
import { namesOfMacs } from '../../control-plane/platform/store/migrations/0060-names-of-macs.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';

t.test(
  'Macs that are there are numbered by organization, in the order of lists; ended ones are called by their id',
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'names-'));
    t.teardown(() => rmSync(folder, { recursive: true }));
    const store = openSqlite(join(folder, 'db'));
    for (const sql of [
      'CREATE TABLE organizations (id INTEGER PRIMARY KEY)',
      'INSERT INTO organizations VALUES (1), (2)',
      'CREATE TABLE orders (order_no TEXT)',
      'CREATE TABLE macs (rental_id TEXT, account_id INTEGER, state TEXT, created_at INTEGER)',
    ]) {
      await store.run(sql);
    }
    const macs: [id: string, account: number, state: string, at: number][] = [
      ['rt_c', 1, 'ready', 20],
      ['rt_b', 1, 'ended', 10],
      ['rt_a', 1, 'building', 20],
      ['rt_d', 2, 'reserved', 5],
    ];
    for (const [id, account, state, at] of macs) {
      await store.run('INSERT INTO macs VALUES (:id, :account, :state, :at)', { id, account, state, at });
    }
    for (const sql of statementsOf(namesOfMacs)) await store.run(sql);
    t.same(await store.all('SELECT rental_id AS id, name FROM macs ORDER BY rental_id'), [
      { id: 'rt_a', name: 'Mac 1' },
      { id: 'rt_b', name: 'rt_b' },
      { id: 'rt_c', name: 'Mac 2' },
      { id: 'rt_d', name: 'Mac 1' },
    ]);
    t.same(await store.all('SELECT account_id AS account, name_key AS key, holder FROM mac_names ORDER BY holder'), [
      { account: 1, key: 'mac 1', holder: 'rt_a' },
      { account: 1, key: 'mac 2', holder: 'rt_c' },
      { account: 2, key: 'mac 1', holder: 'rt_d' },
    ]);
    await store.close();
  },
);

function statementsOf({ statements }: Migration): readonly string[] {
  if (typeof statements === 'function') throw new Error('the statements depend on the schema');
  return statements;
}
