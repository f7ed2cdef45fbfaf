// What a key resolves to is kept in memory; a change counts at once all the same.
import t from 'tap';
import { createApiKeys } from '../../control-plane/access/app/api-keys.js';
import type { Store } from '../../control-plane/platform/store/sql.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';
import { createAdvancingClock } from '../../shared/clock.js';
import { createLog } from '../../shared/log.js';
import { startHarness } from '../harness/harness.js';

/** The store, counting what is read of keys. */
function counting(store: Store): { store: Store; reads(): number } {
  let reads = 0;
  const get: Store['get'] = (sql, params) => {
    if (sql.includes('api_keys')) reads++;
    return store.get(sql, params);
  };
  return { store: { ...store, get }, reads: () => reads };
}

async function start(t: Parameters<typeof startHarness>[0]) {
  const service = await startHarness(t);
  const real = createAdvancingClock({ start: 0 });
  const counted = counting(service.store);
  const log = createLog('test', 'silent');
  const keys = createApiKeys({ store: counted.store, clock: service.clock, realClock: real, log });
  const look = async (token = service.keys.all) => {
    const known = await keys.recognise(token);
    return known && { revoked: known.key.revokedAt !== null, status: known.account?.status };
  };
  // The database as an admin command opens it.
  const beside = openSqlite(`${service.data}/cidermill.db`);
  t.teardown(() => beside.close());
  const admin = createApiKeys({ store: beside, clock: service.clock, realClock: real, log });
  return { ...service, keys, look, real, reads: counted.reads, admin, beside };
}

t.test('a key is read once, however often it is used', async (t) => {
  const { look, reads, real } = await start(t);
  for (let i = 0; i < 200; i++) {
    t.same(await look(), { revoked: false, status: 'active' });
    await real.advance(1);
  }
  t.equal(reads(), 1);
});

t.test('what is no key, or unknown, is never kept', async (t) => {
  const { look, reads, createKey, admin, org } = await start(t);
  for (let i = 0; i < 5; i++) t.equal(await look('cm_nonsense'), null);
  t.equal(reads(), 0, 'a wrong checksum asks no database');
  const { key } = await admin.create({
    accountId: org.id,
    workspaceId: org.workspaceId,
    name: 'new',
    levels: ['read'],
  });
  t.ok(await look(key), 'a key made beside the service works at once');
  t.ok(await look(await createKey(['read'])));
});

t.test('a key revoked in this process is refused at once', async (t) => {
  const { look, keys, org } = await start(t);
  await look();
  const target = (await keys.list(org.id)).find((key) => key.name === 'read+build+manage');
  await keys.revoke({ keyId: target?.keyId ?? '' }, 'manual');
  t.same(await look(), { revoked: true, status: 'active' });
});

t.test(
  'a change made by another process is seen a few milliseconds later, and other keys stay known',
  async (t) => {
    const { look, admin, keys, org, real, beside } = await start(t);
    await look();
    const target = (await keys.list(org.id)).find((key) => key.name === 'read+build+manage');
    await admin.revoke({ keyId: target?.keyId ?? '' }, 'manual');
    await real.advance(5);
    t.same(await look(), { revoked: true, status: 'active' });
    await beside.run("UPDATE organizations SET status = 'suspended'");
    await beside.run("UPDATE meta SET value = '99' WHERE name = 'access_revision'");
    await real.advance(5);
    t.same(await look(), { revoked: true, status: 'suspended' });
  },
);
