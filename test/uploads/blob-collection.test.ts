// Collection of contents against everything that can happen meanwhile: an upload that is there and complete never loses
// a content, and contents without an upload are deleted in the end.
// Runs in: soak
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { createStorageQuota } from '../../control-plane/access/app/storage-quota.js';
import { insertOrganization } from '../../control-plane/access/store/organizations.js';
import { insertWorkspace } from '../../control-plane/access/store/workspaces.js';
import { sweepOrphans } from '../../control-plane/builds/app/orphan-sweep.js';
import { type ContentStore, type ListedContentStore, put } from '../../control-plane/platform/blobs/content-store.js';
import { type Contents, openContents } from '../../control-plane/platform/blobs/contents.js';
import type { Caller } from '../../control-plane/platform/domain/caller.js';
import { ApiError } from '../../control-plane/platform/domain/error-catalog.js';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';
import type { Queries, SqlParams, Store } from '../../control-plane/platform/store/sql.js';
import { collectAccount, collectBlobs } from '../../control-plane/uploads/app/blob-collection.js';
import { beginIntake } from '../../control-plane/uploads/app/blob-intake.js';
import { removeUpload } from '../../control-plane/uploads/app/kept-uploads.js';
import { forgetLost } from '../../control-plane/uploads/app/lost-contents.js';
import { acceptUpload } from '../../control-plane/uploads/app/upload-acceptance.js';
import { expireUploads } from '../../control-plane/uploads/app/upload-expiry.js';
import { createUploads } from '../../control-plane/uploads/app/uploads.js';
import type { Upload } from '../../control-plane/uploads/domain/upload.js';
import { noteGarbage } from '../../control-plane/uploads/store/blob-accounts.js';
import { findBlob, insertBlobs } from '../../control-plane/uploads/store/blobs.js';
import { createAdvancingClock, systemClock } from '../../shared/clock.js';
import type { SourceFile } from '../../shared/protocol/index.js';
import { openMigrated } from '../harness/migrated-database.js';
import { sha256 } from '../harness/sha256.js';
import { runs as cases } from '../harness/soak.js';
import { type Folder, manifestOf, record } from '../harness/upload-bodies.js';
import { pieces } from '../platform/content-store-conformance.js';
import { createMemoryContentStore } from '../platform/memory-content-store.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

type Inner = Pick<Contents<ListedContentStore>, 'blobs' | 'manifests'>;

const ownerOf = ({ account, workspaceId }: Caller) => ({ accountId: account.id, workspaceId });
const bodyOf = (content: Buffer) => Readable.from([gzipSync(content)], { objectMode: false });

async function start(t: Test | null, given: Inner | null = null) {
  const clock = createAdvancingClock({ start: 1_000 * DAY });
  const store = await openMigrated();
  t?.teardown(() => store.close());
  const callers: Caller[] = [];
  for (const slug of ['one', 'two']) {
    callers.push(
      await store.transaction(async (tx) => {
        const account = await insertOrganization(tx, {
          orgId: `org_${slug}`,
          name: slug,
          slug,
          createdAt: 0,
        });
        const workspaceId = `ws_${slug}`;
        await insertWorkspace(tx, { workspaceId, accountId: account.id, name: 'default', createdAt: 0 });
        return {
          account,
          workspaceId,
          workspaceIds: null,
          key: null,
          levels: ['build'],
          ip: '127.0.0.1',
        } as unknown as Caller;
      }),
    );
  }
  const inner = given ?? {
    blobs: createMemoryContentStore(clock.now),
    manifests: createMemoryContentStore(clock.now),
  };
  const limits = defaultLimits;
  const quota = createStorageQuota({ store, limits });
  const deps = { store, clock, limits, quota, contents: inner };
  const uploads = createUploads({ ...deps, realClock: systemClock });
  return {
    ...deps,
    inner,
    uploads,
    callers,
    announce: (caller: Caller, folder: Folder) =>
      uploads.create(caller, bodyOf(Buffer.from(JSON.stringify(manifestOf(folder))))),
    send: (caller: Caller, id: string, ...texts: string[]) =>
      uploads.addBlobs(caller, id, bodyOf(Buffer.concat(texts.map((text) => record(text))))),
    collect: (caller: Caller) => collectAccount(deps, caller.account.id),
    expire: () => expireUploads(deps),
  };
}

async function keysOf(contents: ListedContentStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of contents.list()) keys.push(key);
  return keys;
}

