// When a delivery is tried again, and what ends it.
import t from 'tap';
import { startHarness } from '../harness/harness.js';
import { signedBy } from '../harness/receiver.js';
import { HOUR, MINUTE, submit } from '../harness/submitting.js';
import { until } from '../harness/until.js';
import { checkSent, deliveriesOf, passes, register, service, shown, startReceiver } from './webhook-rig.js';

const SECOND = 1000;

t.test(
  'the schedule: six attempts, 10 s, 30 s, 2 min, 10 min and 30 min after the end of the one before',
  async (t) => {
    const h = await startHarness(t, { receivers: true });
    const receiver = await startReceiver(t);
    const { id, secret } = await register(h, receiver, { events: ['build.cancelled'] });
    receiver.answer = () => ({ status: 503 });
    const cancel = async () => {
      const build = await submit(h, { queue_until_rental: true });
      await h.call('POST', `/builds/${build.id}/cancel`);
      await h.workers.idle();
    };
    await cancel();
    const attempts = () => receiver.events().length;
    t.equal(attempts(), 1);
    for (const [index, gap] of [10, 30, 120, 600, 1800].entries()) {
      const [waiting] = await deliveriesOf(h, id);
      t.match(waiting, { status: 'pending', attempt: index + 1, http_status: 503, error: 'answered 503' });
      t.equal(Date.parse(waiting.next_attempt_at), h.clock.now() + gap * SECOND);
      await passes(h, gap * SECOND - 1);
      t.equal(attempts(), index + 1, `not before ${gap} s`);
      await passes(h, 1);
      t.equal(attempts(), index + 2, `after ${gap} s`);
    }
    t.match(await deliveriesOf(h, id), [{ status: 'failed', attempt: 6, next_attempt_at: null }]);
    await passes(h, 2 * HOUR);
    t.equal(attempts(), 6);
    const sent = receiver.got.slice(1);
    t.equal(new Set(sent.map(({ body }) => body.event_id)).size, 1, 'one event');
    t.equal(new Set(sent.map(({ headers }) => headers['x-svc-delivery'])).size, 1, 'one delivery');
    t.equal(new Set(sent.map(({ headers }) => headers['x-svc-timestamp'])).size, 6, 'each signed afresh');
    for (const received of sent) t.same(signedBy(secret, received), ['x-svc-signature']);
    t.equal((await shown(h, id)).status, 'enabled', 'failures do not disable');
  },
);

t.test('a delivery that becomes due while others are sent is sent too', async (t) => {
  const h = await startHarness(t, { receivers: true });
  const receivers = [await startReceiver(t), await startReceiver(t), await startReceiver(t)];
  for (const receiver of receivers) {
    await register(h, receiver, { events: ['build.cancelled'] });
    receiver.answer = () => ({ status: 500 });
    const build = await submit(h, { queue_until_rental: true });
    await h.call('POST', `/builds/${build.id}/cancel`);
    await passes(h, 3);
  }
  await passes(h, 10 * SECOND);
  t.same(
    receivers.map((receiver) => receiver.events().length),
    [6, 4, 2],
    'each of them had its second attempt in one move of the clock',
  );
});

t.test('which answers are tried again, and when', async (t) => {
  const h = await startHarness(t, { receivers: true });
  const receiver = await startReceiver(t);
  const { id } = await register(h, receiver, { events: ['build.cancelled'] });
  const real = Date.now();
  const table: [number, Record<string, string>, number | null][] = [
    ...[201, 204, 299].map((status): [number, Record<string, string>, null] => [status, {}, null]),
    ...[301, 307, 400, 401, 403, 404, 408, 413, 422].map((status): [number, Record<string, string>, null] => [
      status,
      {},
      null,
    ]),
    [500, {}, 10],
    [502, {}, 10],
    [599, {}, 10],
    [429, {}, 10],
    [429, { 'retry-after': '5' }, 10],
    [429, { 'retry-after': '90' }, 90],
    [503, { 'retry-after': '3600' }, 3600],
    [503, { 'retry-after': '3601' }, 3600],
    [503, { 'retry-after': '99999999999' }, 3600],
    [503, { 'retry-after': '-1' }, 10],
    [503, { 'retry-after': 'soon' }, 10],
    [503, { 'retry-after': new Date(real - 60_000).toUTCString() }, 10],
    [503, { 'retry-after': new Date(real + 90_000_000).toUTCString() }, 3600],
    [404, { 'retry-after': '60' }, null],
  ];
  for (const [status, headers, gap] of table) {
    receiver.answer = () => ({ status, headers });
    const build = await submit(h, { queue_until_rental: true });
    await h.call('POST', `/builds/${build.id}/cancel`);
    await h.workers.idle();
    const [delivery] = await deliveriesOf(h, id);
    const name = `${status} ${JSON.stringify(headers)}`;
    const expected = gap !== null ? 'pending' : status < 300 ? 'delivered' : 'failed';
    t.equal(delivery.status, expected, name);
    const at = gap === null ? null : h.clock.now() + gap * SECOND;
    t.equal(delivery.next_attempt_at && Date.parse(delivery.next_attempt_at), at, name);
    t.equal(delivery.error, status < 300 ? null : `answered ${status}`);
  }
});

