// The cost of the store port: durable single-row transactions per second, sequential and concurrent, against
// better-sqlite3 used directly (one commit per transaction) in the same run; and reads of one row, one and twenty in a turn of
// the event loop, against better-sqlite3 used directly (one read transaction for each).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
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
const select = 'SELECT id, at, text FROM n WHERE id = :id';
const read = direct.prepare(select);
const reads = (inTurn: number, one: (id: number) => unknown) => async () => {
  for (let i = 0; i < rows; i += inTurn) {
    for (let j = 0; j < inTurn; j++) await one(i + j);
    await setImmediate();
  }
};
const ofPort = (id: number) => store.get(select, { id });
const ofDirect = (id: number) => read.get({ id });
const readCases = (inTurn: number): typeof cases => [
  ['better-sqlite3 direct', reads(inTurn, ofDirect)],
  ['port', reads(inTurn, ofPort)],
];

/** The first case is the base of the ratios. */
async function measure(title: string, unit: string, measured: typeof cases) {
  const figures = measured.map(([name, work]) => ({ name, work, found: [] as number[] }));
  for (let round = 0; round < rounds; round++) {
    for (const { work, found } of figures) found.push(await perSecond(work));
  }
  const base = median(figures[0]?.found ?? []);
  print(
    title,
    figures.map(({ name, found }) => {
      const value = median(found);
      return { name, value, unit, ratio: ratio(value, base) };
    }),
  );
}
await measure('durable transactions per second (synchronous=FULL)', 'tx/s', cases);
for (const inTurn of [1, 5, 20]) {
  await measure(`reads of one row per second, ${inTurn} in a turn`, 'reads/s', readCases(inTurn));
}
await store.close();
direct.close();
rmSync(dir, { recursive: true });
