// The deliveries of webhooks: listed, sent again, kept, counted.
import t from 'tap';
import { createDeliveries } from '../../control-plane/events/app/deliveries.js';
import { insertDelivery } from '../../control-plane/events/store/deliveries.js';
import { START, startHarness } from '../harness/harness.js';
import { code, HOUR, MINUTE, submit } from '../harness/submitting.js';
import { checkSent, deliveriesOf, passes, register, service, startReceiver } from './webhook-rig.js';

const SECOND = 1000;

t.test('deliveries are listed in pages and sent again, one or all since a moment', async (t) => {
  const { h, host } = await service(t);
  const receiver = await startReceiver(t, () => ({ status: 200, body: 'ä'.repeat(5000) }));
  const { id } = await register(h, receiver);
  const builds: string[] = [];
  for (let i = 0; i < 5; i++) {
    const build = await submit(h);
    builds.push(build.id);
    await host.start();
    await passes(h, MINUTE);
    await host.finish(build.id);
  }
  const pages: string[] = [];
  for (let before = ''; ; ) {
    const page = (await h.call('GET', `/webhooks/${id}/deliveries?limit=2${before}`)).json();
    pages.push(page.deliveries.length);
    if (page.next_before === null) break;
    before = `&before=${page.next_before}`;
  }
  t.same(pages, [2, 2, 1]);
  t.equal(code(await h.call('GET', `/webhooks/${id}/deliveries?before=dl_none`)), 'delivery_not_found');
  t.equal(code(await h.call('GET', `/webhooks/${id}/deliveries?limit=0`)), 'invalid_query');
  const all = await deliveriesOf(h, id);
  t.equal(Buffer.byteLength(all[0].response.body), 4096, 'the first 4 KiB of an answer');
  receiver.got.length = 0;
  const again = await h.call('POST', `/webhooks/${id}/deliveries/${all[4].id}/redeliver`);
  t.equal(again.statusCode, 202);
  t.match(again.json(), { id: all[4].id, status: 'pending', attempt: 1 });
  await h.workers.idle();
  t.match(receiver.got, [{ headers: { 'x-svc-delivery': all[4].id }, body: { event_id: all[4].event_id } }]);
  t.match((await deliveriesOf(h, id))[4], { status: 'delivered', attempt: 2 });
  t.equal(code(await h.call('POST', `/webhooks/${id}/deliveries/dl_none/redeliver`)), 'delivery_not_found');

  receiver.got.length = 0;
  const since = all[2].created_at;
  const answer = await h.call('POST', `/webhooks/${id}/redeliver`, { body: { since } });
  t.match([answer.statusCode, answer.json()], [202, { redelivered: 3 }]);
  await h.workers.idle();
  t.same(receiver.got.map(({ body }) => body.build?.id).sort(), builds.slice(2).sort());
  const failed = await h.call('POST', `/webhooks/${id}/redeliver`, { body: { since, status: 'failed' } });
  t.match(failed.json(), { redelivered: 0 });
});

t.test('many deliveries are queued again in steps, each of them once', async (t) => {
  const h = await startHarness(t, { receivers: true, limits: { webhook_redeliveries: 450 } });
  const { id: accountId } = h.org;
  const { id } = await register(h, await startReceiver(t));
  await h.store.transaction(async (tx) => {
    for (let n = 0; n < 500; n++) {
      const eventId = `ev_${n}`;
      await insertDelivery(tx, {
        deliveryId: `dl_${n}`,
        accountId,
        receiver: id,
        windowKey: id,
        subjectId: `rb_${n % 7}`,
        eventId,
        eventType: 'build.queued',
        createdAt: START + (n >> 2),
      });
    }
    await tx.run("UPDATE deliveries SET status = 'failed', due_at = NULL");
  });
  const deliveries = createDeliveries({ ...h, wake: h.wake });
  const again: number[] = [];
  const step = async () => {
    const pending = "receiver = :id AND status = 'pending'";
    const row = await h.store.get<{ n: number }>(`SELECT COUNT(*) AS n FROM deliveries WHERE ${pending}`, {
      id,
    });
    again.push(row?.n ?? 0);
    // What has been queued may be delivered before the next step.
    await h.store.run(`UPDATE deliveries SET status = 'delivered', due_at = NULL WHERE ${pending}`, { id });
  };
  const count = await deliveries.redeliverSince(
    accountId,
    id,
    { since: START, status: null },
    () => Promise.resolve(),
    step,
  );
  t.equal(count, 450);
  t.same(
    again.filter((n) => n > 0),
    [100, 100, 100, 100, 50],
  );
});

const EVENTS_GO = { builds_kept_ms: HOUR, upload_used_ms: HOUR, idempotency_ms: HOUR };

t.test('old deliveries are deleted first, then events together with their build', async (t) => {
  const limits = { ...EVENTS_GO, webhook_deliveries_kept_ms: HOUR };
  const { h, host } = await service(t, 1, { limits });
  const receiver = await startReceiver(t);
  const { id } = await register(h, receiver);
  const build = await submit(h);
  await host.start();
  await host.finish(build.id);
  await passes(h, HOUR);
  t.equal((await deliveriesOf(h, id)).length, 1);
  await passes(h, HOUR);
  t.same(await deliveriesOf(h, id), []);
  await passes(h, HOUR);
  t.match(await h.store.get('SELECT COUNT(*) AS n FROM events'), { n: 0 });
});

