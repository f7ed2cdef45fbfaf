// What the service does while its disk is slow, and when it has failed.
// Runs in: soak
// Requires: sqlite
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { type Harness, startHarness } from '../harness/harness.js';
import { sha256 } from '../harness/sha256.js';
import { code, HOUR, show, submit, withMacs } from '../harness/submitting.js';
import { until } from '../harness/until.js';
import { manifestOf, record, tarOf, uploader } from '../harness/upload-bodies.js';

/** A disk that keeps nothing while it is held, and nothing any more once it is broken. */
function wilfulDisk() {
  let gate = Promise.resolve();
  let broken = false;
  return {
    options: {
      dataSync: async () => {
        await gate;
        if (broken) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
      },
    },
    hold(): () => void {
      let release = () => {};
      gate = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
    break() {
      broken = true;
    },
  };
}

/** Whether a promise is still pending, to be asked later. */
function watch(promise: Promise<unknown>) {
  const seen = { settled: false };
  const settle = () => {
    seen.settled = true;
  };
  promise.then(settle, settle);
  return seen;
}

t.test(
  'while the disk is slow, reads, logs and polls go on, and nothing acts on data that is not stored yet',
  async (t) => {
    const disk = wilfulDisk();
    const { h, host } = await withMacs(t, 1, { disk: disk.options });
    const { id } = await submit(h);
    await host.start();
    const release = disk.hold();
    const first = h.call('POST', `/builds/${id}/cancel`);
    const stopping = async () =>
      (await h.store.get('SELECT 1 FROM builds WHERE stop_reason IS NOT NULL')) !== undefined;
    while (!(await stopping())) await setImmediate();

    const again = h.call('POST', `/builds/${id}/cancel`);
    const desired = host.desired();
    const waiting = [watch(first), watch(again), watch(desired)];
    const line = Buffer.from('a line\n');
    const output = { build_id: id, attempt: 1, offset: 0 };
    t.same(await h.runs.output(host.hostId, output, line), { nextOffset: 7 });
    t.equal((await show(h, id)).status, 'running');
    t.equal((await h.call('GET', `/builds/${id}/log`)).statusCode, 200);
    for (let turn = 0; turn < 20; turn++) await h.call('GET', '/status');
    t.same(
      waiting.map(({ settled }) => settled),
      [false, false, false],
      'neither who asked, nor who asked again, nor the host is told yet',
    );
    release();
    t.same([(await first).statusCode, (await again).statusCode], [200, 200]);
    t.match(await desired, [{ build_id: id, want: 'stop' }]);
  },
);

t.test('a disk that has failed: writes are refused, reads go on, and the operator gets one notice', async (t) => {
  const disk = wilfulDisk();
  const told: Error[] = [];
  const { h, host } = await withMacs(t, 1, {
    disk: { ...disk.options, onFailure: (error) => told.push(error) },
  });
  const { id } = await submit(h);
  await host.start();
  t.equal((await h.inject({ url: '/healthz' })).statusCode, 200);

  disk.break();
  const send = () =>
    h.call('POST', '/builds', {
      body: { script: 'make', repo: 'apple/swift' },
      headers: { 'idempotency-key': 'once' },
    });
  const lost = await send();
  t.same([lost.statusCode, code(lost)], [500, 'internal_error']);
  t.ok(await h.store.get("SELECT 1 FROM builds WHERE status = 'queued'"), 'it was committed, but who knows where');
  const repeated = await send();
  t.same([repeated.statusCode, code(repeated)], [500, 'internal_error'], 'nor is it told as done when asked again');
  t.equal((await h.call('POST', `/builds/${id}/cancel`)).statusCode, 500);
  await t.rejects(host.desired(), { name: 'StoreFailedError' }, 'the host goes on with what it knows');
  await t.rejects(host.macs(), { name: 'StoreFailedError' });
  await t.rejects(h.runs.output(host.hostId, { build_id: 'rb_none', attempt: 1, offset: 0 }, Buffer.from('x')));

  t.equal((await show(h, id)).status, 'running');
  t.equal((await h.call('GET', '/status')).statusCode, 200);
  t.same(await h.runs.output(host.hostId, { build_id: id, attempt: 1, offset: 0 }, Buffer.from('a line\n')), {
    nextOffset: 7,
  });

  const health = await h.inject({ url: '/healthz' });
  t.equal(health.statusCode, 503);
  t.match(health.body, /^failed: the disk .* started again/);
  t.equal((await h.inject({ url: '/readyz' })).statusCode, 503);
  t.equal(told.length, 1);
  t.match(told[0], { name: 'StoreFailedError', cause: { code: 'EIO' } });
});

const MIB = 1024 * 1024;

const needsMount = { skip: process.getuid?.() !== 0 && 'only root can mount a small disk' };

/** Returns an empty folder on a small disk, or null if this user may not mount one. */
function smallDisk(t: Test, mebibytes = 48): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'cidermill-small-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder]).status === 0;
  if (!mounted) return null;
  t.teardown(() => spawnSync('umount', ['-l', folder]));
  const data = join(folder, 'data');
  mkdirSync(data);
  return data;
}

