// What is counted and locked for an account: the same in the memory of one process and in several processes on one database.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { createStorageQuota } from '../../control-plane/access/app/storage-quota.js';
import { insertOrganization } from '../../control-plane/access/store/organizations.js';
import { createHeldCounts } from '../../control-plane/platform/app/held-counts.js';
import { createIdempotency, type Idempotency } from '../../control-plane/platform/app/idempotency.js';
import { createKeyedLock } from '../../control-plane/platform/app/keyed-lock.js';
import { createRecordsQuota } from '../../control-plane/platform/app/records-quota.js';
import { createVault } from '../../control-plane/platform/app/vault.js';
import { ApiError } from '../../control-plane/platform/domain/error-catalog.js';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';
import type { SharedState } from '../../control-plane/platform/domain/shared-state.js';
import { createRateLimits } from '../../control-plane/platform/http/rate-limits.js';
import { addUsage, readUsage } from '../../control-plane/platform/store/account-usage.js';
import { openKeyFile } from '../../control-plane/platform/store/key-file.js';
import type { Store } from '../../control-plane/platform/store/sql.js';
import { type Clock, systemClock } from '../../shared/clock.js';
import { until } from '../harness/until.js';

/** Two processes, or one twice. */
export interface Both {
  readonly stores: readonly [Store, Store];
  readonly shared: readonly [SharedState | null, SharedState | null];
}

const MIB = 1024 * 1024;

/** A clock that stands still: nothing fills up meanwhile. */
const still: Clock = { ...systemClock, monotonic: () => 1 };

/** One of each: both processes, or the one twice. */
function ofBoth<T>({ shared: [first, second] }: Both, create: (shared: SharedState | null) => T): [T, T] {
  const one = create(first);
  return [one, second === null ? one : create(second)];
}

