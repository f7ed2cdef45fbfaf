// `cidermill admin migrate`, killed at many instants: run again, it ends as if it had not been.
// Requires: postgres
// Runs in: soak
import type { ChildProcess } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { createControlPlane } from '../../../control-plane/index.js';
import { putMigratedDatabase } from '../../harness/migrated-database.js';
import { startPostgres } from '../../harness/postgres.js';
import { folder, migrate, migrateAlone, moveOf, rowsOfFile, rowsOfServer, startCable } from './move-rig.js';
import { putRandomRows } from './random-rows.js';

const cluster = await startPostgres();
t.teardown(() => cluster.stop());

const whole = folder(t);
await putMigratedDatabase(join(whole, 'cidermill.db'));
putRandomRows(join(whole, 'cidermill.db'), 6);
const rows = rowsOfFile(join(whole, 'cidermill.db'));
const tables = Object.keys(rows).length;

type Left = 'nothing' | 'a part' | 'all but the end' | 'all';

interface Instant {
  readonly name: string;
  /** The statement at which the command is killed, and which occurrence of it. */
  readonly at: string;
  readonly nth?: number;
  /** The state of the server afterwards, without and with that statement. */
  readonly left?: readonly [Left, Left];
}

const inserts = [1, Math.floor(tables / 2), tables];
const instants: readonly Instant[] = [
  { name: 'before anything', at: 'CREATE TABLE unfinished_move', left: ['nothing', 'a part'] },
  { name: 'while the tables are made', at: 'CREATE TABLE IF NOT EXISTS migrations' },
  { name: 'when they are made', at: 'TRUNCATE' },
  ...inserts.map((nth) => ({ name: `at table ${nth}`, at: 'INSERT INTO "', nth })),
  { name: 'when all is copied', at: 'ENABLE TRIGGER', nth: 5 },
  { name: 'while it is compared', at: 'DECLARE copied', nth: 20 },
  { name: 'when it is compared', at: 'DECLARE copied', nth: tables },
  {
    name: 'when the old database is marked',
    at: 'DROP TABLE IF EXISTS unfinished_move',
    left: ['all but the end', 'all'],
  },
];

const start = (data: string, url: string) =>
  createControlPlane({
    env: { CIDERMILL_DATA: data, CIDERMILL_PORT: '0', CIDERMILL_DATABASE_URL: url },
    log: pino({ level: 'silent' }),
  });

/** @param arrives whether the server gets the statement before the command dies */
async function killedAt(
  t: Test,
  { at, nth = 1, left: [without, after] = ['a part', 'a part'] }: Instant,
  arrives: boolean,
): Promise<void> {
  const data = folder(t);
  const file = join(data, 'cidermill.db');
  cpSync(join(whole, 'cidermill.db'), file);
  const left = arrives ? after : without;
  const isMarked = left.startsWith('all');
  const url = (await cluster.createDatabase()).url.replace('@/', '@localhost/');
  const cable = await startCable(t, url);
  let child: ChildProcess | undefined;
  let seen = 0;
  cable.watch = (sent) => {
    if (child?.killed) return 'drop';
    seen += sent.split(at).length - 1;
    if (seen < nth) return 'pass';
    child?.kill('SIGKILL');
    return arrives ? 'pass' : 'drop';
  };
  const killed = await migrateAlone(data, cable.url, (started) => {
    child = started;
  });
  t.equal(killed.signal, 'SIGKILL', killed.stderr);
  cable.watch = () => 'pass';
  t.equal(moveOf(file)?.moved !== null, isMarked, 'marked as moved');
  if (left === 'a part' || left === 'all but the end') {
    await t.rejects(start(data, cable.url), /is not complete, because a move to it was interrupted/);
  }
  t.same(rowsOfFile(file), rows);

  const again = await migrate(data, cable.url);
  t.equal(again.code, 0, again.stderr);
  t.equal(/was interrupted: the database is emptied/.test(again.stderr), left === 'a part');
  t.same(await rowsOfServer(url), rows);
  t.ok(moveOf(file)?.moved);
  const third = await migrate(data, cable.url);
  t.same([third.code, third.stdout, third.stderr], [0, again.stdout, '']);
}

t.test('killed and run again', async (t) => {
  for (const instant of instants) {
    await t.test(instant.name, (t) => killedAt(t, instant, false));
    await t.test(`${instant.name}, and the server goes on`, (t) => killedAt(t, instant, true));
  }
});
