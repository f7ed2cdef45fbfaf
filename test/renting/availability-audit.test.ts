// The availability audit: what it finds, where it shows, and what it leaves alone.
import { pino } from 'pino';
import t from 'tap';
import { runWorkers } from '../../control-plane/platform/workers/run-workers.js';
import { createAdvancingClock } from '../../shared/clock.js';
import type { MacFact } from '../../shared/protocol/index.js';
import { startHarness } from '../harness/harness.js';
import { addHost, DAY, iso, order, pay, rent } from '../harness/renting.js';

const MINUTE = 60_000;

t.test('the audit finds no differences in normal operation', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 3);
  t.same(await h.audit.run(), []);
  const [rentalId = ''] = await rent(h, host);
  await order(h);
  const later = await order(h, { start: iso(h.clock.now() + 2 * DAY) });
  await pay(h, later.order_no);
  t.same(await h.audit.run(), []);
  await h.call('POST', `/rentals/${rentalId}/extend`, { body: { hours: 24 } });
  t.same(await h.audit.run(), []);
  await h.pass(40 * MINUTE);
  t.same(await h.audit.run(), []);
  t.match((await h.inject({ url: '/healthz' })).body, /^ok$/m);
  t.match((await h.inject({ url: '/metrics' })).body, 'cidermill_availability_differences{kind="calendar"} 0');
});

t.test('memory that differs from the database is reported once, shown, and not repaired', async (t) => {
  const lines: string[] = [];
  const h = await startHarness(t, { log: (line) => lines.push(line) });
  const host = await addHost(h, 2);
  const [rentalId = ''] = await rent(h, host);
  const calendar = await h.orderDeps.availability.current(h.store);
  const real = calendar.get(rentalId);
  if (!real) return t.fail('the rental is not in the calendar');
  const ghost = { ...real, id: 'rt_ghost', slotId: host.slotIds[1] ?? '' };
  calendar.place(ghost);
  const found = await h.audit.run();
  t.match(found, [{ kind: 'calendar', message: /^rt_ghost is in slot_.* in the calendar, and not in the data/ }]);
  t.match(await h.audit.run(), found, 'it is still there');
  const told = () => lines.filter((line) => line.includes('rt_ghost'));
  t.equal(told().length, 1, 'logged when it appears');
  const health = await h.inject({ url: '/healthz' });
  t.equal(health.statusCode, 200);
  t.match(health.body, /^degraded: availability: 1 difference between/);
  t.notMatch(health.body, 'rt_ghost', 'ids are for the log');
  t.match((await h.inject({ url: '/metrics' })).body, 'cidermill_availability_differences{kind="calendar"} 1');
  calendar.remove('rt_ghost');
  calendar.place({ ...real, endsAt: real.endsAt + 1 });
  t.match(await h.audit.run(), [{ message: /^rt_.* in the database, and in slot_.* in the calendar$/ }]);
  t.equal(told().length, 2, 'and when it is gone');
  calendar.place(real);
  t.same(await h.audit.run(), []);
});

