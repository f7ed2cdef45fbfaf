// A follower of a log in another process is woken by a notification for whatever is stored. Counted, not timed: the time of the
// follower does not pass, so that it never looks by itself, and a notification that does not come would stop it for good.
// How soon it reads is measured by bench/log-latency.ts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { createLogRows } from '../../../control-plane/builds/app/log-rows.js';
import { createSharedBuildLogs } from '../../../control-plane/builds/logs/shared-build-logs.js';
import { joinProcesses } from '../../../control-plane/platform/app/several-processes.js';
import { openFolderObjects } from '../../../control-plane/platform/blobs/folder-objects.js';
import { migrate } from '../../../control-plane/platform/store/migrate.js';
import { migrations, newestMigration } from '../../../control-plane/platform/store/migrations/all.js';
import { openPostgres } from '../../../control-plane/platform/store/postgres/postgres.js';
import { createWake } from '../../../control-plane/platform/wake.js';
import { type Clock, createAdvancingClock, systemClock } from '../../../shared/clock.js';
import { startPostgres } from '../../harness/postgres.js';
import { runs } from '../../harness/soak.js';
import { until } from '../../harness/until.js';

const LOGS = 20;
const PIECES = runs(15, 60);
const MiB = 1024 * 1024;

const cluster = await startPostgres();
t.teardown(() => cluster.stop());
const { url } = await cluster.createDatabase();
const first = await openPostgres(url);
await migrate(first, migrations, 0);
await first.close();
const root = mkdtempSync(join(tmpdir(), 'cidermill-followers-'));
t.teardown(() => rmSync(root, { recursive: true, force: true }));
const objects = await openFolderObjects(root);

/** A process with its store, its bus and its logs. */
async function start(t: Test, clock: Clock) {
  const store = await openPostgres(url, { connections: 3 });
  const processes = await joinProcesses({
    url,
    store,
    log: pino({ level: 'silent' }),
    version: '0.1.0',
    schemaId: newestMigration,
    keyId: () => 'k1',
    onGivenUp: (error) => t.fail(error.message),
  });
  const wake = createWake(clock);
  processes.joinWakes(wake);
  // It is told "everything" when it listens.
  let listens = false;
  const stop = wake.on('builds', (key) => {
    listens ||= key === '';
  });
  await until(() => listens, 'it listens');
  stop();
  t.teardown(async () => {
    wake.close();
    await processes.leave();
    await store.close();
  });
  const onAppend = (id: string) => wake.wake('build-log', id);
  const time = { now: () => 1, systemNow: () => 1 };
  const given = { rows: createLogRows(store), objects, maxOpen: 8, maxBytes: 2 ** 30, onAppend, ...time };
  return { wake, ...createSharedBuildLogs(given) };
}

t.test('no follower waits for its own look', async (t) => {
  const writer = await start(t, systemClock);
  const clock = createAdvancingClock({ start: 0 });
  const follower = await start(t, clock);
  let waits = 0;
  const follow = async (id: string) => {
    let read = '';
    while (read.length < PIECES) {
      // It waits from before it reads, so that nothing is missed between both.
      const woken = follower.wake.wait('build-log', id, 60_000);
      const { data } = await follower.logs.read(id, read.length, MiB, false);
      read += data.toString();
      if (data.length > 0) continue;
      waits++;
      t.ok(await woken);
    }
    t.equal(read, 'x'.repeat(PIECES), id);
  };
  const write = async (id: string) => {
    for (let at = 0; at < PIECES; at++) await writer.logs.append(id, at, Buffer.from('x'));
  };
  const ids = Array.from({ length: LOGS }, (_, i) => `rb_${i}`);
  await Promise.all(ids.flatMap((id) => [follow(id), write(id)]));
  t.ok(waits >= LOGS, `${waits} waits were ended by notifications`);
  t.equal(clock.monotonic(), 0, 'its time did not pass');
});

t.test('one whose notification is lost looks by itself', async (t) => {
  const clock = createAdvancingClock({ start: 0 });
  const follower = await start(t, clock);
  const silent = await start(t, systemClock);
  const woken = follower.wake.wait('build-log', 'rb_lost', 60_000);
  silent.wake.passOn(() => undefined);
  await silent.logs.append('rb_lost', 0, Buffer.from('x'));
  await clock.advance(2_200);
  t.ok(await woken);
  t.equal((await follower.logs.read('rb_lost', 0, MiB, false)).data.toString(), 'x');
});
