// Logs that several processes share: two processes on one database, and processes that die at the worst instant.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createLogRows } from '../../control-plane/builds/app/log-rows.js';
import { LogClosedError } from '../../control-plane/builds/logs/build-logs.js';
import type { LogRows } from '../../control-plane/builds/logs/log-rows.js';
import { createSharedBuildLogs } from '../../control-plane/builds/logs/shared-build-logs.js';
import { BlobError } from '../../control-plane/platform/blobs/blob-error.js';
import { openFolderObjects } from '../../control-plane/platform/blobs/folder-objects.js';
import type { ObjectStore } from '../../control-plane/platform/blobs/object-store.js';
import type { Store } from '../../control-plane/platform/store/sql.js';
import { startBuildHost } from '../harness/build-host.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { sha256 } from '../harness/sha256.js';
import { all, append, textOf } from './log-conformance.js';
import { sharedPlace } from './log-forms.js';

const piecesIn = async (store: Store) =>
  (await store.get<{ n: number }>('SELECT COUNT(*) AS n FROM log_pieces'))?.n ?? 0;

/** The objects below a folder. */
const objectsIn = (root: string) =>
  existsSync(join(root, 'objects'))
    ? readdirSync(join(root, 'objects'), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
        .sort()
    : [];

t.test('what one process stores another can read, and the host may go on at the other', async (t) => {
  const place = await sharedPlace(t);
  const a = place.process();
  const b = place.process({ rows: await place.another() });
  await append(a.logs, 'rb_1', 0, 'one\n');
  t.equal(await textOf(b.logs, 'rb_1'), 'one\n');
  t.same(await append(b.logs, 'rb_1', 0, ''), { length: 4 }, 'the host asks where to go on');
  t.same(await append(b.logs, 'rb_1', 4, 'two\n'), { length: 8 });
  t.same(await append(a.logs, 'rb_1', 4, 'two\n'), { length: 8 }, 'what the old connection still had is there already');
  t.same(await append(a.logs, 'rb_1', 2, 'e\ntwo\nthree\n'), { length: 14 }, 'or only in part');
  t.same(await append(b.logs, 'rb_1', 20, 'later\n'), { length: 14 });
  t.same(await b.logs.size('rb_1'), { length: 14, lines: 3 });
  const whole = Buffer.from('one\ntwo\nthree\n');
  const part = { from: 0, length: whole.length, sha256: sha256(whole) };
  t.same(await b.logs.finish('rb_1', part), { complete: true }, 'the hash is of what both have stored');
  t.same(await a.logs.finish('rb_1', part), { complete: true });
  t.match(await a.logs.finish('rb_1', { ...part, sha256: sha256(Buffer.from('x')) }), { complete: false, wanted: 0 });
  t.same(await append(b.logs, 'rb_1', 0, whole.toString()), { length: 14 }, 'sent again to the other');
  t.same(await b.logs.finish('rb_1', part), { complete: true });
  t.equal(await textOf(a.logs, 'rb_1'), whole.toString());
});

t.test('two processes that write the same log at the same time store every byte once', async (t) => {
  const place = await sharedPlace(t);
  const both = [place.process(), place.process({ rows: await place.another() })];
  const text = Array.from({ length: 400 }, (_, i) => `line ${i}\n`).join('');
  await Promise.all(
    both.map(async ({ logs }, n) => {
      const size = 90 + n * 60;
      for (let at = 0; at < text.length; ) at = (await append(logs, 'rb_1', at, text.slice(at, at + size))).length;
    }),
  );
  for (const { logs } of both) t.equal(await textOf(logs, 'rb_1'), text);
  t.same(await both[0]?.logs.size('rb_1'), { length: text.length, lines: 400 });
});

t.test(
  'a process that is killed after the commit and before the acknowledgement has lost and doubled nothing',
  async (t) => {
    const place = await sharedPlace(t);
    let killed = true;
    const dying: LogRows = {
      ...place.rows,
      async change(change) {
        const applied = await place.rows.change(change);
        if (killed) throw new Error('killed');
        return applied;
      },
    };
    const a = place.process({ rows: dying });
    await t.rejects(append(a.logs, 'rb_1', 0, 'one\n'), /killed/);
    const b = place.process();
    t.same(await append(b.logs, 'rb_1', 0, 'one\n'), { length: 4 }, 'the host sends it again, to another');
    t.same(await append(b.logs, 'rb_1', 4, 'two\n'), { length: 8 });
    killed = false;
    t.same(await append(a.logs, 'rb_1', 4, 'two\nthree\n'), { length: 14 }, 'it knows nothing of what failed');
    t.equal(await textOf(b.logs, 'rb_1'), 'one\ntwo\nthree\n');
  },
);

/** Fails from the `at`th operation on, before or after it was carried out, as a killed process does. */
function dyingAt(at: number, after: boolean) {
  let count = 0;
  const wrap = <T extends object>(port: T, names: readonly (keyof T)[]): T => {
    const wrapped = { ...port };
    for (const name of names) {
      const call = port[name] as (...args: unknown[]) => Promise<unknown>;
      wrapped[name] = (async (...args: unknown[]) => {
        count++;
        if (count > at || (count === at && !after)) throw new Error('killed');
        const result = await call(...args);
        if (count === at) throw new Error('killed');
        return result;
      }) as T[keyof T];
    }
    return wrapped;
  };
  return { wrap, count: () => count };
}

t.test(
  'a process that is killed at any step of moving a log leaves the log whole, and another ends the move',
  async (t) => {
    const text = Array.from({ length: 60_000 }, (_, i) => `line ${i}\n`).join('');
    for (const after of [false, true]) {
      for (let at = 1; ; at++) {
        const place = await sharedPlace(t);
        const first = place.process();
        for (let from = 0; from < text.length; from += 100_000)
          await append(first.logs, 'rb_1', from, text.slice(from, from + 100_000));
        const { wrap, count } = dyingAt(at, after);
        const dying = place.process({
          objects: wrap<ObjectStore>(place.folder, ['put', 'stat']),
          rows: wrap<LogRows>(place.rows, ['change', 'dropPieces', 'pieces']),
        });
        const died = await dying.settle('rb_1').then(
          () => false,
          () => true,
        );
        const next = place.process();
        t.equal(await textOf(next.logs, 'rb_1'), text, `killed at step ${at}`);
        t.same(await next.logs.lineStart('rb_1', 60_000), {
          offset: text.length - 'line 59999\n'.length,
          length: text.length,
          lines: 60_000,
        });
        await next.settle('rb_1');
        t.equal(await textOf(next.logs, 'rb_1'), text);
        t.equal(await piecesIn(place.store), 0);
        t.equal(objectsIn(join(place.root, 'objects')).length, 2, 'one log, one index');
        await next.logs.remove('rb_1');
        t.same(objectsIn(join(place.root, 'objects')), []);
        if (died) continue;
        t.ok(count() > 5, 'it was killed at every step');
        break;
      }
    }
  },
);

t.test('a log is read to its end while it is moved, and by two processes that move it at the same time', async (t) => {
  const place = await sharedPlace(t);
  const [a, b] = [place.process(), place.process({ rows: await place.another() })];
  const text = Buffer.from('some line of the log\n'.repeat(80_000));
  for (let at = 0; at < text.length; ) at = (await a.logs.append('rb_1', at, text.subarray(at, at + 300_000))).length;
  const got: Buffer[] = [];
  for await (const piece of b.logs.stream('rb_1', { start: 5 })) {
    got.push(piece);
    if (got.length === 2) await Promise.all([a.settle('rb_1'), b.settle('rb_1')]);
  }
  t.ok(Buffer.concat(got).equals(text.subarray(5)));
  t.equal(await piecesIn(place.store), 0);
  t.equal(objectsIn(join(place.root, 'objects')).length, 2);
  await t.rejects(append(a.logs, 'rb_1', text.length, 'more'), LogClosedError);
  await t.rejects(b.logs.appendLine('rb_1', 'more'), LogClosedError);
  t.ok((await all(b.logs.stream('rb_1'))).equals(text));
});

t.test('what an object does not hold is not believed: the pieces stay', async (t) => {
  const place = await sharedPlace(t);
  const lossy: ObjectStore = {
    ...place.folder,
    put: async (key, source) => {
      const bytes = Buffer.isBuffer(source) ? source : await all(source);
      return place.folder.put(key, bytes.subarray(1));
    },
  };
  const { logs, settle } = place.process({ objects: lossy });
  await append(logs, 'rb_1', 0, 'one\ntwo\n');
  await t.rejects(settle('rb_1'), /is not the log/);
  t.equal(await textOf(logs, 'rb_1'), 'one\ntwo\n');
  await place.process().settle('rb_1');
  t.equal(await piecesIn(place.store), 0);
  t.equal(await textOf(logs, 'rb_1'), 'one\ntwo\n');
});

/** The service with an object store that can be away. */
async function serviceWithObjects(t: Parameters<typeof startHarness>[0], limits = {}) {
  const root = t.testdir();
  const folder = await openFolderObjects(root);
  const state = { away: false };
  const ifThere = <A extends unknown[], R>(call: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      if (state.away) throw new BlobError('away', 'the store does not answer');
      return call(...args);
    };
  };
  const objectStore: ObjectStore = {
    ...folder,
    put: ifThere(folder.put),
    open: ifThere(folder.open),
    stat: ifThere(folder.stat),
    delete: ifThere(folder.delete),
    check: ifThere(folder.check),
  };
  const h = await startHarness(t, { objects: { kind: 'folder', path: root }, objectStore, limits });
  const host = await startBuildHost(h, { macs: 1 });
  return { h, host, root, state };
}

