// The queue in the database: the few rows that the scheduler reads decide as the whole queue would, at a cost
// that does not follow the number of waiting builds.
import fc from 'fast-check';
import t from 'tap';
import { assignBuilds } from '../../control-plane/builds/app/build-assignment.js';
import { nextAssignment } from '../../control-plane/builds/domain/placement.js';
import { runningPerKey } from '../../control-plane/builds/domain/places.js';
import { queueClassOf } from '../../control-plane/builds/domain/queue.js';
import { findAttempt, readBuildsOfHost } from '../../control-plane/builds/store/build-hosts.js';
import {
  accountsWithQueuedBuilds,
  countQueued,
  QUEUE_CLASS_HEADS,
  readQueueClassHeads,
  readQueued,
  readRunning,
  readWaiting,
} from '../../control-plane/builds/store/build-queue.js';
import { changeBuild } from '../../control-plane/builds/store/build-status.js';
import {
  oldestQueued,
  oldestUnstalledQueued,
  readOverdue,
  readQueuedSince,
  readUnstalledQueued,
} from '../../control-plane/builds/store/build-watch.js';
import { builds } from '../../control-plane/builds/store/builds.js';
import { readMacs } from '../../control-plane/macs/store/macs.js';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';
import type { Queries, SqlParams, Store } from '../../control-plane/platform/store/sql.js';
import { createWake } from '../../control-plane/platform/wake.js';
import { addRental } from '../../control-plane/renting/app/rentals.js';
import { readDueRentals } from '../../control-plane/renting/store/rentals.js';
import { createAdvancingClock, systemClock } from '../../shared/clock.js';
import { HOUR, MINUTE, NOW } from '../harness/macs-and-builds.js';
import { openMigrated } from '../harness/migrated-database.js';
import { cases } from '../harness/soak.js';

/** Two accounts; the first has Macs rt_1 (Xcode 16) and rt_2 (Xcode 15 and 16), and had rt_gone. */
async function openStore(): Promise<Store> {
  const store = await openMigrated();
  for (const [id, versions] of [
    ['new', '["16"]'],
    ['both', '["15","16"]'],
  ]) {
    await store.run(
      `INSERT INTO tiers (tier, name, price_won, spec, xcode_versions, runtimes, tools, sales_open, max_days, created_at)
       VALUES (:id, :id, 1, '{}', :versions, '[]', '[]', 1, 30, 0)`,
      { id: id ?? '', versions: versions ?? '' },
    );
  }
  for (const id of [1, 2]) {
    await store.run(
      `INSERT INTO organizations (id, org_id, name, slug, status, created_at)
       VALUES (:id, :name, :name, :name, 'active', 0)`,
      { id, name: `org_${id}` },
    );
    await store.run(
      `INSERT INTO workspaces (workspace_id, account_id, name, created_at) VALUES (:ws, :id, 'default', 0)`,
      { id, ws: `ws_${id}` },
    );
  }
  await store.run(
    `INSERT INTO hosts (host_id, name, credential_hash, status, connected, created_at)
     VALUES ('host_1', 'h', 'x', 'active', 1, 0)`,
  );
  for (const [n, tier, position] of [
    [1, 'new', 1],
    [2, 'both', 2],
    ['gone', 'new', 3],
  ] as const) {
    await store.run(
      `INSERT INTO slots (slot_id, host_id, tier, position, created_at) VALUES (:slot, 'host_1', :tier, :position, 0)`,
      { slot: `slot_${n}`, tier, position },
    );
    await store.transaction((tx) =>
      addRental(
        tx,
        { wake: { wake: () => undefined } },
        {
          rentalId: `rt_${n}`,
          accountId: 1,
          orderNo: null,
          slotId: `slot_${n}`,
          tier,
          xcode: null,
          state: 'preparing',
          hours: 24,
          startsAt: NOW,
          endsAt: NOW + 24 * HOUR,
          now: NOW + position,
        },
      ),
    );
    await store.run('DELETE FROM jobs');
    const state = n === 'gone' ? 'ended' : 'ready';
    await store.run(`UPDATE macs SET state = '${state}', ready_at = ${NOW} WHERE rental_id = 'rt_${n}'`);
  }
  return store;
}

