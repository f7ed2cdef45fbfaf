// Receivers that do not answer, and a service that dies: no delivery is lost, and no other receiver is slowed.
// Runs in: soak
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { EventType } from '../../control-plane/events/domain/event.js';
import type { ClaimedDelivery } from '../../control-plane/events/store/delivery-claims.js';
import { createReceiverWindows } from '../../control-plane/events/workers/receiver-windows.js';
import { createWebhookDelivery } from '../../control-plane/events/workers/webhook-delivery.js';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';
import { systemClock } from '../../shared/clock.js';
import { createLog } from '../../shared/log.js';
import { startReceiver } from '../harness/receiver.js';
import { runs } from '../harness/soak.js';
import { until } from '../harness/until.js';
import { openOutbox } from './outbox.js';

function folder(t: Test): string {
  const path = mkdtempSync(join(tmpdir(), 'cidermill-outbox-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const silent = () => new Promise<null>(() => undefined);
const story: readonly EventType[] = ['build.queued', 'build.started', 'build.succeeded', 'build.completed'];
const stored = async () => undefined;

t.test('killed at any moment of a delivery, the service sends it again: at least once, in order', async (t) => {
  const data = folder(t);
  const receiver = await startReceiver(t);
  const setup = await openOutbox(data, { webhooks: 100 });
  const account = await setup.account('Apple Press');
  await setup.webhooks.create(account, { url: receiver.url, events: story }, stored);
  await setup.close();
  receiver.got.length = 0;

  const start = async () => {
    const child = fork(new URL('./outbox-child.js', import.meta.url), [data]);
    t.teardown(() => child.kill('SIGKILL'));
    await once(child, 'message');
    return child;
  };
  const writer = await openOutbox(data, { webhooks: 100, webhook_attempts: 0 });
  t.teardown(() => writer.close());
  let child = await start();
  for (let round = 0; round < runs(1, 3); round++) {
    const before = receiver.got.length;
    // The receiver has the request, and the sender does not have the answer yet.
    receiver.answer = silent;
    await writer.publish(account, `rb_${round}`, story);
    await writer.workers.idle();
    child.kill('SIGKILL');
    await once(child, 'exit');
    receiver.hangUp();
    child = await start();
    await until(() => receiver.got.length > before, 'it is sent again');
    child.kill('SIGKILL');
    await once(child, 'exit');
    receiver.hangUp();
    receiver.answer = () => ({ status: 200 });
    child = await start();
    const ofRound = () => receiver.got.filter(({ body }) => body.build?.id === `rb_${round}`);
    await until(() => ofRound().some(({ body }) => body.sequence === 4), 'the last event');
    const numbers = ofRound().map(({ body }) => body.sequence);
    t.same([...new Set(numbers)], [1, 2, 3, 4], 'every event came');
    t.same(numbers, [...numbers].sort(), 'none before one that came earlier in the build');
    t.ok(numbers.length > 4, 'the one that was under way came again');
    const first = ofRound().filter(({ body }) => body.sequence === 1);
    t.equal(new Set(first.map(({ body }) => body.event_id)).size, 1, 'under the same event_id');
  }
});

t.test('a service that is stopped in the middle of an attempt repeats the attempt at once', async (t) => {
  const data = folder(t);
  const receiver = await startReceiver(t);
  const first = await openOutbox(data, { webhook_timeout_ms: 600_000 });
  const account = await first.account('Apple Press');
  const { webhookId } = await first.webhooks.create(account, { url: receiver.url, events: story }, stored);
  receiver.answer = silent;
  await first.publish(account, 'rb_1', ['build.queued']);
  await until(() => receiver.got.length === 2, 'an attempt is under way');
  // Does not wait for the receiver.
  await first.close();
  receiver.answer = () => ({ status: 200 });
  const second = await openOutbox(data);
  t.teardown(() => second.close());
  await until(() => receiver.got.length === 3, 'another attempt');
  await second.workers.idle();
  const page = await second.deliveries.list(account, webhookId, { status: null, before: null, limit: 9 });
  t.match(page.deliveries, [{ status: 'delivered', attempt: 1 }], 'the broken off one does not count');
});

t.test('receivers that never answer do not slow down others', async (t) => {
  const outbox = await openOutbox(folder(t), {
    webhooks: 1000,
    webhook_attempts: 32,
    webhook_attempts_failing: 8,
    // No attempt at a dead one ends while the test runs.
    webhook_timeout_ms: 600_000,
  });
  t.teardown(() => outbox.close());
  const account = await outbox.account('Apple Press');
  const alive = await Promise.all(Array.from({ length: 10 }, () => startReceiver(t)));
  const dead = await Promise.all(Array.from({ length: 20 }, () => startReceiver(t)));
  for (const { url } of [...alive, ...dead]) await outbox.webhooks.create(account, { url, events: story }, stored);
  for (const receiver of dead) receiver.answer = silent;
  const builds = runs(10, 25);
  // At first the service does not know which receivers are dead.
  await outbox.publish(account, 'rb_0', story);
  await until(() => alive.every((receiver) => receiver.events().length === 4), 'the first build');
  for (let build = 1; build <= builds; build++) await outbox.publish(account, `rb_${build}`, story);
  await until(() => alive.every((receiver) => receiver.events().length === 4 + 4 * builds), 'all builds');
  for (const receiver of alive) {
    for (let build = 0; build <= builds; build++) {
      const own = receiver.got.filter(({ body }) => body.build?.id === `rb_${build}`);
      t.same(
        own.map(({ body }) => body.sequence),
        [1, 2, 3, 4],
      );
    }
  }
});

t.test(
  'reserved attempts that are not used go to the receivers that wait for them, without another wake',
  async (t) => {
    const limits = { ...defaultLimits, webhook_attempts: 1 };
    const due = ['b', 'c'];
    const sent: string[] = [];
    const worker = createWebhookDelivery({
      clock: systemClock,
      wake: { wakeHere: () => undefined },
      limits,
      log: createLog('test', 'silent'),
      attempts: {
        dueReceivers: async () => due,
        nextDueAt: async () => null,
        ended: () => ({ pending: 0, delivered: 0, failed: 0 }),
        claim: async (windowKeys) =>
          windowKeys.flatMap(({ windowKey }) =>
            due.includes(windowKey) ? [{ windowKey, deliveryId: windowKey } as ClaimedDelivery] : [],
          ),
        attempt: async ({ windowKey }) => {
          sent.push(windowKey);
          return true;
        },
      },
    });
    // Nothing is due for `a` any more, which comes first.
    await worker.run(new Set(['a', 'b', 'c']));
    await worker.underWay?.();
    t.same(sent, ['b']);
    await worker.run(new Set(['b']));
    await worker.underWay?.();
    t.same(sent, ['b', 'c'], 'who was held comes before who is woken');
  },
);

t.test(
  'concurrent attempts: a new receiver gets one, one that answers gets more, one that fails gets one again',
  async (t) => {
    const windows = createReceiverWindows({
      webhook_attempts: 10,
      webhook_attempts_failing: 3,
      webhook_attempts_per_receiver: 4,
    });
    const counts: number[] = [];
    for (let round = 0; round < 5; round++) {
      const given = windows.take('good', 99);
      counts.push(given);
      for (let i = 0; i < given; i++) windows.ended('good', true);
    }
    t.same(counts, [1, 2, 4, 4, 4]);
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      t.equal(windows.take(name, 4), 1);
      windows.ended(name, false);
    }
    t.same(
      ['a', 'b', 'c', 'd', 'e'].map((name) => windows.take(name, 4)),
      [1, 1, 1, 0, 0],
      'the failing receivers share three slots',
    );
    t.same(windows.held(), ['d', 'e']);
    t.same(windows.held(), [], 'told once');
    t.equal(windows.take('good', 4), 4, 'and there is room for the others');
    windows.ended('a', true);
    t.equal(windows.take('d', 4), 1);
    t.equal(windows.take('a', 4), 2, 'recovered');
    t.equal(windows.take('f', 4), 1);
    t.equal(windows.take('g', 4), 0, 'ten in all');
    windows.giveBack('good', 4);
    t.equal(windows.take('g', 4), 1);
  },
);