export async function sharedConformance(t: Test, both: Both): Promise<void> {
  const { stores } = both;
  const [store] = stores;
  let accounts = 0;
  const createAccount = async () => {
    const n = `${++accounts}`;
    const row = { orgId: `org_${n}`, name: n, slug: n, createdAt: 0 };
    return (await store.transaction((tx) => insertOrganization(tx, row))).id;
  };

  for (const exact of [true, false]) {
    await t.test(`requests beyond the rate are refused, wherever they arrive (exact: ${exact})`, async (t) => {
      const limiters = ofBoth(both, (shared) =>
        createRateLimits(
          shared ? systemClock : still,
          1000,
          shared?.buckets ?? null,
        )({
          kind: `limiter ${exact}`,
          perMinute: 30,
          exact,
        }),
      );
      const began = systemClock.monotonic();
      const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => limiters[i % 2 ? 0 : 1]?.take('a')));
      const admitted = answers.filter((answer) => answer?.ok).length;
      // Two seconds bring one more.
      const most = 30 + Math.ceil((systemClock.monotonic() - began) / 2000);
      t.ok(admitted >= 30 && admitted <= most, `${admitted} of at most ${most} admitted`);
      for (const answer of answers) {
        if (!answer?.ok) t.match(answer, { remaining: 0, retryAfterS: Number });
      }
      t.ok(answers.filter((answer) => !answer?.ok).every((answer) => (answer?.retryAfterS ?? 0) >= 1));
      t.match(await limiters[0].take('b'), { ok: true, remaining: 29 }, 'others have their own');
      t.match(await limiters[0].take('b'), { ok: true, remaining: 28 });
    });
  }

  await t.test('a request that is given back can be sent again from elsewhere', async (t) => {
    const [one, other] = ofBoth(both, (shared) =>
      createRateLimits(
        shared ? systemClock : still,
        1000,
        shared?.buckets ?? null,
      )({
        kind: 'refund',
        perMinute: 1,
        exact: true,
      }),
    );
    t.match(await one.take('a'), { ok: true });
    t.match(await other.take('a'), { ok: false });
    t.match(await other.take('a', 0), { retryAfterS: Number });
    await one.take('a', -1);
    t.match(await other.take('a'), { ok: true });
    t.match(await one.take('a'), { ok: false });
  });

  await t.test('as many are under way as may be, wherever they began', async (t) => {
    const counts = ofBoth(both, (shared) => createHeldCounts('conformance', shared?.counts ?? null));
    const entered = await Promise.all(Array.from({ length: 20 }, (_, i) => counts[i % 2 ? 0 : 1].enter('a', 7)));
    const leave = entered.filter((left) => left !== null);
    t.equal(leave.length, 7);
    t.equal(await counts[0].total('a'), 7);
    t.equal(await counts[1].total('a'), 7);
    t.equal(await counts[1].enter('a', 7), null);
    leave[0]?.();
    await until(async () => {
      const again = await counts[1].enter('a', 7);
      again?.();
      return again !== null;
    }, 'there is room again');
    for (const left of leave.slice(1)) left();
    await until(async () => (await counts[0].total('a')) === 0 && (await counts[1].total('a')) === 0, 'all have left');
  });

  await t.test('work under one key runs one after the other', async (t) => {
    const locks = ofBoth(both, (shared) => createKeyedLock('conformance', shared?.locks ?? null));
    let inside = 0;
    let most = 0;
    const done: number[] = [];
    await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        locks[i % 2 ? 0 : 1]
          .run('a', async () => {
            most = Math.max(most, ++inside);
            await store.get('SELECT 1');
            inside--;
            done.push(i);
            if (i % 3 === 0) throw new Error('failed');
          })
          .catch((error: Error) => t.equal(error.message, 'failed')),
      ),
    );
    t.equal(most, 1);
    t.equal(done.length, 30);
    const seen: string[] = [];
    await locks[0].run('a', () => locks[1].run('b', async () => void seen.push('another key')));
    t.same(seen, ['another key']);
  });

  await t.test('a request with the Idempotency-Key of another waits for its answer', async (t) => {
    const accountId = await createAccount();
    const folder = mkdtempSync(join(tmpdir(), 'cidermill-shared-'));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    const vault = createVault(openKeyFile(join(folder, 'secret.key')));
    const create = (i: 0 | 1) =>
      createIdempotency({
        store: stores[i],
        clock: systemClock,
        vault,
        limits: defaultLimits,
        shared: both.shared[i]?.locks ?? null,
        findScript: async () => null,
      });
    const one = create(0);
    const other = both.shared[1] === null ? one : create(1);
    const request = (key: string) => ({ accountId, workspaceId: 'ws_1', key, fingerprint: 'f' });
    const begin = async (idempotency: Idempotency, key: string) => {
      const begun = await idempotency.begin(request(key));
      if (!('attempt' in begun)) throw new Error('there is an answer');
      return begun.attempt;
    };
    const first = await begin(one, 'a');
    let answered = false;
    const second = other.begin(request('a')).finally(() => (answered = true));
    (await begin(other, 'another')).end();
    t.notOk(answered, 'it waits');
    await first.recordAlone({ status: 201, contentType: 'application/json', body: '{}' });
    first.end();
    t.match(await second, { replay: { status: 201, body: '{}' } });
    const failing = await begin(one, 'b');
    const next = begin(other, 'b');
    failing.end();
    (await next).end();
  });

  await t.test('reservations of storage never exceed the limit; what fits is not refused', async (t) => {
    const accountId = await createAccount();
    const limits = { ...defaultLimits, account_contents_bytes: 100 * MIB };
    const owner = { accountId, workspaceId: 'ws_1' };
    const each = stores.map((of, i) =>
      createStorageQuota({ store: of, limits, shared: both.shared[i]?.counts ?? null }),
    );
    const quotas = both.shared[0] === null ? [each[0], each[0]] : each;
    const write = (bytes: number) =>
      store.transaction((tx) => addUsage(tx, accountId, 'contentsBytes', bytes)).then(() => undefined);
    const send = async (i: number, bytes: number) => {
      const reservation = quotas[i % 2]?.begin(owner, 'contents');
      try {
        await reservation?.take(bytes);
        await reservation?.store(bytes, () => write(bytes));
        return true;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        t.equal(error.code, 'storage_quota_exceeded');
        return false;
      } finally {
        reservation?.release();
      }
    };
    const fits = await Promise.all(Array.from({ length: 20 }, (_, i) => send(i, 2 * MIB)));
    t.notOk(fits.includes(false), 'all of what fits is stored');
    await Promise.all(Array.from({ length: 30 }, (_, i) => send(i, 4 * MIB)));
    const { contentsBytes } = await readUsage(store, accountId);
    t.ok(contentsBytes <= 100 * MIB, `${contentsBytes / MIB} MiB stored`);
    t.ok(contentsBytes >= 92 * MIB, `${contentsBytes / MIB} MiB stored`);
    t.equal(await send(0, 100 * MIB - contentsBytes), true, 'nothing stays reserved');
    t.equal(await send(1, 1), false);
  });

  await t.test('requests reserve room for their records together', async (t) => {
    const accountId = await createAccount();
    const limits = { ...defaultLimits, account_records_bytes: 1000 + (await readUsage(store, accountId)).recordsBytes };
    const caller = { workspaceId: 'ws_1', account: { id: accountId, limits: {} } };
    const quotas = ofBoth(both, (shared) => createRecordsQuota({ store, limits, shared: shared?.counts ?? null }));
    const entered = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        quotas[i % 2 ? 0 : 1].enter(caller, 150).catch((error: ApiError) => error.code),
      ),
    );
    t.equal(entered.filter((one) => typeof one === 'function').length, 6);
    t.ok(entered.every((one) => typeof one === 'function' || one === 'storage_quota_exceeded'));
    for (const leave of entered) if (typeof leave === 'function') leave();
    const all = await quotas[1].enter(caller, 1000);
    all();
  });
}
