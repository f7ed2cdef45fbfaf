// The clock of the service's machine is corrected by an hour, in both directions: nothing ends, and nothing waits for an hour.
// Runs in: soak
import t from 'tap';
import { newMacQuotaOf } from '../../control-plane/macs/app/new-macs.js';
import { createFileAges } from '../../control-plane/platform/app/file-ages.js';
import { noteGarbage } from '../../control-plane/uploads/store/blob-accounts.js';
import { findBlob, insertBlobs } from '../../control-plane/uploads/store/blobs.js';
import { createAdvancingClock } from '../../shared/clock.js';
import { startBuildHost } from '../harness/build-host.js';
import { startHarness } from '../harness/harness.js';
import { startReceiver } from '../harness/receiver.js';
import { addHost, iso, order, pay } from '../harness/renting.js';
import { code, HOUR, MINUTE, show, submit } from '../harness/submitting.js';
import { free, macs } from '../renting/orders-rig.js';

const SECOND = 1_000;

for (const step of [HOUR, -HOUR]) {
  t.test(`a step of ${step / SECOND} s`, async (t) => {
    const lines: { step_ms?: number; level: number }[] = [];
    const h = await startHarness(t, {
      receivers: true,
      oneClock: true,
      limits: { stall_silence_ms: 10 * MINUTE, stall_queued_ms: 20 * MINUTE, requests_per_minute: 60 },
      log: (line) => lines.push(JSON.parse(line)),
    });
    const host = await startBuildHost(h, { macs: 1 });
    const passes = async (ms: number) => {
      await h.pass(ms);
    };
    const receiver = await startReceiver(t);
    const hook = await h.call('POST', '/webhooks', {
      body: { url: receiver.url, events: ['build.queued', 'build.started', 'build.stalled', 'build.failed'] },
    });
    t.equal(hook.statusCode, 201);
    const running = await submit(h, { timeout_min: 30 });
    await host.start();
    await host.output(running.id, 'working\n');
    await passes(MINUTE);
    receiver.answer = () => ({ status: 503 });
    const waiting = await submit(h, { script: 'make again' });
    await passes(10 * SECOND);
    const due = () =>
      h.store.all<{ wait: number }>(
        `SELECT due_at - ${h.parts.platform.clock.now()} AS wait FROM deliveries WHERE status = 'pending' ORDER BY seq`,
      );
    const before = { waits: await due(), build: await show(h, running.id) };
    t.ok(before.waits.length > 0, 'a delivery waits for its next attempt');
    const poll = h.call('GET', `/builds/${running.id}/wait?timeout=60`);

    h.clock.step(step);
    const now = h.parts.platform.clock.now();
    await h.workers.idle();
    t.equal(h.parts.platform.clock.now(), now, 'the service does not see it before its spans have been moved');
    await h.parts.clockSteps.look();
    await h.workers.idle();
    t.equal(h.parts.platform.clock.now(), now + step, 'what people agreed upon follows the corrected time');
    t.match(
      lines.filter((line) => line.step_ms !== undefined),
      [{ step_ms: step, level: 40 }],
    );
    await h.parts.clockSteps.look();
    t.equal(lines.filter((line) => line.step_ms !== undefined).length, 1, 'once');

    t.same(await due(), before.waits, 'the next attempts wait as long as before');
    const after = await show(h, running.id);
    t.equal(after.status, 'running');
    t.equal((await show(h, waiting.id)).status, 'queued');
    const { silent_s } = after as unknown as { silent_s: number };
    t.equal(silent_s, (before.build as unknown as { silent_s: number }).silent_s);
    receiver.answer = () => ({ status: 200 });
    await passes(5 * MINUTE);
    t.same(
      receiver.events().filter((event) => /stalled|failed/.test(event)),
      [],
    );
    t.ok(receiver.events().length > 3, 'the retries came');
    t.equal((await poll).statusCode, 200, 'the long poll has ended at its time');
    t.equal((await show(h, running.id)).status, 'running');

    // The span still ends when its time is over.
    await passes(24 * MINUTE);
    t.equal(
      (await h.store.get<{ stop: string }>('SELECT stop_reason AS stop FROM builds WHERE stop_reason IS NOT NULL'))
        ?.stop,
      'timeout',
    );
  });

  t.test(`a build that waits during a step of ${step / SECOND} s expires when it has waited for a day`, async (t) => {
    const h = await startHarness(t, { oneClock: true });
    const { id } = await submit(h, { queue_until_rental: true });
    await h.clock.advance(HOUR);
    h.clock.step(step);
    await h.parts.clockSteps.look();
    await h.pass(22.5 * HOUR);
    t.equal((await show(h, id)).status, 'queued');
    await h.pass(HOUR);
    t.match(await show(h, id), { status: 'expired', end_reason: 'queue_timeout' });
  });

  t.test(`a host that is away during a step of ${step / SECOND} s`, async (t) => {
    const h = await startHarness(t, { oneClock: true });
    const host = await startBuildHost(h, { macs: 1 });
    await h.clock.advance(h.limits.host_lost_after_ms);
    const build = await submit(h, { timeout_min: 60 });
    await host.start();
    await host.disconnect();
    const most = h.limits.host_lost_after_ms;
    await h.clock.advance(most / 2);
    h.clock.step(step);
    await h.parts.clockSteps.look();
    await h.workers.idle();
    t.equal((await show(h, build.id)).status, 'running', 'it is not lost yet');
    await h.pass(most / 2 - SECOND);
    t.equal((await show(h, build.id)).status, 'running');
    await h.pass(2 * SECOND);
    t.not((await show(h, build.id)).status, 'running', 'it is lost after its time');
  });

  t.test(`the limits of new VMs during a step of ${step / SECOND} s`, async (t) => {
    const h = await startHarness(t, { oneClock: true });
    await startBuildHost(h, { macs: 1 });
    const [{ rental_id: rental = '' } = {}] = (await h.call('GET', '/rentals')).json().rentals;
    t.equal((await h.call('POST', `/rentals/${rental}/reset`, { body: {} })).statusCode, 202);
    await h.clock.advance(MINUTE);
    const quota = async () => {
      const now = h.parts.platform.clock.now();
      const { left, nextAt } = await newMacQuotaOf(h.store, rental, now, h.limits);
      return { left, waitMs: (nextAt ?? now) - now };
    };
    const before = await quota();
    t.same(before, { left: h.limits.resets_per_day - 1, waitMs: h.limits.reset_every_ms - MINUTE });
    h.clock.step(step);
    await h.parts.clockSteps.look();
    t.same(await quota(), before);
  });

  t.test(`new VMs are allowed every three days, during a step of ${step / SECOND} s`, async (t) => {
    const every = 72 * HOUR;
    const h = await startHarness(t, { oneClock: true, limits: { reset_every_ms: every } });
    const host = await startBuildHost(h, { macs: 1 });
    const [{ rental_id: rental = '' } = {}] = (await h.call('GET', '/rentals')).json().rentals;
    const reset = async (keep_cache: boolean) => {
      t.equal((await h.call('POST', `/rentals/${rental}/reset`, { body: { keep_cache } })).statusCode, 202);
      await h.workers.idle();
      await host.mac(rental, 'ready');
    };
    await reset(false);
    await h.pass(60 * HOUR);
    await reset(true);
    const wait = async () => {
      const now = h.parts.platform.clock.now();
      return ((await newMacQuotaOf(h.store, rental, now, h.limits)).nextAt ?? now) - now;
    };
    t.equal(await wait(), 12 * HOUR);
    h.clock.step(step);
    await h.parts.clockSteps.look();
    t.equal(await wait(), 12 * HOUR);
  });

  t.test(`new files do not count as old after a step of ${step / SECOND} s`, async (t) => {
    const clock = createAdvancingClock({ start: 1_000 * HOUR });
    const ages = createFileAges(clock);
    const DAY = 24 * HOUR;
    t.ok(ages.olderThan(DAY) <= clock.now() - DAY);
    const writtenAt = clock.now();
    clock.step(24 * step);
    clock.step(HOUR);
    t.ok(ages.olderThan(DAY) <= writtenAt, 'younger than a day');
    await clock.skip(DAY);
    t.ok(ages.olderThan(DAY) > writtenAt + Math.min(0, 24 * step), 'a day later they are older');
  });

  t.test(`an unpaid order holds its Mac for half an hour, during a step of ${step / SECOND} s`, async (t) => {
    const h = await startHarness(t, { oneClock: true });
    await addHost(h, 2, { shared: true });
    const [paid, left] = [await order(h), await order(h)];
    const see = async ({ order_no }: { order_no: string }) => (await h.call('GET', `/orders/${order_no}`)).json();
    await h.pass(10 * MINUTE);
    h.clock.step(step);
    await h.parts.clockSteps.look();
    await h.workers.idle();
    const until = h.parts.platform.clock.now() + 20 * MINUTE;
    t.match(await see(paid), { status: 'awaiting_payment', pay_expires_at: iso(until) });
    t.equal(await free(h), 0);
    t.equal(await pay(h, paid.order_no), true);
    t.match(await macs(h), [{ state: 'preparing' }], 'it is made at once');
    await h.pass(20 * MINUTE - SECOND);
    t.match(await see(left), { status: 'awaiting_payment' });
    await h.pass(SECOND);
    t.match(await see(left), { status: 'expired' });
  });

  t.test(`requests per minute during a step of ${step / SECOND} s`, async (t) => {
    const h = await startHarness(t, { limits: { requests_per_minute: 3 } });
    const codes = async (n: number) => {
      const answers: number[] = [];
      for (let i = 0; i < n; i++) answers.push((await h.call('GET', '/builds')).statusCode);
      return answers;
    };
    t.same(await codes(4), [200, 200, 200, 429]);
    h.clock.step(step);
    await h.parts.clockSteps.look();
    t.same(await codes(1), [429], 'a step fills no bucket');
    await h.clock.advance(20 * SECOND);
    t.same(await codes(2), [200, 429], 'and empties none');
  });
}