async function startedBuild(h: Harness, host: Awaited<ReturnType<typeof startBuildHost>>): Promise<string> {
  const { id } = (await h.call('POST', '/builds', { body: { script: 'make', repo: 'o/n' } })).json();
  await h.workers.idle();
  await host.start();
  return id;
}

t.test(
  'the object store is away for ten minutes: logs stay readable in the database, and are moved afterwards',
  async (t) => {
    const { h, host, root, state } = await serviceWithObjects(t);
    state.away = true;
    const id = await startedBuild(h, host);
    await host.output(id, 'one\ntwo\nerror: three\n');
    await host.finish(id);
    const look = async () => ({
      text: (await h.call('GET', `/builds/${id}/log?format=text`)).body,
      lines: (await h.call('GET', `/builds/${id}/log?from_line=2&lines=1`)).json(),
      found: (await h.call('GET', `/builds/${id}/log?search=error`)).json().matches,
      tail: (await h.call('GET', `/builds/${id}/log?tail=1`)).body,
    });
    const before = await look();
    t.match(before, { text: 'one\ntwo\nerror: three\n', tail: 'error: three\n', found: [{ n: 3 }] });
    for (let minute = 0; minute < 10; minute++) {
      await h.pass(60_000);
      t.ok((await piecesIn(h.store)) > 0);
    }
    t.same(await look(), before);
    state.away = false;
    await h.pass(120_000);
    t.equal(await piecesIn(h.store), 0, 'the database has nothing of it any more');
    t.equal(objectsIn(root).length, 2);
    t.same(await look(), before, 'the object has all of it');
    const { logsBytes } =
      (await h.store.get<{ logsBytes: number }>('SELECT log_bytes AS "logsBytes" FROM builds')) ?? {};
    t.equal(logsBytes, before.text.length, 'it counts the same');
  },
);