const endBuild = (store: Store, uploadId: string, endedAt: number | null, buildId = 'rb_1') =>
  store.run(
    `INSERT INTO builds (build_id, seq, account_id, workspace_id, status, queue_class, upload_id, timeout_min, priority,
       clean_tree, queue_until_rental, attempt, created_at, ended_at)
     SELECT '${buildId}', COUNT(*), 1, 'ws_one', 'running', '', '${uploadId}', 60, 0, 0, 0, 1, 0, :endedAt FROM builds
     WHERE true ON CONFLICT (build_id) DO UPDATE SET ended_at = excluded.ended_at`,
    { endedAt },
  );

t.test('a collection of many contents reads one page in a turn of the event loop', async (t) => {
  const { callers, store, clock, limits, contents } = await start(t);
  const [caller = t.fail('no caller') as never] = callers;
  const accountId = caller.account.id;
  const names = Array.from({ length: 5_500 }, (_, n) => sha256(String(n)));
  await store.transaction(async (tx) => {
    await noteGarbage(tx, accountId);
    const stored = names.map((name) => ({ sha256: name, size: 1, key: `${name}-1` }));
    await insertBlobs(tx, accountId, stored, clock.now());
  });
  await clock.advance(DAY);
  let [reads, most, isOver] = [0, 0, false];
  const watched: Store = {
    ...store,
    all: (sql, params) => {
      if (sql.includes('FROM blobs')) most = Math.max(most, ++reads);
      return store.all(sql, params);
    },
  };
  const turn = () => {
    reads = 0;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  t.equal(await collectAccount({ store: watched, clock, limits, contents }, accountId), names.length);
  isOver = true;
  t.equal(most, 1);
});

t.test('contents without an upload are deleted a day after they were stored; contents of an upload stay', async (t) => {
  const { announce, send, clock, collect, expire, callers, inner, store } = await start(t);
  const [caller = t.fail('no caller') as never] = callers;
  const first = await announce(caller, { a: 'kept', b: 'dropped' });
  await send(caller, first.upload.uploadId, 'kept', 'dropped');
  await clock.advance(20 * HOUR);
  const second = await announce(caller, { a: 'kept' });
  t.same(second.missing, []);
  await clock.advance(5 * HOUR);
  t.equal(await expire(), 1);
  t.equal(await collect(caller), 1);
  t.same(
    (await keysOf(inner.blobs)).map((key) => key.slice(0, 64)),
    [sha256('kept')],
  );
  t.equal((await keysOf(inner.manifests)).length, 1);
  const third = await announce(caller, { a: 'kept', b: 'dropped' });
  t.same(third.missing, [sha256('dropped')]);
  await clock.advance(DAY);
  await expire();
  t.equal(await collect(caller), 1);
  t.same([await keysOf(inner.blobs), await keysOf(inner.manifests)], [[], []]);
  t.same(await store.all('SELECT * FROM blobs'), []);
});

t.test('an upload that a build holds, or held in the last seven days, is not removed', async (t) => {
  const { announce, send, clock, collect, expire, callers, store } = await start(t);
  const [caller = t.fail('no caller') as never] = callers;
  const { upload } = await announce(caller, { a: 'x' });
  await send(caller, upload.uploadId, 'x');
  await endBuild(store, upload.uploadId, null);
  await clock.advance(30 * DAY);
  t.same([await expire(), await collect(caller)], [0, 0], 'while the build goes on');
  await endBuild(store, upload.uploadId, clock.now());
  await clock.advance(7 * DAY - 1);
  t.same([await expire(), await collect(caller)], [0, 0], 'seven days behind it');
  await clock.advance(1);
  t.same([await expire(), await collect(caller)], [1, 1]);
});

t.test('accounts are collected when they have garbage, each at most every few hours', async (t) => {
  const { announce, send, clock, expire, callers, store, contents, limits, inner } = await start(t);
  const run = async () => (await collectBlobs({ store, clock, limits, contents })).deleted;
  for (const caller of callers) {
    const { upload } = await announce(caller, { a: 'x' });
    await send(caller, upload.uploadId, 'x');
  }
  t.equal(await run(), 0);
  await clock.advance(DAY + 1);
  await expire();
  t.equal(await run(), 2);
  t.equal((await keysOf(inner.blobs)).length, 0);

  const [caller = t.fail('no caller') as never] = callers;
  const { upload } = await announce(caller, { a: 'y' });
  await clock.advance(DAY - HOUR);
  await send(caller, upload.uploadId, 'y');
  await store.run('DELETE FROM uploads');
  await store.run('UPDATE blob_accounts SET garbage = garbage + 1');
  t.equal(await run(), 0, 'garbage that is too young');
  await clock.advance(DAY + 1);
  t.equal(await run(), 1, 'is looked at again without anybody asking');
});

t.test('an upload that is deleted on request during a collection is collected within minutes', async (t) => {
  const { announce, send, clock, callers, store, inner, limits } = await start(t);
  const [caller = t.fail('no caller') as never] = callers;
  const { upload } = await announce(caller, { a: 'x' });
  await send(caller, upload.uploadId, 'x');
  await clock.advance(DAY);
  await store.transaction((tx) => noteGarbage(tx, caller.account.id));
  const wake = { wake: () => undefined };
  const open: ContentStore['open'] = async (...key) => {
    const manifest = await inner.manifests.open(...key);
    await removeUpload({ store, clock, wake, limits, contents: inner }, upload, async () => undefined);
    return manifest;
  };
  const during = { ...inner, manifests: { ...inner.manifests, open } };
  const run = (contents: Inner) => collectBlobs({ store, clock, limits, contents });
  t.equal((await run(during)).deleted, 0, 'it was still named when the manifests were read');
  await clock.advance(10 * 60_000);
  t.equal((await run(inner)).deleted, 1);
});

t.test('a lost manifest stops the collection of its account instead of letting contents go', async (t) => {
  const { announce, send, clock, collect, callers, inner } = await start(t);
  const [caller = t.fail('no caller') as never] = callers;
  const { upload } = await announce(caller, { a: 'x' });
  await send(caller, upload.uploadId, 'x');
  await clock.advance(2 * DAY);
  await inner.manifests.delete(String(caller.account.id), upload.manifestKey);
  await t.rejects(collect(caller), { message: /is lost/ });
  t.equal((await keysOf(inner.blobs)).length, 1);
});

t.test('an upload that is removed just before its manifest is read stops nothing', async (t) => {
  const { announce, send, clock, expire, callers, inner, store, limits } = await start(t);
  const [caller = t.fail('no caller') as never] = callers;
  const { upload } = await announce(caller, { a: 'x' });
  await send(caller, upload.uploadId, 'x');
  await clock.advance(DAY + 1);
  const open: ContentStore['open'] = async (...about) => {
    await expire();
    return inner.manifests.open(...about);
  };
  const contents = { blobs: inner.blobs, manifests: { ...inner.manifests, open } };
  t.equal(await collectAccount({ store, clock, limits, contents }, caller.account.id), 1);
});

t.test('contents that the disk has lost are asked for again', async (t) => {
  const { announce, send, callers, inner, store, uploads, clock, collect } = await start(t);
  const [caller = t.fail('no caller') as never] = callers;
  const folder = { a: 'x', b: 'y' };
  const { upload } = await announce(caller, folder);
  await send(caller, upload.uploadId, 'x', 'y');
  const other = await announce(caller, { c: 'z' });
  await send(caller, other.upload.uploadId, 'z');
  t.equal(await forgetLost({ store, contents: inner }), 0);
  t.ok((await uploads.status(caller, upload.uploadId)).upload.ready);

  const blob = await findBlob(store, caller.account.id, sha256('x'));
  await inner.blobs.delete(String(caller.account.id), blob?.blobKey ?? '');
  t.equal(await forgetLost({ store, contents: inner }), 1);
  await t.rejects(
    store.transaction((tx) => uploads.claim(tx, { ...upload, now: clock.now() })),
    { code: 'upload_incomplete' },
    'nothing is built on what is lost',
  );
  t.same((await announce(caller, folder)).missing, [sha256('x')]);
  t.same((await uploads.status(caller, upload.uploadId)).missing, [sha256('x')]);
  t.ok((await uploads.status(caller, other.upload.uploadId)).upload.ready, 'the others are as good as before');
  await send(caller, upload.uploadId, 'x');
  t.ok((await uploads.status(caller, upload.uploadId)).upload.ready);

  await inner.manifests.delete(String(caller.account.id), upload.manifestKey);
  await endBuild(store, upload.uploadId, null);
  await forgetLost({ store, contents: inner });
  t.ok(await uploads.find(upload.uploadId), 'a build holds it');
  await endBuild(store, upload.uploadId, clock.now());
  await forgetLost({ store, contents: inner });
  t.equal(await uploads.find(upload.uploadId), null);
  await clock.advance(2 * DAY);
  await t.resolves(collect(caller), 'collection goes on');
});

t.test('bytes without a row are swept once they are a day old', async (t) => {
  const { announce, send, callers, clock, store, inner } = await start(t);
  const [caller = t.fail('no caller') as never] = callers;
  const scope = String(caller.account.id);
  const artifacts = createMemoryContentStore(clock.now);
  const sweep = () => sweepOrphans({ store, contents: { ...inner, artifacts } }, clock.now() - DAY);
  const { upload } = await announce(caller, { a: 'x' });
  await send(caller, upload.uploadId, 'x');
  for (const contents of [inner.blobs, inner.manifests, artifacts]) {
    for (let i = 0; i < 700; i++) await put(contents, scope, pieces(Buffer.from(`orphan ${i}`)));
  }
  await put(inner.blobs, scope, pieces(Buffer.from('x')));
  t.equal(await sweep(), 0, 'not while a request may still be at work');
  await clock.advance(DAY + 1);
  const unsure = { ...store, durable: () => Promise.reject(new Error('the disk is slow')) };
  await t.rejects(sweepOrphans({ store: unsure, contents: { ...inner, artifacts } }, clock.now() - DAY), /slow/);
  t.equal((await keysOf(inner.blobs)).length, 702, 'not on account of a row that may come back');
  t.equal(await sweep(), 2_101);
  t.same([(await keysOf(inner.blobs)).length, (await keysOf(inner.manifests)).length], [1, 1]);
  await t.resolves(inner.manifests.open(scope, upload.manifestKey));
});

/** A store that notes which contents are asked for, and counts transactions. */
function watched(inner: Store) {
  const asked = new Set<unknown>();
  let transactions = 0;
  const noting = <Q extends Queries>(queries: Q): Q => ({
    ...queries,
    all: <Row>(sql: string, params: SqlParams = {}) => {
      const { accountId, now, ...values } = params;
      if (/^SELECT sha256, size FROM blobs/.test(sql)) for (const value of Object.values(values)) asked.add(value);
      return queries.all<Row>(sql, params);
    },
  });
  const store: Store = {
    ...noting(inner),
    transaction: (fn) => {
      transactions++;
      return inner.transaction((tx) => fn(noting(tx)));
    },
  };
  const during = async (work: () => Promise<unknown>) => {
    asked.clear();
    transactions = 0;
    await work();
    return { asked: asked.size, transactions };
  };
  return { store, during };
}

t.test('contents are checked again only when something of the account was deleted', async (t) => {
  const service = await start(t);
  const { callers, clock, inner, store: plain } = service;
  const [caller = t.fail('no caller') as never] = callers;
  const { store, during } = watched(plain);
  const remembering = createUploads({ ...service, store, realClock: systemClock });
  const announce = async (folder: Folder) =>
    (await remembering.create(caller, bodyOf(Buffer.from(JSON.stringify(manifestOf(folder)))))).upload;
  const send = (upload: Upload, ...texts: string[]) =>
    remembering.addBlobs(caller, upload.uploadId, bodyOf(Buffer.concat(texts.map((text) => record(text)))));
  const ready = async ({ uploadId }: Upload) => (await remembering.find(uploadId))?.ready;

  const folder: Record<string, string> = { garbage: 'garbage' };
  for (let i = 0; i < 1_200; i++) folder[`dir/${i}`] = `content ${i}`;
  await send(await announce(folder), ...Object.values(folder));
  delete folder.garbage;
  const changed = async (text: string) => {
    folder['dir/7'] = text;
    return announce(folder);
  };

  const usual = await changed('one');
  t.same(await during(() => send(usual, 'one')), { asked: 1, transactions: 2 }, 'one look, and few commits');
  t.equal(await ready(usual), true);

  await clock.advance(DAY - HOUR);
  await changed('one');
  const collected = await changed('two');
  await clock.advance(2 * HOUR);
  await service.expire();
  t.equal(await service.collect(caller), 2, 'the garbage, and what was changed first');
  t.equal((await during(() => send(collected, 'two'))).asked, 1_200, 'the collector has deleted something');
  t.equal(await ready(collected), true);
  t.equal((await during(async () => send(await changed('three'), 'three'))).asked, 1);

  const losing = await changed('four');
  const lost = await findBlob(plain, caller.account.id, sha256('content 3'));
  await inner.blobs.delete(String(caller.account.id), lost?.blobKey ?? '');
  t.equal(await forgetLost({ store: plain, contents: inner }), 1);
  t.equal((await during(() => send(losing, 'four'))).asked, 250, 'up to the first that the disk has lost');
  t.equal(await ready(losing), false);
  t.same((await remembering.status(caller, losing.uploadId)).missing, [sha256('content 3')]);
  t.equal((await during(() => send(losing, 'content 3'))).asked, 1);
  t.equal(await ready(losing), true);

  const before = await changed('five');
  const anew = createUploads({ ...service, store, realClock: systemClock });
  t.equal(
    (await during(() => anew.addBlobs(caller, before.uploadId, bodyOf(record('five'))))).asked,
    1_200,
    'a process that has just started has not looked yet',
  );
  t.equal(await ready(before), true);
});

t.test('contents that are lost during the last check are noticed', async (t) => {
  const service = await start(t);
  const { callers, inner, store } = service;
  const [caller = t.fail('no caller') as never] = callers;
  const { upload } = await service.announce(caller, { a: 'x', b: 'y' });
  await service.send(caller, upload.uploadId, 'x');
  const intake = beginIntake({ ...service, blobs: inner.blobs }, ownerOf(caller), true);
  await intake.add(pieces(Buffer.from('y')), { size: 1 });
  await intake.finish();
  let losing = true;
  const transaction: Store['transaction'] = async (fn) => {
    if (losing) {
      losing = false;
      const blob = await findBlob(store, caller.account.id, sha256('x'));
      await inner.blobs.delete(String(caller.account.id), blob?.blobKey ?? '');
      t.equal(await forgetLost({ store, contents: inner }), 1);
    }
    return store.transaction(fn);
  };
  const uploads = createUploads({ ...service, store: { ...store, transaction }, realClock: systemClock });
  const { upload: seen, missing } = await uploads.status(caller, upload.uploadId);
  t.same([seen.ready, missing, losing], [false, [sha256('x')], false]);
  t.equal((await uploads.find(upload.uploadId))?.ready, false);
});

t.test('nothing is stored for an upload that goes just before its contents come', async (t) => {
  const service = await start(t);
  const { callers, inner, store } = service;
  const [caller = t.fail('no caller') as never] = callers;
  const { upload } = await service.announce(caller, { a: 'x' });
  const transaction: Store['transaction'] = async (fn) => {
    await store.run('DELETE FROM uploads');
    return store.transaction(fn);
  };
  const uploads = createUploads({ ...service, store: { ...store, transaction }, realClock: systemClock });
  await t.rejects(uploads.addBlobs(caller, upload.uploadId, bodyOf(record('x'))), {
    code: 'upload_not_found',
  });
  t.same([await keysOf(inner.blobs), await store.all('SELECT * FROM blobs')], [[], []]);
});

t.test('a content that is sent again is as young as a new one', async (t) => {
  const { announce, send, clock, collect, callers, store } = await start(t);
  const [caller = t.fail('no caller') as never] = callers;
  const { upload } = await announce(caller, { a: 'x' });
  await send(caller, upload.uploadId, 'x');
  await clock.advance(DAY - HOUR);
  t.equal(await send(caller, upload.uploadId, 'x'), 0);
  await store.run('DELETE FROM uploads');
  await clock.advance(HOUR);
  t.equal(await collect(caller), 0);
  await clock.advance(DAY);
  t.equal(await collect(caller), 1);
});

type Action =
  | { do: 'announce' | 'tar'; words: readonly string[] }
  | { do: 'send' | 'status'; nth: number }
  | { do: 'collect' | 'expire' }
  | { do: 'advance'; hours: number };

const words = ['a', 'b', 'c', 'd'];
const some = fc.subarray(words, { minLength: 1 });
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('announce' as const, 'tar' as const), words: some }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('send' as const), nth: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('status' as const), nth: fc.nat(5) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('collect' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('expire' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('advance' as const), hours: fc.constantFrom(1, 25) }) },
);