t.test('an event that is still on its way is kept until it has arrived, however old', async (t) => {
  const h = await startHarness(t, {
    receivers: true,
    limits: {
      webhook_deliveries_kept_ms: MINUTE,
      builds_kept_ms: MINUTE,
      upload_used_ms: 0,
      idempotency_ms: 0,
    },
  });
  const receiver = await startReceiver(t);
  const { id } = await register(h, receiver, { events: ['build.cancelled'] });
  receiver.answer = () => ({ status: 503 });
  const build = await submit(h, { queue_until_rental: true });
  await h.call('POST', `/builds/${build.id}/cancel`);
  await passes(h, 5 * MINUTE);
  t.match(await deliveriesOf(h, id), [{ status: 'pending' }]);
  receiver.answer = () => ({ status: 200 });
  await passes(h, 8 * MINUTE);
  t.match(receiver.got.at(-1)?.body, { event_type: 'build.cancelled', build: { id: build.id } });
  await passes(h, MINUTE);
  t.match(await h.store.get('SELECT COUNT(*) AS n FROM events'), { n: 0 });
});

t.test('an event can be sent again until the last of its deliveries is deleted', async (t) => {
  const limits = { ...EVENTS_GO, builds_kept_ms: 2 * HOUR, webhook_deliveries_kept_ms: 2 * HOUR };
  const h = await startHarness(t, { receivers: true, limits });
  const receiver = await startReceiver(t);
  const { id } = await register(h, receiver, { events: ['build.cancelled'] });
  await h.call('PATCH', `/webhooks/${id}`, { body: { status: 'disabled' } });
  const build = await submit(h, { queue_until_rental: true });
  await h.call('POST', `/builds/${build.id}/cancel`);
  await passes(h, 90 * MINUTE);
  await h.call('PATCH', `/webhooks/${id}`, { body: { status: 'enabled' } });
  const since = new Date(START).toISOString();
  const answer = await h.call('POST', `/webhooks/${id}/redeliver`, { body: { since } });
  t.match(answer.json(), { redelivered: 1 });
  await passes(h, 90 * MINUTE);
  const [delivery] = await deliveriesOf(h, id);
  t.match(JSON.parse(delivery.request.body), { build: { id: build.id } });
  await h.call('POST', `/webhooks/${id}/deliveries/${delivery.id}/redeliver`);
  await h.workers.idle();
  t.match(await deliveriesOf(h, id), [{ status: 'delivered', attempt: 2 }]);
  t.match(await h.store.get('SELECT COUNT(*) AS n FROM events'), { n: 3 }, 'events are deleted with the build');
  await passes(h, 2 * HOUR);
  t.same(await deliveriesOf(h, id), []);
  await passes(h, HOUR);
  t.match(await h.store.get('SELECT COUNT(*) AS n FROM events'), { n: 0 });
});

t.test('an operator sees how many deliveries wait, for how long, and how attempts end', async (t) => {
  const h = await startHarness(t, { receivers: true });
  const receiver = await startReceiver(t);
  const other = await startReceiver(t);
  await register(h, receiver, { events: ['build.queued', 'build.cancelled'] });
  await register(h, other, { events: ['build.cancelled'] });
  const metrics = async () => {
    const { body } = await h.server.inject('/metrics');
    return body
      .split('\n')
      .filter((row) => /^cidermill_deliver/.test(row))
      .map((row) => row.replace('cidermill_deliver', ''));
  };
  t.same((await metrics()).slice(0, 3), ['ies_waiting 0', 'y_oldest_seconds 0', 'y_overdue_seconds 0']);
  receiver.answer = () => ({ status: 500 });
  const build = await submit(h, { queue_until_rental: true });
  await h.call('POST', `/builds/${build.id}/cancel`);
  await h.workers.idle();
  await passes(h, 5 * SECOND);
  t.same(await metrics(), [
    'ies_waiting 2',
    'y_oldest_seconds 5',
    'y_overdue_seconds 0',
    ...['delivered', 'again', 'failed'].map((end, at) => `y_attempts_total{end="${end}"} ${[1, 2, 0][at]}`),
  ]);
  receiver.answer = () => ({ status: 400 });
  await passes(h, 5 * SECOND);
  t.same(await metrics(), [
    'ies_waiting 0',
    'y_oldest_seconds 0',
    'y_overdue_seconds 0',
    ...['delivered', 'again', 'failed'].map((end, at) => `y_attempts_total{end="${end}"} ${[1, 2, 2][at]}`),
  ]);
  const { body } = await h.server.inject('/metrics');
  t.match(body, '# TYPE cidermill_delivery_attempts_total counter');
});

t.test('everything that was sent is as the reference says', async (t) => {
  await checkSent(t, await startHarness(t));
});