t.test('an old connection writes nothing once the attempt has ended; retention deletes the objects', async (t) => {
  const { h, host, root } = await serviceWithObjects(t, { logs_kept_ms: 300_000 });
  const id = await startedBuild(h, host);
  await host.output(id, 'one\n');
  // The log as another process has it, which still holds the connection.
  const { logs } = createSharedBuildLogs({
    rows: createLogRows(h.store),
    objects: await openFolderObjects(root),
    maxBytes: 2 ** 20,
    maxOpen: 8,
    now: () => 1,
    systemNow: () => 1,
    onAppend: () => {},
  });
  t.same(await logs.append(id, 4, Buffer.from('two\n'), [], 1), { length: 8 });
  await t.rejects(logs.append(id, 8, Buffer.from('three\n'), [], 2), LogClosedError, 'another attempt');
  await h.runs.hostLost(host.hostId);
  const text = (await h.call('GET', `/builds/${id}/log?format=text`)).body;
  t.match(text, /^one\ntwo\n\[cidermill\] The host of this build was lost/);
  await t.rejects(logs.append(id, text.length, Buffer.from('three\n'), [], 1), LogClosedError);
  await t.rejects(logs.append(id, 8, Buffer.from('x'.repeat(500)), [], 1), LogClosedError, 'also behind other bytes');
  await t.rejects(logs.appendLine(id, 'three', 1), LogClosedError);
  const wrong = { from: 0, length: 8, sha256: '0'.repeat(64) };
  await t.rejects(logs.finish(id, wrong, 1), LogClosedError, 'nor does it cut anything');
  const late = { build_id: id, attempt: 1, offset: 8 };
  t.same(await h.runs.output(host.hostId, late, Buffer.from('late\n')), { nextOffset: 13 }, 'the host forgets it');
  await h.pass(60_000);
  t.equal((await h.call('GET', `/builds/${id}/log?format=text`)).body, text);
  t.equal(objectsIn(root).length, 2);
  await h.pass(h.limits.logs_kept_ms);
  await h.workers.named('log-retention').run(new Set());
  t.equal((await h.call('GET', `/builds/${id}/log?format=text`)).json().error.code, 'log_deleted');
  t.same(objectsIn(root), []);
  t.same(await h.store.all('SELECT build_id FROM build_logs'), []);
});
