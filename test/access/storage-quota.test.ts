// Reservations of storage: parallel requests in any order never store more than the limit, and a request that fits is not
// refused.
import fc from 'fast-check';
import t from 'tap';
import { createStorageQuota } from '../../control-plane/access/app/storage-quota.js';
import { insertOrganization } from '../../control-plane/access/store/organizations.js';
import { ApiError } from '../../control-plane/platform/domain/error-catalog.js';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';
import { addUsage, readUsage } from '../../control-plane/platform/store/account-usage.js';
import { openMigrated } from '../harness/migrated-database.js';
import { cases } from '../harness/soak.js';

const MIB = 1024 * 1024;

async function start(limit: number) {
  const store = await openMigrated();
  const { id } = await store.transaction((tx) =>
    insertOrganization(tx, { orgId: 'org_1', name: 'one', slug: 'one', createdAt: 0 }),
  );
  const limits = { ...defaultLimits, account_contents_bytes: limit };
  return { store, limits, owner: { accountId: id, workspaceId: 'ws_1' } };
}

/** Sizes of a request's files, after how many of them it stores, and whether its connection breaks. */
const request = fc.record({
  sizes: fc.array(fc.integer({ min: 0, max: 3 * MIB }), { minLength: 1, maxLength: 6 }),
  every: fc.integer({ min: 1, max: 3 }),
  fails: fc.boolean(),
});

t.test('parallel requests store everything that fits, and never exceed the limit', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(request, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 0, max: 20 * MIB }),
      fc.scheduler(),
      async (requests, limit, s) => {
        const { store, limits, owner } = await start(limit);
        try {
          // Queries end in any order, and others can see a commit before its writer gets the result.
          const read = s.scheduleFunction(async (sql: string, params: never) => store.get(sql, params));
          const slow = { ...store, get: read as unknown as typeof store.get };
          const quota = createStorageQuota({ store: slow, limits });
          const write = async (bytes: number) => {
            await store.transaction((tx) => addUsage(tx, owner.accountId, 'contentsBytes', bytes));
            await s.schedule(Promise.resolve());
          };
          const refused: number[] = [];
          let demanded = 0;
          const run = async ({ sizes, every, fails }: (typeof requests)[number]) => {
            const reservation = quota.begin(owner, 'contents');
            let batch: number[] = [];
            const flush = async () => {
              const bytes = batch.reduce((sum, size) => sum + size, 0);
              batch = [];
              await reservation.store(bytes, () => write(bytes));
            };
            try {
              for (const size of sizes) {
                demanded += size;
                await reservation.take(size);
                await s.schedule(Promise.resolve());
                batch.push(size);
                if (batch.length === every) await flush();
              }
              if (!fails) await flush();
            } catch (error) {
              if (!(error instanceof ApiError)) throw error;
              refused.push(1);
            } finally {
              reservation.release();
            }
          };
          const all = Promise.all(requests.map(run));
          await s.waitFor(all);
          const { contentsBytes } = await readUsage(store, owner.accountId);
          if (contentsBytes > limit) throw new Error(`${contentsBytes} stored of ${limit}`);
          if (demanded <= limit && refused.length > 0) throw new Error('refused although everything fits');
          // Nothing stays reserved.
          const rest = quota.begin(owner, 'contents');
          await s.waitFor(rest.take(limit - contentsBytes));
          rest.release();
        } finally {
          await store.close();
        }
      },
    ),
    { numRuns: cases(40) },
  );
  t.pass('every history');
});

t.test('a refusal reports usage and where to delete; a raised limit applies immediately', async (t) => {
  const { store, limits, owner } = await start(10);
  t.teardown(() => store.close());
  const quota = createStorageQuota({ store, limits });
  const reservation = quota.begin(owner, 'contents');
  await reservation.take(7);
  await t.rejects(reservation.take(4), {
    code: 'storage_quota_exceeded',
    detail: { limit: 'contents_bytes', limit_bytes: 10, used_bytes: 0 },
    next: [{ method: 'GET', path: '/api/runner/v1/files?workspace_id=ws_1&kind=upload' }],
  });
  await t.rejects(quota.check(owner, 'contents', 11), { code: 'storage_quota_exceeded' });
  await t.resolves(quota.check(owner, 'artifacts', 11), 'artifacts are counted separately');
  await store.run(`UPDATE organizations SET limits = '{"contents_bytes":11}'`);
  await reservation.take(4);
  await t.rejects(quota.begin(owner, 'contents').take(1), 'reserved by the other request');
  reservation.release();
  await quota.begin(owner, 'contents').take(11);
});

t.test('a full account accepts an empty file', async (t) => {
  const { store, limits, owner } = await start(0);
  t.teardown(() => store.close());
  await createStorageQuota({ store, limits }).begin(owner, 'contents').take(0);
});
