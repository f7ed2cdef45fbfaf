// The cost of one scheduler step, from an idle Mac to a started build, with growing numbers of waiting builds.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assignBuilds } from '../control-plane/builds/app/build-assignment.js';
import { defaultLimits } from '../control-plane/platform/domain/limits.js';
import { migrate } from '../control-plane/platform/store/migrate.js';
import { migrations } from '../control-plane/platform/store/migrations/all.js';
import { openSqlite } from '../control-plane/platform/store/sqlite.js';
import { createWake } from '../control-plane/platform/wake.js';
import { systemClock } from '../shared/clock.js';
import { median, print, ratio } from './report.js';

const steps = 200;
const cases: [string, { own: number; others: number }][] = [
  ['100 waiting', { own: 100, others: 0 }],
  ['10,000 waiting', { own: 10_000, others: 0 }],
  ['100 waiting, 10,000 of others', { own: 100, others: 10_000 }],
  ['100 waiting, 200,000 of others', { own: 100, others: 200_000 }],
];

async function measure({ own, others }: { own: number; others: number }): Promise<number> {
  const dir = mkdtempSync(join(tmpdir(), 'cidermill-bench-'));
  const store = openSqlite(join(dir, 'cidermill.db'));
  const now = Date.now();
  await migrate(store, migrations, now);
  await store.transaction(async (tx) => {
    await tx.run(`INSERT INTO tiers (tier, name, price_won, spec, xcode_versions, runtimes, tools, sales_open,
      max_days, created_at) VALUES ('m4', 'm4', 1, '{}', '["16"]', '[]', '[]', 1, 30, 0)`);
    await tx.run(`INSERT INTO hosts (host_id, name, credential_hash, status, connected, created_at)
      VALUES ('host_1', 'h', 'x', 'active', 1, 0)`);
    await tx.run(`INSERT INTO slots (slot_id, host_id, tier, position, created_at)
      VALUES ('slot_1', 'host_1', 'm4', 1, 0)`);
    // The other builds belong to a hundred accounts.
    for (let id = 1; id <= 101; id++) {
      await tx.run(
        `INSERT INTO organizations (id, org_id, name, slug, status, created_at)
         VALUES (:id, :name, :name, :name, 'active', 0)`,
        { id, name: `org_${id}` },
      );
      await tx.run(`INSERT INTO workspaces (workspace_id, account_id, name, created_at) VALUES (:ws, :id, 'w', 0)`, {
        id,
        ws: `ws_${id}`,
      });
    }
    await tx.run(
      `INSERT INTO macs (rental_id, account_id, slot_id, tier, runtimes, tools, state, ready_at, usable_until,
         created_at)
       VALUES ('rt_1', 1, 'slot_1', 'm4', '[]', '[]', 'ready', 0, :end, 0)`,
      { end: now + 86_400_000 },
    );
    for (let seq = 1; seq <= own + others; seq++) {
      const account = seq <= own ? 1 : 2 + (seq % 100);
      await tx.run(
        `INSERT INTO builds (build_id, seq, account_id, workspace_id, key_id, status, queue_class, timeout_min, priority,
           clean_tree, queue_until_rental, attempt, created_at, event_sequence)
         VALUES (:id, :seq, :account, :ws, 'key_1', 'queued', '["key_1","",""]', 60, 0, 0, 0, 1, :now, 1)`,
        { id: `rb_${seq}`, seq, account, ws: `ws_${account}`, now },
      );
    }
  });
  const wake = createWake(systemClock);
  const diskRoom = { left: async () => Number.MAX_SAFE_INTEGER };
  const site = { siteUrl: 'http://bench' };
  const deps = { store, clock: systemClock, wake, diskRoom, limits: defaultLimits, site };
  const times: number[] = [];
  for (let step = 0; step < steps && step < own; step++) {
    const begun = process.hrtime.bigint();
    if ((await assignBuilds(deps, 1)) !== 1) throw new Error('nothing was started');
    times.push(Number(process.hrtime.bigint() - begun) / 1000);
    await store.run(`UPDATE builds SET status = 'succeeded' WHERE status = 'running'`);
    await store.run(`UPDATE macs SET state = 'ready', build_id = NULL`);
  }
  wake.close();
  await store.close();
  rmSync(dir, { recursive: true });
  return median(times);
}

const results: { name: string; value: number }[] = [];
for (const [name, size] of cases) results.push({ name, value: await measure(size) });
const base = results[0]?.value ?? 0;
print(
  'one scheduling step, durable (synchronous=FULL), an idle Mac and a build started',
  results.map(({ name, value }) => ({ name, value, unit: 'µs', ratio: ratio(value, base) })),
);