t.test(
  '410 disables a webhook and drops its pending deliveries; a build’s own receiver gets no more either',
  async (t) => {
    const { h, host } = await service(t);
    const receiver = await startReceiver(t);
    const { id } = await register(h, receiver, {
      events: ['build.queued', 'build.started', 'build.succeeded'],
    });
    receiver.answer = () => ({ status: 500 });
    const build = await submit(h);
    await host.start();
    receiver.answer = () => ({ status: 410 });
    await passes(h, 10 * SECOND);
    t.match(await shown(h, id), { status: 'disabled', disabled_reason: 'gone' });
    t.match(await deliveriesOf(h, id), [
      { event_type: 'build.started', status: 'failed', attempt: 1, error: 'the receiver answered 410' },
      { event_type: 'build.queued', status: 'failed', attempt: 2, http_status: 410 },
    ]);
    await host.finish(build.id);
    await passes(h, HOUR);
    t.equal(receiver.events().length, 3);

    const own = await startReceiver(t, () => ({ status: 410 }));
    const second = await submit(h, { notify_url: own.url });
    await host.start();
    await passes(h, 10 * MINUTE);
    await host.finish(second.id);
    t.same(own.events(), ['3:build.stalled'], 'nothing after it said that it is gone');
  },
);

t.test('410 of an address that the webhook has left meanwhile does not disable it', async (t) => {
  const h = await startHarness(t, { receivers: true });
  const old = await startReceiver(t);
  const next = await startReceiver(t);
  const { id } = await register(h, old, { events: ['build.cancelled'] });
  let answer: (answer: { status: number }) => void = () => undefined;
  old.answer = () =>
    new Promise((resolve) => {
      answer = resolve;
    });
  const build = await submit(h, { queue_until_rental: true });
  const cancelled = h.call('POST', `/builds/${build.id}/cancel`);
  await until(() => old.events().length === 1, 'the attempt is under way');
  await cancelled;
  t.match((await h.call('PATCH', `/webhooks/${id}`, { body: { url: next.url } })).json(), {
    status: 'enabled',
  });
  answer({ status: 410 });
  await h.workers.idle();
  t.match(await deliveriesOf(h, id), [{ status: 'failed', http_status: 410 }]);
  t.match(await shown(h, id), { status: 'enabled', url: next.url });
});

t.test('the events of one build are tried in order; none waits for the retries of another', async (t) => {
  const { h, host } = await service(t, 2);
  const receiver = await startReceiver(t);
  await register(h, receiver, {
    events: ['build.queued', 'build.started', 'build.succeeded', 'build.completed'],
  });
  const first = await submit(h);
  receiver.got.length = 0;
  receiver.answer = ({ body }) => ({ status: body.build?.id === first.id ? 500 : 200 });
  await host.start();
  await host.finish(first.id);
  const second = await submit(h);
  await host.start();
  await host.finish(second.id);
  const ofBuild = (id: string) =>
    receiver.got.filter(({ body }) => body.build?.id === id).map(({ body }) => body.sequence);
  t.same(ofBuild(second.id), [1, 2, 3, 4]);
  t.same(ofBuild(first.id), [3, 4], 'the fourth waits for the first attempt of the third only');
  await passes(h, 10 * SECOND);
  receiver.answer = () => ({ status: 200 });
  await passes(h, 30 * SECOND);
  // Retries that are due at one time are sent side by side.
  const retries = ofBuild(first.id).slice(2);
  t.same(
    [retries.slice(0, 2).sort(), retries.slice(2).sort()],
    [
      [3, 4],
      [3, 4],
    ],
  );

  // While a first attempt is under way, what comes later waits for its end, whatever that is.
  let answer: (status: number) => void = () => undefined;
  const asked = new Promise<string>((resolve) => {
    receiver.answer = ({ body }) => {
      if (body.sequence !== 2) return { status: 200 };
      resolve(String(body.build?.id));
      return new Promise((settle) => {
        answer = (status) => settle({ status });
      });
    };
  });
  const submitted = submit(h);
  const id = await asked;
  const ended = host.finish(id);
  const rows = () => h.store.all('SELECT 1 FROM deliveries WHERE subject_id = :id', { id });
  await until(async () => (await rows()).length === 4, 'its end is to be sent');
  t.same(ofBuild(id), [1, 2]);
  receiver.answer = () => ({ status: 200 });
  answer(503);
  await Promise.all([submitted, ended]);
  t.same(ofBuild(id), [1, 2, 3, 4], 'the second failed, and is tried again later');
  await passes(h, 10 * SECOND);
  t.same(ofBuild(id), [1, 2, 3, 4, 2]);
});

t.test('everything that was sent is as the reference says', async (t) => {
  await checkSent(t, await startHarness(t));
});
