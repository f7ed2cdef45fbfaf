// The calendar in memory follows the database, for every writer, and after every rollback.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import * as connections from '../../control-plane/hosts/store/host-connections.js';
import * as hosts from '../../control-plane/hosts/store/hosts.js';
import * as slots from '../../control-plane/hosts/store/slots.js';
import { findMac, macsOf } from '../../control-plane/macs/app/macs.js';
import { beginMac, endMac } from '../../control-plane/macs/app/making.js';
import type { Queries, SqlParams, Store, Transaction } from '../../control-plane/platform/store/sql.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';
import { type Availability, createAvailability } from '../../control-plane/renting/app/availability.js';
import { addHold, moveHold, releaseHolds } from '../../control-plane/renting/app/holds.js';
import {
  addRental,
  cutRental,
  findLiveRental,
  lengthenRental,
  moveReservation,
} from '../../control-plane/renting/app/rentals.js';
import { createAdvancingClock } from '../../shared/clock.js';
import { HOUR, NOW } from '../harness/macs-and-builds.js';
import { putMigratedDatabase } from '../harness/migrated-database.js';

async function open(t: Test): Promise<{ store: Store; file: string }> {
  const dir = mkdtempSync(join(tmpdir(), 'cidermill-availability-'));
  const file = join(dir, 'db');
  await putMigratedDatabase(file);
  const store = openSqlite(file);
  for (const id of [1, 2]) {
    await store.run(
      `INSERT INTO organizations (id, org_id, name, slug, status, created_at) VALUES (:id, :n, :n, :n, 'active', 0)`,
      { id, n: `o${id}` },
    );
  }
  await store.run(`INSERT INTO tiers (tier, name, price_won, spec, xcode_versions, runtimes, tools, sales_open, max_days,
    created_at) VALUES ('m4', 'm4', 1, '{}', '[]', '[]', '[]', 1, 30, 0)`);
  await store.run(`INSERT INTO orders (order_no, account_id, kind, status, tier, hours, units, amount_won, setup, items,
    pay_expires_at, created_at) VALUES ('RT-1', 1, 'rental', 'awaiting_payment', 'm4', 24, 1, 1, '{}', '[]', 0, 0)`);
  for (const hostId of ['h1', 'h2']) {
    await store.transaction(async (tx) => {
      const base = { hostId, name: hostId, tier: 'm4', credentialHash: hostId, now: 0 };
      await hosts.insertHost(tx, { ...base, status: 'active' });
      await slots.insertSlot(tx, { slotId: `${hostId}.1`, hostId, tier: 'm4', position: 1, now: 0 });
      await connections.recordConnection(tx, {
        hostId,
        now: 1,
        draining: false,
        agentVersion: '1',
        protocol: 2,
        processId: 'cp_only',
        inventory: {
          hostname: 'h',
          os: 'o',
          arch: 'a',
          cpu_cores: 1,
          memory_bytes: 1,
          disk_free_bytes: 1,
          driver: 'local',
          xcodes: [],
        },
      });
    });
  }
  t.teardown(async () => {
    await store.close();
    rmSync(dir, { recursive: true });
  });
  return { store, file };
}

const hold = { orderNo: 'RT-1', accountId: 1, rentalId: null, startsAt: NOW, endsAt: NOW + 24 * HOUR };
const deps = { clock: createAdvancingClock({ start: NOW }), wake: { wake: () => undefined } };
const rental = {
  rentalId: 'rt_1',
  accountId: 1,
  orderNo: null,
  slotId: 'h1.1',
  tier: 'm4',
  xcode: null,
  hours: 24,
  startsAt: NOW,
  endsAt: NOW + 24 * HOUR,
  now: NOW,
};

async function seen(availability: Availability, store: Store) {
  const calendar = await availability.current(store);
  const window = { startsAt: NOW + HOUR, endsAt: NOW + 2 * HOUR };
  const free = (accountId: number) => calendar.count({ tier: 'm4', accountId, window, now: NOW + HOUR, xcode: null });
  const taken = [...calendar.occupations()].map(({ id, slotId, startsAt, endsAt, movable }) => ({
    id: id.replace(/\d+$/, ''),
    slotId,
    startsAt,
    endsAt,
    movable,
  }));
  return { free: free(1), taken };
}