interface Wanted {
  account: number;
  priority: number;
  requeued: boolean;
  age: number;
  pinned: string | null;
  xcode: string | null;
  key: string | null;
}

async function fill(store: Store, wanted: readonly Wanted[]): Promise<void> {
  const oldestFirst = [...wanted].sort((a, b) => b.age - a.age);
  await store.transaction(async (tx) => {
    for (const [i, build] of oldestFirst.entries()) {
      const inserted = await builds.insert(tx, {
        buildId: `rb_${i}`,
        accountId: build.account,
        workspaceId: `ws_${build.account}`,
        keyId: build.key,
        queueClass: queueClassOf({
          keyId: build.key,
          pinnedRentalId: build.pinned,
          xcode: build.xcode,
          labels: {},
        }),
        scriptId: 1,
        scriptExcerpt: 'x',
        scriptBytes: 1,
        uploadId: null,
        repo: 'a/b',
        repoUrl: null,
        ref: null,
        commit: null,
        pr: null,
        xcode: build.xcode,
        pinnedRentalId: build.pinned,
        timeoutMin: 60,
        priority: build.priority,
        cleanTree: false,
        queueUntilRental: false,
        notifyUrl: null,
        notifySecret: null,
        historyKey: 'history',
        createdAt: NOW - build.age * MINUTE,
      });
      if (build.requeued) await changeBuild(tx, inserted, 'prioritize', { requeued: true }, 0);
    }
  });
}

const arbitraryBuild: fc.Arbitrary<Wanted> = fc
  .record({
    account: fc.constantFrom(1, 1, 2),
    priority: fc.integer({ min: 0, max: 1 }),
    requeued: fc.boolean(),
    age: fc.integer({ min: 0, max: 120 }),
    pinned: fc.constantFrom(null, null, 'rt_1', 'rt_2', 'rt_gone'),
    xcode: fc.constantFrom(null, null, '15', '16', '14'),
    key: fc.constantFrom('key_1', 'key_2', null),
  })
  // Only the account that has a Mac can pin a build to it.
  .map((build) => (build.account === 1 ? build : { ...build, pinned: null }));
const limits = { ...defaultLimits, concurrent_builds: 1 };

t.test('the scheduler decides the same from the heads of the queue classes as from the whole queue', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryBuild, { maxLength: 20 }), async (wanted) => {
      const store = await openStore();
      await fill(store, wanted);
      for (let step = 0; step < 4; step++) {
        const [heads, whole, macs, running] = await Promise.all([
          readQueueClassHeads(store, 1),
          readWaiting(store, 1),
          readMacs(store, 1),
          readRunning(store, 1),
        ]);
        const perKey = runningPerKey(running);
        const few = nextAssignment(heads, macs, perKey, NOW, limits);
        const all = nextAssignment(whole, macs, perKey, NOW, limits);
        if (few?.build.buildId !== all?.build.buildId || few?.mac.rentalId !== all?.mac.rentalId) return false;
        if (!few) break;
        await store.run(`UPDATE builds SET status = 'running' WHERE build_id = '${few.build.buildId}'`);
        await store.run(`UPDATE macs SET state = 'building' WHERE rental_id = '${few.mac.rentalId}'`);
      }
      const waiting = await store.all<{ account_id: number }>(
        `SELECT DISTINCT account_id FROM builds WHERE status = 'queued' ORDER BY account_id`,
      );
      const accounts = await accountsWithQueuedBuilds(store);
      await store.close();
      return JSON.stringify(accounts) === JSON.stringify(waiting.map((row) => row.account_id));
    }),
    { numRuns: cases(20) },
  );
  t.pass();
});