t.test('on a disk that fills up, uploads are refused at once and builds go on in the reserve', async (t) => {
  const data = smallDisk(t);
  // Without a mount the disk is never full; instead, the reserve is so large that contents may use none of it.
  const { bavail, bsize } = statfsSync(tmpdir());
  const none = { disk_reserve_bytes: Math.ceil(1.2 * bavail * bsize) };
  const h = await startHarness(
    t,
    data === null ? { limits: none } : { data, limits: { disk_reserve_bytes: 16 * MIB } },
  );
  const { announce, sendBlobs, sendTar } = uploader(h);
  const source = mkdtempSync(join(tmpdir(), 'cidermill-tar-'));
  t.teardown(() => rmSync(source, { recursive: true, force: true }));
  writeFileSync(join(source, 'a'), 'content of a');
  const tar = tarOf(source, 'a');
  let id = 'up_none';
  if (data !== null) {
    id = (await announce(manifestOf({ a: 'x' }))).json().id;
    t.match((await h.inject({ url: '/healthz' })).body, /^ok$/m);
    // What would not leave the reserve is refused before it is written.
    const large = randomBytes(40 * MIB);
    const announced = (await announce(manifestOf({ large }))).json().id;
    const refused = await sendBlobs(announced, [record(large)]);
    t.same([refused.statusCode, code(refused)], [503, 'uploads_unavailable']);
    writeFileSync(join(data, 'filler'), Buffer.alloc(36 * MIB));
  }
  for (const answer of [
    await announce(manifestOf({ b: 'y' })),
    await sendTar(tar),
    ...(data === null ? [] : [await sendBlobs(id, [record('x')])]),
  ]) {
    t.same([answer.statusCode, code(answer)], [503, 'uploads_unavailable']);
    t.match(answer.json().error, { message: /disk of the service is full/, retry_after_s: 30 });
  }
  const health = await h.inject({ url: '/healthz' });
  t.equal(health.statusCode, 200);
  t.match(health.body, /^degraded: disk_full: The disk of the data folder has \d+ MiB free/m);
  const built = await h.call('POST', '/builds', {
    body: { repo: 'apple/swift', script: 'make', queue_until_rental: true },
  });
  t.equal(built.statusCode, 201, 'the database writes into the reserve');
  if (data === null) return;
  rmSync(join(data, 'filler'));
  t.equal((await sendBlobs(id, [record('x')])).statusCode, 200, 'with room again it goes on');
  t.match((await h.inject({ url: '/healthz' })).body, /^ok$/m);
});

t.test('a disk without any room is an error that says so, not a defect', needsMount, async (t) => {
  const data = smallDisk(t);
  if (data === null) return t.fail('the disk was not mounted');
  const h = await startHarness(t, { data, limits: { disk_reserve_bytes: 0 } });
  t.throws(() => writeFileSync(join(data, 'filler'), Buffer.alloc(64 * MIB)), { code: 'ENOSPC' });
  // The log of the database has a page or two of room left.
  const send = () =>
    h.call('POST', '/builds', {
      body: { repo: 'apple/swift', script: `#${'x'.repeat(200 * 1024)}`, queue_until_rental: true },
    });
  const answers = [await send(), await send(), await send()];
  const last = answers.at(-1);
  t.same(last && [last.statusCode, code(last)], [503, 'storage_full']);
  t.equal((await h.call('GET', '/status')).statusCode, 200, 'reading goes on');
  rmSync(join(data, 'filler'));
  t.equal((await send()).statusCode, 201, 'and writing, when there is room again');
});