t.test('every write that changes who has which slot is seen by a calendar that was read before', async (t) => {
  const { store } = await open(t);
  const availability = createAvailability();
  const write: [string, (tx: Transaction) => Promise<unknown>][] = [
    ['an order holds', (tx) => addHold(tx, { ...hold, slotId: 'h1.1' })],
    ['a hold moves', (tx) => moveHold(tx, { ...hold, holdId: 1, slotId: 'h2.1' })],
    ['a hold is released', (tx) => releaseHolds(tx, 'RT-1')],
    ['a reservation', (tx) => addRental(tx, deps, { ...rental, state: 'reserved' })],
    ['it moves', (tx) => moveReservation(tx, { ...rental, slotId: 'h2.1', startsAt: NOW + HOUR })],
    [
      'it begins',
      async (tx) => {
        const one = await findMac(tx, 'rt_1');
        if (one) await beginMac(tx, deps, one);
      },
    ],
    [
      'it is extended',
      async (tx) => {
        const one = await findLiveRental(tx, 'rt_1');
        if (one) await lengthenRental(tx, deps, one, { hours: 24, amountWon: 1, endsAt: NOW + 48 * HOUR });
      },
    ],
    [
      'it is cut short',
      async (tx) => {
        const one = await findLiveRental(tx, 'rt_1');
        if (one) await cutRental(tx, deps, one);
      },
    ],
    [
      'it ends',
      async (tx) => {
        const [one] = await macsOf(tx, 1);
        if (one) await endMac(tx, deps, one);
      },
    ],
    [
      'a host drains',
      (tx) =>
        hosts.changeHostStatus(tx, {
          hostId: 'h1',
          from: 'active',
          to: 'draining',
          reason: null,
          by: null,
          now: 2,
        }),
    ],
    [
      'and does not',
      (tx) =>
        hosts.changeHostStatus(tx, {
          hostId: 'h1',
          from: 'draining',
          to: 'active',
          reason: null,
          by: null,
          now: 2,
        }),
    ],
    ['a host disconnects', (tx) => connections.recordDisconnection(tx, 'h2', 1, 3)],
    ['a host is renewed', (tx) => connections.renewConnection(tx, 'h2', 1, 4)],
    ['a slot is added', (tx) => slots.insertSlot(tx, { slotId: 'x', hostId: 'h1', tier: 'm4', position: 2, now: 0 })],
    ['a slot is removed', (tx) => slots.retireSlots(tx, 'h1', 1, 9)],
    ['all hosts are disconnected', (tx) => connections.recordAllDisconnected(tx, 9)],
  ];
  let before = JSON.stringify(await seen(availability, store));
  for (const [name, work] of write) {
    await store.transaction(work);
    const after = await seen(availability, store);
    t.not(JSON.stringify(after), before, `${name}: something is different`);
    t.same(after, await seen(createAvailability(), store), `${name}: as one that is read anew sees it`);
    before = JSON.stringify(after);
  }
});

t.test('writes of another process are seen', async (t) => {
  const { store, file } = await open(t);
  const availability = createAvailability();
  t.equal((await seen(availability, store)).free, 2);
  const other = openSqlite(file);
  await other.transaction((tx) => addHold(tx, { ...hold, slotId: 'h1.1' }));
  t.equal((await seen(availability, store)).free, 1);
  await other.close();
});

t.test('a rollback discards what the transaction read', async (t) => {
  const { store } = await open(t);
  const availability = createAvailability();
  await availability.current(store);
  const failing = store.transaction(async (tx) => {
    await addHold(tx, { ...hold, slotId: 'h1.1' });
    const calendar = await availability.within(tx);
    t.equal([...calendar.occupations()].length, 1, 'its own writes');
    throw new Error('on purpose');
  });
  // Takes the very revision that the first one had.
  const next = store.transaction((tx) => addHold(tx, { ...hold, slotId: 'h2.1' }));
  await t.rejects(failing, /on purpose/);
  await next;
  t.match((await seen(availability, store)).taken, [{ slotId: 'h2.1' }]);
});

t.test('what was read while a rollback discarded the calendar is read again', async (t) => {
  const { store } = await open(t);
  const availability = createAvailability();
  const before = await seen(availability, store);
  let go = () => {};
  const gate = new Promise<void>((resolve) => (go = resolve));
  const slow: Queries = {
    ...store,
    async all<Row>(sql: string, params: SqlParams) {
      const rows = await store.all<Row>(sql, params);
      await gate;
      return rows;
    },
  };
  const reading = availability.current(slow);
  const failing = store.transaction(async (tx) => {
    await availability.within(tx);
    throw new Error('on purpose');
  });
  await t.rejects(failing, /on purpose/);
  await store.transaction((tx) => addHold(tx, { ...hold, slotId: 'h1.1' }));
  go();
  await reading;
  t.equal((await seen(availability, store)).free, before.free - 1, 'no host is missing');
});

t.test('a slot that the calendar wrongly considers free is not sold twice', async (t) => {
  const { store } = await open(t);
  await store.transaction((tx) => addHold(tx, { ...hold, slotId: 'h1.1' }));
  const again = store.transaction((tx) => addHold(tx, { ...hold, slotId: 'h1.1', startsAt: NOW + HOUR }));
  await t.rejects(again, /taken/);
  const inserted = store.transaction((tx) => addRental(tx, deps, { ...rental, state: 'preparing' }));
  t.equal(await inserted, false);
});
