// The cost of a quote and of an order, with growing numbers of rentals and reservations on 1,000 Macs.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Caller } from '../control-plane/platform/domain/caller.js';
import { DAY_MS } from '../control-plane/platform/domain/durations.js';
import { defaultLimits } from '../control-plane/platform/domain/limits.js';
import { migrate } from '../control-plane/platform/store/migrate.js';
import { migrations } from '../control-plane/platform/store/migrations/all.js';
import { openSqlite } from '../control-plane/platform/store/sqlite.js';
import { createWake } from '../control-plane/platform/wake.js';
import { createAvailability } from '../control-plane/renting/app/availability.js';
import { createOrders } from '../control-plane/renting/app/orders.js';
import { createQuotes } from '../control-plane/renting/app/quotes.js';
import { systemClock } from '../shared/clock.js';
import { median, print, ratio } from './report.js';

const MACS = 1_000;
const PER_HOST = 2;
const ACCOUNTS = 50;
const ORDERS = 200;
const QUOTES = 2_000;
const limits = { ...defaultLimits, pending_orders: 1_000_000 };
const now = systemClock.now();

/** Numbers of rentals: at most ten per slot, so that the last one starts within the horizon of orders. */
const sizes = [100, 1_000, 10_000] as const;

const caller: Caller = {
  account: {
    id: 1,
    orgId: 'org_1',
    name: 'b',
    slug: 'b',
    status: 'active',
    paymentsBlocked: false,
    limits: {},
  },
  workspaceId: 'ws_1',
  workspaceIds: ['ws_1'],
  key: null,
  person: null,
  levels: ['read', 'build', 'manage'],
  ip: '127.0.0.1',
};

/** Creates a database with hosts of two Macs and `rentals` rentals, no host shared between accounts. */
async function fill(rentals: number) {
  const dir = mkdtempSync(join(tmpdir(), 'cidermill-bench-'));
  const store = openSqlite(join(dir, 'cidermill.db'));
  await migrate(store, migrations, now);
  await store.transaction(async (tx) => {
    await tx.run(`INSERT INTO tiers (tier, name, price_won, spec, xcode_versions, runtimes, tools, sales_open,
      max_days, created_at) VALUES ('m4', 'm4', 10000, '{}', '[]', '[]', '[]', 1, 30, 0)`);
    for (let id = 1; id <= ACCOUNTS + 1; id++) {
      await tx.run(
        `INSERT INTO organizations (id, org_id, name, slug, status, created_at)
         VALUES (:id, :name, :name, :name, 'active', 0)`,
        { id, name: `org_${id}` },
      );
    }
    for (let host = 0; host < MACS / PER_HOST; host++) {
      await tx.run(
        `INSERT INTO hosts (host_id, name, tier, credential_hash, status, connected, created_at, calendar_revision)
         VALUES (:id, :id, 'm4', :id, 'active', 1, 0, :host)`,
        { id: `host_${host}`, host },
      );
    }
    for (let slot = 0; slot < MACS; slot++) {
      await tx.run(
        `INSERT INTO slots (slot_id, host_id, tier, position, created_at) VALUES (:id, :host, 'm4', :position, 0)`,
        { id: `slot_${slot}`, host: `host_${Math.floor(slot / PER_HOST)}`, position: (slot % PER_HOST) + 1 },
      );
    }
    // Three of four Macs are free now, regardless of later reservations, so that availability is the same for every size.
    for (let i = 0; i < rentals; i++) {
      const slot = i % MACS;
      const turn = Math.floor(i / MACS) + (slot % 4 === 0 ? 0 : 1);
      const startsAt = now + turn * 4 * DAY_MS;
      const id = `rt_${i}`;
      const endsAt = startsAt + 2 * DAY_MS;
      await tx.run(
        `INSERT INTO macs (rental_id, account_id, slot_id, tier, runtimes, tools, state, ready_at, usable_until,
           created_at)
         VALUES (:id, :account, :slot, 'm4', '[]', '[]', :state, :readyAt, :endsAt, 0)`,
        {
          id,
          account: 2 + (Math.floor(slot / PER_HOST) % ACCOUNTS),
          slot: `slot_${slot}`,
          state: turn === 0 ? 'ready' : 'reserved',
          readyAt: turn === 0 ? startsAt : null,
          endsAt,
        },
      );
      await tx.run(
        `INSERT INTO rentals (rental_id, hours, amount_won, starts_at, ends_at)
         VALUES (:id, 48, 0, :startsAt, :endsAt)`,
        { id, startsAt, endsAt },
      );
    }
  });
  return { dir, store };
}

async function measure(rentals: number) {
  const { dir, store } = await fill(rentals);
  const wake = createWake(systemClock);
  const availability = createAvailability();
  const deps = {
    store,
    clock: systemClock,
    realClock: systemClock,
    wake,
    limits,
    availability,
    site: { siteUrl: 'http://cidermill.test' },
  };
  const quotes = createQuotes(deps);
  const orders = createOrders(deps);
  const begun = process.hrtime.bigint();
  await availability.current(store);
  const loadMs = Number(process.hrtime.bigint() - begun) / 1e6;
  const perSecond = async (times: number, work: () => Promise<unknown>) => {
    const samples: number[] = [];
    for (let i = 0; i < times; i++) {
      const started = process.hrtime.bigint();
      await work();
      samples.push(Number(process.hrtime.bigint() - started));
    }
    return 1e9 / median(samples);
  };
  const request = { tier: 'm4', hours: 24, units: 1, startAt: null, xcode: null, names: [] };
  const quote = await perSecond(QUOTES, () => quotes.quote(caller.account, request));
  const order = await perSecond(ORDERS, () => orders.create(caller, request, async () => {}));
  wake.close();
  await store.close();
  rmSync(dir, { recursive: true });
  return { quote, order, loadMs };
}

const results: ({ rentals: number } & Awaited<ReturnType<typeof measure>>)[] = [];
for (const rentals of sizes) results.push({ rentals, ...(await measure(rentals)) });
const base = results[0];
if (!base) throw new Error('nothing was measured');
const figures = (['quote', 'order'] as const).flatMap((what) =>
  results.map((one) => ({
    name: `${what}, ${one.rentals.toLocaleString('en')} rentals`,
    value: one[what],
    unit: '/s',
    ratio: ratio(one[what], base[what]),
  })),
);
const loads = results.map((one) => ({
  name: `first look at the calendar, ${one.rentals.toLocaleString('en')} rentals`,
  value: one.loadMs,
  unit: 'ms',
  ratio: ratio(one.loadMs, base.loadMs),
}));
print(`${MACS.toLocaleString('en')} Macs, one caller at a time, orders durable (synchronous=FULL)`, [
  ...figures,
  ...loads,
]);
