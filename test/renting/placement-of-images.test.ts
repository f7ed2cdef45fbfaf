// Where Macs are created: on hosts that hold the image, not on hosts that report they cannot create Macs.
import t from 'tap';
import { commandsOf } from '../harness/admin.js';
import { startHarness } from '../harness/harness.js';
import { digestOf, offers } from '../harness/images.js';
import { addHost, order, pay, putM4, rent } from '../harness/renting.js';

const [A, B] = [digestOf('a'), digestOf('b')];
const blocked = { code: 'vm_limit_leaked', message: 'macOS counts two virtual machines, and none runs.' };

t.test('a Mac that begins now is created on a host that holds the image', async (t) => {
  const h = await startHarness(t);
  await putM4(h, { image: 'macos:26', imageDigest: A });
  const [one, two, three] = [await addHost(h, 1), await addHost(h, 1), await addHost(h, 1)];
  await one.images({ digest: A, state: 'pulling', percent: 99 });
  await two.images({ digest: A, offers: offers() });
  await three.images({ digest: B });
  await pay(h, (await order(h)).order_no);
  t.equal((await two.rentalIds()).length, 1);
  await one.images({ digest: A });
  await pay(h, (await order(h, {}, h.other.key)).order_no);
  t.equal((await one.rentalIds()).length, 1, 'the next one that has it');
});

t.test('a host that cannot create Macs gets no new ones and keeps its Macs', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 2, { shared: true });
  const admin = commandsOf(h);
  const [rental = ''] = await rent(h, host);
  const free = async () => (await h.call('POST', '/quote', { body: { tier: 'm4', hours: 24 } })).json().available_now;
  t.equal(await free(), 1);
  await host.block(blocked);
  t.equal(await free(), 0);
  t.equal((await h.call('POST', '/orders', { body: { tier: 'm4', hours: 24 } })).json().error.code, 'no_capacity');
  await t.rejects(admin('rental', 'grant', '--org', h.org.orgId, '--host', 'mac'), {
    code: 'host_state',
    message: /none runs/,
  });
  const build = await h.call('POST', '/builds', { body: { script: 'make', repo: 'o/n', rental_id: rental } });
  await h.workers.idle();
  t.match((await h.call('GET', `/builds/${build.json().id}`)).json(), { status: 'running' });
  const start = new Date(h.clock.now() + 3_600_000).toISOString();
  t.ok((await order(h, { start })).order_no, 'a later one can wait');

  const shown = await admin('host', 'show', host.hostId);
  t.match(shown.json, { blocked, slots: 2, status: 'active' });
  t.match(shown.text, /new Macs {2,}none \(vm_limit_leaked\): macOS counts two/);
  t.match((await admin('host', 'list')).text, /cannot create Macs: macOS counts two/);
  const { body } = await h.inject({ url: '/healthz' });
  t.match(body, /^degraded: host_blocked: Host mac \(host_\w+\) cannot create Macs \(vm_limit_leaked\): macOS/m);
  t.match((await h.inject({ url: '/metrics' })).body, `name="mac",code="vm_limit_leaked"} 1`);

  await host.block(null);
  t.match((await h.inject({ url: '/healthz' })).body, /^ok$/m);
  t.match(
    (await h.inject({ url: '/metrics' })).body,
    `cidermill_host_blocked{host="${host.hostId}",name="mac",code=""} 0`,
  );
  t.match((await admin('host', 'show', host.hostId)).text, /new Macs {2,}possible/);
});

t.test('a reservation moves to another host when its own cannot create Macs', async (t) => {
  const h = await startHarness(t);
  const [one, two] = [await addHost(h, 1), await addHost(h, 1)];
  const start = new Date(h.clock.now() + 3_600_000).toISOString();
  const { order_no } = await order(h, { start });
  await pay(h, order_no);
  const held = await h.store.get<{ host_id: string }>(
    `SELECT s.host_id FROM macs m JOIN slots s ON s.slot_id = m.slot_id`,
  );
  const [own, other] = held?.host_id === one.hostId ? [one, two] : [two, one];
  await own.block(blocked);
  await h.pass(3_600_000);
  t.equal((await own.rentalIds()).length, 0);
  t.equal((await other.rentalIds()).length, 1);
});
