// What the service does while its disk is slow, and when it has failed.
import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { code, show, submit, withMacs } from './submitting.js';

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

t.test('while the disk is slow, reads, logs and polls go on; nobody acts on what is not on it', async (t) => {
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
  t.same(await h.services.runs.output(host.hostId, output, line), { nextOffset: 7 });
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
});

t.test(
  'a disk that has failed: writes are refused, reads go on, and the operator is told once',
  async (t) => {
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
    t.ok(
      await h.store.get("SELECT 1 FROM builds WHERE status = 'queued'"),
      'it was committed, but who knows where',
    );
    const repeated = await send();
    t.same(
      [repeated.statusCode, code(repeated)],
      [500, 'internal_error'],
      'nor is it told as done when asked again',
    );
    t.equal((await h.call('POST', `/builds/${id}/cancel`)).statusCode, 500);
    await t.rejects(host.desired(), { name: 'StoreFailedError' }, 'the host goes on with what it knows');
    await t.rejects(host.macs(), { name: 'StoreFailedError' });
    await t.rejects(
      h.services.runs.output(host.hostId, { build_id: 'rb_none', attempt: 1, offset: 0 }, Buffer.from('x')),
    );

    t.equal((await show(h, id)).status, 'running');
    t.equal((await h.call('GET', '/status')).statusCode, 200);
    t.same(
      await h.services.runs.output(
        host.hostId,
        { build_id: id, attempt: 1, offset: 0 },
        Buffer.from('a line\n'),
      ),
      { nextOffset: 7 },
    );

    const health = await h.inject({ url: '/healthz' });
    t.equal(health.statusCode, 503);
    t.match(health.body, /^failed: the disk .* started again/);
    t.equal((await h.inject({ url: '/readyz' })).statusCode, 503);
    t.equal(told.length, 1);
    t.match(told[0], { name: 'StoreFailedError', cause: { code: 'EIO' } });
  },
);