t.test(
  'the database keeps working when tenants fill the disk with uploads, artifacts, logs and requests',
  needsMount,
  async (t) => {
    const data = smallDisk(t, 256);
    if (data === null) return t.fail('the disk was not mounted');
    const RESERVE = 128 * MIB;
    const { h, host } = await withMacs(t, 2, {
      data,
      limits: { disk_reserve_bytes: RESERVE, log_bytes: 256 * MIB },
    });
    const free = () => {
      const { bavail, bsize } = statfsSync(data);
      return bavail * bsize;
    };
    const { id: first } = await submit(h);
    const { id: second } = await submit(h);
    await host.start();

    const { announce, sendBlobs } = uploader(h);
    let answer = await announce(manifestOf({ a: 'a' }));
    for (let i = 0; answer.statusCode < 300 && i < 100; i++) {
      const content = randomBytes(4 * MIB);
      answer = await announce(manifestOf({ content }, `p${i}`));
      if (answer.statusCode < 300) answer = await sendBlobs(answer.json().id, [record(content)]);
    }
    t.same([answer.statusCode, code(answer)], [503, 'uploads_unavailable']);
    const artifact = { buildId: first, attempt: 1, name: 'a', bytes: 8 * MIB };
    const body = randomBytes(8 * MIB);
    const kept = h.artifacts.store({ ...artifact, sha256: sha256(body) }, Readable.from([body]));
    await t.rejects(kept, { name: 'BlobError' });
    t.ok(free() > RESERVE - 8 * MIB, 'contents do not use the reserve');

    let written = 0;
    const line = Buffer.alloc(MIB, `${'x'.repeat(1023)}\n`);
    const outputs = async () => {
      for (; written < 100; written++) await host.output(first, line);
    };
    await t.rejects(outputs(), { name: 'BlobError' }, 'the host keeps unacknowledged output');
    t.ok(written > 10 && free() > RESERVE / 2 - 4 * MIB, 'logs leave half of the reserve');

    // Equal scripts would be stored once.
    const script = () => `#${randomBytes(100 * 1024).toString('hex')}`;
    const send = () =>
      h.call('POST', '/builds', {
        body: { repo: 'apple/swift', script: script(), queue_until_rental: true },
      });
    const sent = [await send()];
    for (let i = 0; sent.at(-1)?.statusCode === 201 && i < 400; i++) {
      // Keeps the queue from filling up.
      await h.call('POST', `/builds/${sent.at(-1)?.json().id}/cancel`);
      sent.push(await send());
    }
    const refused = sent.at(-1);
    t.same(refused && [refused.statusCode, code(refused)], [503, 'storage_full']);
    t.match(refused?.json().error, { retry_after_s: 30 });
    t.ok(sent.length > 10, 'requests use more of the reserve than logs');
    // The write-ahead log, 16 MiB, may have been copied into the database since.
    t.ok(free() > RESERVE / 4 - 20 * MIB, 'a quarter of it remains for the database');
    const health = (await h.inject({ url: '/healthz' })).body;
    t.match(health, /uploads and artifacts are refused, hosts buffer the output of builds, requests that add/);

    // Writes of the service itself still succeed.
    await host.finish(second);
    t.match(await show(h, second), { status: 'succeeded' });
    t.equal((await h.call('POST', `/builds/${first}/cancel`)).statusCode, 200);
    t.equal((await h.call('GET', '/status')).statusCode, 200);
    t.equal(h.store.failure(), null);
    t.same(await h.store.all('PRAGMA integrity_check'), [{ integrity_check: 'ok' }]);

    for (const { id } of (await h.inject(filesOf(h))).json().data) {
      await h.inject({ ...filesOf(h, `/${id}`), method: 'DELETE' });
    }
    await h.clock.advance(40 * HOUR);
    await until(async () => {
      await h.pass(HOUR);
      return free() > RESERVE;
    }, 'deleting uploads releases their space');
    t.equal((await send()).statusCode, 201);
    t.equal((await announce(manifestOf({ b: 'b' }))).statusCode, 201);
  },
);

const filesOf = (h: Harness, rest = '') => ({
  url: `/api/runner/v1/files${rest}`,
  headers: { authorization: `Bearer ${h.keys.all}` },
});
