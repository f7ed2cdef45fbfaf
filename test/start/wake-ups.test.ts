// Wake-ups are hints: without them everything still happens, only later; a false one changes nothing.
import t from 'tap';
import { register, startReceiver } from '../events/webhook-rig.js';
import { startBuildHost } from '../harness/build-host.js';
import { contentsOf } from '../harness/contents.js';
import { startHarness } from '../harness/harness.js';
import { addHost, HOUR, order, pay } from '../harness/renting.js';
import { show, submit } from '../harness/submitting.js';

t.test('with every wake-up lost, builds and rentals begin and end, and webhooks arrive', async (t) => {
  const h = await startHarness(t, { receivers: true });
  const host = await startBuildHost(h, { macs: 1, hours: 72 });
  const forRent = await addHost(h, 2);
  const receiver = await startReceiver(t);
  const events = ['build.succeeded', 'order.paid', 'order.expired', 'rental.started', 'rental.ended'];
  await register(h, receiver, { events });
  await h.workers.idle();
  let lost = 0;
  h.wake.wake = () => void lost++;

  const { id } = await submit(h);
  const { order_no: unpaid } = await order(h);
  const { order_no: paid } = await order(h);
  await pay(h, paid);
  t.equal((await show(h, id)).status, 'queued', 'nobody was woken');
  await h.pass(HOUR);
  t.same(await host.start(), [id], 'the scheduler found the build');
  const [rental = ''] = await forRent.rentalIds();
  await forRent.mac(rental, 'ready');
  await host.output(id, 'done\n');
  await host.finish(id);
  t.equal((await show(h, id)).status, 'succeeded');
  await h.pass(HOUR);
  t.equal((await h.call('GET', `/orders/${unpaid}`)).json().status, 'expired');
  await h.pass(25 * HOUR);
  await h.pass(2 * HOUR);
  t.same(receiver.got.map(({ body }) => body.event_type).sort(), ['webhook.test', ...events].sort());
  t.ok(lost > 10, 'there were wake-ups to lose');
});

t.test('a wake-up about nothing, or about everything, changes nothing', async (t) => {
  const h = await startHarness(t);
  const host = await startBuildHost(h, { macs: 1 });
  await submit(h);
  await submit(h);
  await host.start();
  await h.workers.idle();
  const before = await contentsOf(h);
  for (const topic of new Set([...h.parts.workers, ...h.parts.realTimeWorkers].flatMap(({ wakeOn = [] }) => wakeOn))) {
    for (const key of ['', '0', String(h.org.id), String(h.other.id), 'rb_gone']) h.wake.wake(topic, key);
  }
  h.wake.wakeAll();
  await h.workers.idle();
  t.same(await contentsOf(h), before);
});