/** Every call waits until the scheduler starts it, so that other calls can run in between. */
function heldUp<T extends object>(inner: T, s: fc.Scheduler, names: readonly string[]): T {
  return new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (!names.includes(String(name))) return value.bind(target);
      return async (...args: unknown[]) => {
        await s.schedule(Promise.resolve(), String(name));
        return value.apply(target, args);
      };
    },
  });
}

async function neverLosesContents(t: Test, numRuns: number, open: () => Promise<Inner | null>) {
  let complete = 0;
  const scenario = async (s: fc.Scheduler, alive: readonly string[], sequences: readonly (readonly Action[])[]) => {
    const service = await start(null, await open());
    const { clock, callers, store, inner, limits, quota } = service;
    const caller = callers[0] as Caller;
    // Contents that are old enough to be deleted; a live upload names some of them.
    const { upload: old } = await service.announce(caller, Object.fromEntries(words.map((w) => [w, w])));
    await service.send(caller, old.uploadId, ...words);
    await clock.advance(DAY - HOUR);
    if (alive.length > 0) await service.announce(caller, Object.fromEntries(alive.map((w) => [w, w])));
    await clock.advance(2 * HOUR);
    await service.expire();

    const contents = {
      blobs: heldUp(inner.blobs, s, ['open', 'stat', 'delete']),
      manifests: heldUp(inner.manifests, s, ['open', 'stat', 'delete']),
    };
    const deps = { store: heldUp(store, s, ['get', 'all', 'transaction']), clock, limits, quota, contents };
    const uploads = createUploads({ ...deps, realClock: systemClock });
    // Without bodies and their unpacking, which would run in their own time.
    const accept = (named: readonly string[]) => {
      const { project, files } = manifestOf(Object.fromEntries(named.map((w) => [w, w])));
      const manifest = { files: files as SourceFile[], links: [], directories: [] };
      const request = {
        project: String(project),
        manifest,
        totalBytes: 0,
        sizes: new Map(manifest.files.map(({ sha256, size }) => [sha256, size])),
      };
      return acceptUpload({ ...deps, manifests: contents.manifests }, caller, request, null);
    };
    const takeIn = async (named: readonly string[], claimed: boolean) => {
      const intake = beginIntake({ ...deps, blobs: contents.blobs }, ownerOf(caller), claimed);
      for (const word of named) await intake.add(pieces(Buffer.from(word)), { size: word.length });
      await intake.finish();
    };
    const made: string[] = [];
    const folders = new Map<string, readonly string[]>();
    const nth = (n: number) => made[n % Math.max(1, made.length)] ?? 'up_none';
    const note = (uploadId: string, named: readonly string[]) => {
      folders.set(uploadId, named);
      made.push(uploadId);
    };

    const act = async (step: Action): Promise<unknown> => {
      switch (step.do) {
        case 'announce':
          return note((await accept(step.words)).upload.uploadId, step.words);
        case 'tar': {
          const began = clock.now();
          await takeIn(step.words, false);
          const { upload, missing } = await accept(step.words);
          if (missing.size > 0 && clock.now() - began < 2 * limits.upload_total_ms)
            throw new Error('what was just taken in is gone');
          return note(upload.uploadId, step.words);
        }
        case 'send': {
          const uploadId = nth(step.nth);
          await takeIn(folders.get(uploadId) ?? [], true);
          return uploads.settle({ accountId: caller.account.id, uploadId });
        }
        case 'status':
          return uploads.status(caller, nth(step.nth));
        case 'collect':
          return collectAccount(deps, caller.account.id);
        case 'expire':
          return expireUploads(deps);
        case 'advance':
          return clock.advance(step.hours * HOUR);
      }
    };
    const forgive = (error: unknown) => {
      if (!(error instanceof ApiError && error.code === 'upload_not_found')) throw error;
    };
    const running = sequences.map(async (sequence) => {
      for (const step of sequence) await act(step).catch(forgive);
    });
    await s.waitFor(Promise.all(running));

    for (const [uploadId, named] of folders) {
      const row = await store.get<{ ready: number }>('SELECT ready FROM uploads WHERE upload_id = :uploadId', {
        uploadId,
      });
      if (row?.ready !== 1) continue;
      complete++;
      for (const word of named) {
        const blob = await findBlob(store, caller.account.id, sha256(word));
        const stored = blob && (await inner.blobs.stat(String(caller.account.id), blob.blobKey));
        if (!stored) throw new Error(`${uploadId} is complete but has lost "${word}"`);
      }
    }
    await store.close();
  };
  const sequences = fc.array(fc.array(action, { minLength: 1, maxLength: 4 }), {
    minLength: 2,
    maxLength: 4,
  });
  await fc.assert(fc.asyncProperty(fc.scheduler(), fc.subarray(words), sequences, scenario), { numRuns });
  t.ok(complete > numRuns / 2, `${complete} complete uploads were looked at`);
}

t.test('a complete upload has all its contents, with any concurrent work', async (t) => {
  await neverLosesContents(t, cases(60, 200), async () => null);
});

t.test('so it is with contents in files, where those of one batch share a pack', async (t) => {
  const dir = t.testdir();
  let runs = 0;
  await neverLosesContents(t, cases(20, 60), () => openContents(join(dir, String(++runs))));
});
