// The cost of the store port: durable single-row transactions per second, sequential and concurrent, against
// better-sqlite3 used directly (one commit per transaction) in the same run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openSqlite } from '../control-plane/platform/store/sqlite.js';
import { median, print, ratio } from './report.js';

const rounds = 5;
const rows = 2_000;
const dir = mkdtempSync(join(tmpdir(), 'cidermill-bench-'));
const table = 'CREATE TABLE n (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, text TEXT NOT NULL)';
const insert = 'INSERT INTO n (at, text) VALUES (:at, :text)';
const row = (i: number) => ({ at: i, text: `row ${i}` });

const direct = new Database(join(dir, 'direct.db'));
direct.pragma('journal_mode = WAL');
direct.pragma('synchronous = FULL');
direct.exec(table);
const statement = direct.prepare(insert);
const store = openSqlite(join(dir, 'port.db'));
await store.run(table);

const perSecond = async (work: () => Promise<void> | void) => {
  const started = process.hrtime.bigint();
  await work();
  return rows / (Number(process.hrtime.bigint() - started) / 1e9);
};
const company = (size: number) => async () => {
  for (let i = 0; i < rows; i += size) {
    await Promise.all(Array.from({ length: size }, (_, j) => store.run(insert, row(i + j))));
  }
};

const cases: [string, () => Promise<void> | void][] = [
  [
    'better-sqlite3 direct',
    () => {
      for (let i = 0; i < rows; i++) statement.run(row(i));
    },
  ],
  ['port, 1 at a time', company(1)],
  ['port, 10 at a time', company(10)],
  ['port, 100 at a time', company(100)],
];
const figures = new Map<string, number[]>(cases.map(([name]) => [name, []]));
for (let round = 0; round < rounds; round++) {
  for (const [name, work] of cases) figures.get(name)?.push(await perSecond(work));
}
const base = median(figures.get('better-sqlite3 direct') ?? []);
print(
  'durable transactions per second (synchronous=FULL)',
  cases.map(([name]) => {
    const value = median(figures.get(name) ?? []);
    return { name, value, unit: 'tx/s', ratio: ratio(value, base) };
  }),
);
await store.close();
direct.close();
rmSync(dir, { recursive: true });