t.test('one run of the scheduler starts every build that can start, and a second run none', async (t) => {
  const store = await openStore();
  const plain = { account: 1, priority: 0, requeued: false, age: 0, pinned: null, xcode: null, key: 'key_1' };
  await fill(store, [
    { ...plain, age: 3, xcode: '15' },
    { ...plain, age: 2, key: 'key_2' },
    { ...plain, age: 1, key: 'key_3' },
    { ...plain, account: 2 },
  ]);
  const wake = createWake(systemClock);
  const clock = createAdvancingClock({ start: NOW });
  const diskRoom = { left: async () => Number.MAX_SAFE_INTEGER };
  const deps = { store, clock, wake, diskRoom, limits: defaultLimits, site: { siteUrl: 'http://x' } };
  t.equal(await assignBuilds(deps, 1), 2);
  t.equal(await assignBuilds(deps, 1), 0);
  t.equal(await assignBuilds(deps, 2), 0);
  t.same(
    await store.all(
      `SELECT build_id, rental_id, host_id, deadline_at - :now AS left FROM builds WHERE status = 'running' ORDER BY seq`,
      { now: NOW },
    ),
    [
      { build_id: 'rb_0', rental_id: 'rt_2', host_id: 'host_1', left: HOUR },
      { build_id: 'rb_1', rental_id: 'rt_1', host_id: 'host_1', left: HOUR },
    ],
  );
  t.same(await store.all('SELECT rental_id, state, build_id FROM macs WHERE build_id IS NOT NULL ORDER BY rental_id'), [
    { rental_id: 'rt_1', state: 'building', build_id: 'rb_1' },
    { rental_id: 'rt_2', state: 'building', build_id: 'rb_0' },
  ]);
  wake.close();
  await store.close();
});

t.test('no query of an assignment, a report or a timer reads unrelated builds', async (t) => {
  const store = await openStore();
  const plans = new Map<string, string[]>();
  const explain = async (sql: string, params: SqlParams = {}) => {
    const rows = await store.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params);
    plans.set(
      sql.replace(/\s+/g, ' ').trim().slice(0, 100),
      rows.map((row) => row.detail),
    );
  };
  const spy: Queries = {
    get: async (sql, params) => void (await explain(sql, params)) as undefined,
    all: async (sql, params) => {
      await explain(sql, params);
      return [];
    },
    run: async () => ({ changes: 0 }),
  };
  await readQueueClassHeads(spy, 1);
  await readRunning(spy, 1);
  await readMacs(spy, 1);
  await readQueued(spy, 1);
  await readWaiting(spy, 1);
  await countQueued(spy, 1);
  await accountsWithQueuedBuilds(spy);
  await findAttempt(spy, 'host_1', 'rb_1', 1);
  await readBuildsOfHost(spy, 'host_1');
  await readQueuedSince(spy, NOW);
  await oldestQueued(spy);
  await readUnstalledQueued(spy, NOW);
  await oldestUnstalledQueued(spy);
  await readDueRentals(spy, NOW);
  // The index rentals_end holds only rentals that have not ended: as many as there are Macs and reservations.
  const otherScan = /^SCAN (?!queue_classes|classes|accounts|\d+ CONSTANT|oldest|rentals USING INDEX rentals_end$)/;
  for (const [sql, plan] of plans) {
    for (const line of plan) t.notMatch(line, otherScan, `${sql}: ${line}`);
  }
  plans.clear();
  await explain(QUEUE_CLASS_HEADS, { accountId: 1 });
  for (const line of [...plans.values()].flat()) t.notMatch(line, /TEMP B-TREE/, 'nothing is sorted');
  plans.clear();
  await readOverdue(spy, NOW);
  for (const line of [...plans.values()].flat()) {
    t.match(line, /USING INDEX builds_(host|running)/, 'running builds only: as many as there are busy Macs');
  }
  await store.close();
});