t.test('rows that contradict each other', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 2);
  const [rentalId = ''] = await rent(h, host);
  const unpaid = await order(h);
  const touch = async (sql: string) => {
    await h.store.run(sql);
    await h.store.run('UPDATE hosts SET calendar_revision = calendar_revision + 10');
  };
  const cases: [string, string, RegExp][] = [
    [
      'UPDATE holds SET slot_id = (SELECT slot_id FROM macs)',
      `UPDATE holds SET slot_id = (SELECT slot_id FROM slots WHERE slot_id NOT IN (SELECT slot_id FROM macs))`,
      /^hold:\d+ and rt_\w+ have the slot slot_\w+ at the same time$/,
    ],
    [
      `UPDATE orders SET status = 'expired' WHERE order_no = '${unpaid.order_no}'`,
      `UPDATE orders SET status = 'awaiting_payment' WHERE order_no = '${unpaid.order_no}'`,
      /^order RT-\S+ is expired and still holds the slot/,
    ],
    [
      `UPDATE orders SET units = 2 WHERE order_no = '${unpaid.order_no}'`,
      'UPDATE orders SET units = 1',
      /^order RT-\S+ waits for payment: units 2, slots held 1$/,
    ],
    [
      `UPDATE orders SET units = 2 WHERE status = 'ready'`,
      'UPDATE orders SET units = 1',
      /^order RT-\S+ is ready: units 2, rentals 1$/,
    ],
    [
      `UPDATE orders SET status = 'canceled', ended_at = 0 WHERE status = 'ready'`,
      `UPDATE orders SET status = 'ready', ended_at = NULL WHERE status = 'canceled'`,
      /^rt_\w+ is ready, and its order RT-\S+ is canceled$/,
    ],
    [
      'UPDATE macs SET usable_until = usable_until + 1',
      'UPDATE macs SET usable_until = usable_until - 1',
      /^rt_\w+ is ready until \d+, and its rental ends at \d+$/,
    ],
  ];
  for (const [wrong, right, message] of cases) {
    await touch(wrong);
    const found = (await h.audit.run()).filter(({ kind }) => kind === 'database');
    t.match(found, [{ message }], wrong);
    await touch(right);
    t.same(await h.audit.run(), [], right);
  }
  t.ok(rentalId);
});

t.test('hosts’ reports are compared only after they had time to act', async (t) => {
  const h = await startHarness(t, { oneClock: true });
  const host = await addHost(h, 2);
  const [rentalId = ''] = await rent(h, host);
  const fact = async (state: MacFact['state']): Promise<MacFact> => {
    const [mac] = await h.macs.desiredMacs(host.hostId);
    if (!mac) throw new Error('the host is to have nothing');
    const { slot_id, generation, revision, xcode } = mac;
    const base = { slot_id, generation, revision, xcode, refused: null, progress: null, error: null };
    return { ...base, rental_id: rentalId, state };
  };
  const ready = await fact('ready');
  await h.macs.macFacts(host.hostId, [ready], true);
  t.same(await h.audit.run(), []);

  const stray = {
    ...ready,
    slot_id: host.slotIds.find((id) => id !== ready.slot_id) ?? '',
    rental_id: 'rt_gone',
  };
  await h.macs.macFacts(host.hostId, [stray], true);
  t.same(await h.audit.run(), [], 'the host may be at it');
  await h.clock.advance(h.limits.audit_grace_ms);
  t.match(await h.audit.run(), [
    { kind: 'host', message: `${rentalId} is ready, and host ${host.hostId} reports no such Mac` },
    { kind: 'host', message: /^host host_\w+ has a Mac for rt_gone in slot_\w+, which should not be there$/ },
  ]);
  await host.disconnect();
  t.same(await h.audit.run(), [], 'a host that is away reports nothing');
});

t.test('the audit runs every minute', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 1);
  const [rentalId = ''] = await rent(h, host);
  const calendar = await h.orderDeps.availability.current(h.store);
  const real = calendar.get(rentalId);
  if (!real) return t.fail('the rental is not in the calendar');
  calendar.remove(rentalId);
  const clock = createAdvancingClock({ start: 0 });
  const worker = h.workers.named('availability-audit');
  const running = runWorkers({ workers: [worker], wake: h.wake, clock, log: pino({ level: 'silent' }) });
  await running.idle();
  calendar.place(real);
  await clock.advance(h.limits.audit_every_ms);
  await running.idle();
  t.match((await h.inject({ url: '/healthz' })).body, /^ok$/m);
  calendar.remove(rentalId);
  await clock.advance(h.limits.audit_every_ms);
  await running.idle();
  t.match((await h.inject({ url: '/healthz' })).body, 'availability: 1 difference');
  await running.stop();
  await h.store.run('UPDATE hosts SET calendar_revision = calendar_revision + 1');
});