t.test('contents that were just stored are not collected because of a step', async (t) => {
  const h = await startHarness(t, { oneClock: true });
  await startBuildHost(h, { macs: 1 });
  const { id: accountId } = (await h.call('GET', '/me')).json().account;
  const sha256 = 'a'.repeat(64);
  // As of an archive that is still arriving: no upload names the content yet.
  const stored = h.parts.platform.clock.now();
  await h.store.transaction(async (tx) => {
    await insertBlobs(tx, accountId, [{ sha256, size: 1, key: sha256 }], stored);
    await noteGarbage(tx, accountId);
  });
  const isKept = async () => (await findBlob(h.store, accountId, sha256)) !== null;
  h.clock.step(30 * HOUR);
  await h.parts.clockSteps.look();
  await h.pass(MINUTE);
  t.ok(await isKept());
  await h.pass(2 * h.limits.upload_total_ms + h.limits.blob_collection_ms);
  t.notOk(await isKept(), 'later it is garbage');
});

t.test('expiries follow the corrected time', async (t) => {
  const h = await startHarness(t);
  const key = await h.createKey(['read'], { expiresAt: h.clock.now() + 30 * MINUTE });
  t.equal((await h.call('GET', '/builds', { key })).statusCode, 200);
  h.clock.step(HOUR);
  await h.parts.clockSteps.look();
  t.equal(code(await h.call('GET', '/builds', { key })), 'invalid_api_key');
});

t.test('advancing the test clock is no step', async (t) => {
  const lines: string[] = [];
  const h = await startHarness(t, { log: (line) => lines.push(line) });
  await h.clock.advance(HOUR);
  await h.parts.clockSteps.look();
  t.notOk(lines.some((line) => line.includes('step_ms')));
});
