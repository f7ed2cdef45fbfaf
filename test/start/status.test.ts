// GET /status and GET /queue: the whole account in one answer, which is never stale.
import t from 'tap';
import { startBuildHost } from '../harness/build-host.js';
import { type Harness, START, startHarness } from '../harness/harness.js';
import { iso } from '../harness/renting.js';
import { withMacs } from '../harness/submitting.js';

const HOUR = 3_600_000;
const status = async (h: Harness, key = h.keys.read) => (await h.call('GET', '/status', { key })).json();
const submit = async (h: Harness, body = {}) =>
  (await h.call('POST', '/builds', { body: { script: 'make', repo: 'apple/swift', ...body } })).json();

t.test('an account without Macs', async (t) => {
  const h = await startHarness(t);
  t.same(await status(h), {
    account: { id: h.org.id, name: 'Apple Press', slug: 'apple-press', status: 'active' },
    plan: { kind: 'daily_rental', active_macs: 0, tiers: [] },
    macs: [],
    advice: [
      {
        kind: 'no_active_mac',
        queued_count: 0,
        active_macs: 0,
        reason: 'no_active_mac',
        next: [{ action: 'see_catalog', method: 'GET', path: '/api/v1/catalog' }],
      },
    ],
    queue: { running_count: 0, queued_count: 0, estimate_basis: 'timeout_budget', running: [], queued: [] },
    last_builds: [],
    unpaid_orders: [],
  });
  for (const key of [h.keys.build, h.keys.manage]) {
    t.equal((await h.call('GET', '/status', { key })).json().error.code, 'api_key_write_only');
  }
});

t.test('a Mac from preparation to end', async (t) => {
  const h = await startHarness(t);
  const host = await startBuildHost(h, { macs: 1, hours: 48, ready: false });
  const [rentalId = ''] = host.rentals;
  await h.clock.advance(HOUR / 2);
  const preparing = (await status(h)).macs;
  t.match(preparing, [
    {
      rental_id: rentalId,
      tier: 'm4',
      xcode: '16.2',
      state: 'preparing',
      starts_at: iso(START),
      ends_at: iso(START + 48 * HOUR),
      remaining_s: 48 * 3600,
      can_extend: true,
      max_extend_days: 28,
      quote_hint: { days: 1, amount_won: 10_000 },
    },
  ]);
  await host.mac(rentalId, 'ready');
  const readyAt = h.clock.now();
  t.match(await status(h), {
    plan: { active_macs: 1, tiers: ['m4'] },
    macs: [{ state: 'ready', starts_at: iso(readyAt), ends_at: iso(readyAt + 48 * HOUR), remaining_s: 48 * 3600 }],
    advice: [],
  });
  await h.clock.advance(24 * HOUR + 1000);
  t.match((await status(h)).advice, [
    {
      kind: 'extend_recommended',
      rental_id: rentalId,
      remaining_s: 24 * 3600 - 1,
      reason: 'less_than_24_hours',
      quote_hint: { days: 1, amount_won: 10_000 },
    },
  ]);
  await h.pass(23 * HOUR + 55 * 60_000);
  const last = await status(h);
  t.match(last.macs, [{ can_extend: false, max_extend_days: 0 }]);
  t.same(
    last.advice.map((advice: { kind: string }) => advice.kind),
    ['expiring_soon'],
  );
  await h.pass(5 * 60_000);
  t.match(await status(h), { macs: [], advice: [{ kind: 'no_active_mac' }] });
});

t.test('the status is current after every write and in every second', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const seen = async () => {
    const { queue, macs, last_builds: last } = await status(h);
    return [macs[0].state, queue.running_count, queue.queued_count, last.length];
  };
  t.same(await seen(), ['ready', 0, 0, 0]);
  const first = await submit(h);
  await h.workers.idle();
  t.same(await seen(), ['building', 1, 0, 0]);
  for (let i = 2; i <= 6; i++) {
    await submit(h);
    t.same(await seen(), ['building', 1, i - 1, 0], 'at once, before any worker has run');
  }
  t.match((await status(h)).advice, [{ kind: 'queue_backlog', queued_count: 5, active_macs: 1 }]);
  const { remaining_s: before } = (await status(h)).macs[0];
  await h.clock.advance(2500);
  const later = await status(h);
  t.equal(later.macs[0].remaining_s, before - 2);
  t.equal(later.queue.running[0].timings.run_s, 1);
  await h.call('POST', `/builds/${later.queue.queued[0].id}/cancel`);
  t.same(await seen(), ['building', 1, 4, 1]);
  await host.finish(first.id);
  t.same(await seen(), ['building', 1, 3, 2]);
  await h.secrets.put(h.org.id, 'A', { value: 'bcdef' });
  t.same(await seen(), ['building', 1, 3, 2]);
  const { queue, last_builds } = await status(h);
  const named = [...queue.running, ...queue.queued, ...last_builds].map(({ id }: { id: string }) => id);
  t.equal(new Set(named).size, named.length, 'each build is named once');
  await h.store.run(`UPDATE organizations SET name = 'New Name' WHERE id = :id`, { id: h.org.id });
  t.equal((await status(h)).account.name, 'New Name');
  t.equal((await status(h, h.other.key)).account.name, 'Other Mill', 'each account its own');
});

t.test('at most ten last builds, newest first', async (t) => {
  const h = await startHarness(t);
  const ids: string[] = [];
  for (let i = 0; i < 12; i++) {
    const { id } = await submit(h, { queue_until_rental: true });
    await h.call('POST', `/builds/${id}/cancel`);
    ids.unshift(id);
  }
  t.same(
    (await status(h)).last_builds.map((build: { id: string }) => build.id),
    ids.slice(0, 10),
  );
});

t.test('the number of last builds follows the limit', async (t) => {
  const h = await startHarness(t, { limits: { last_builds: 12 } });
  for (let i = 0; i < 13; i++) {
    await h.call('POST', `/builds/${(await submit(h, { queue_until_rental: true })).id}/cancel`);
  }
  t.equal((await status(h)).last_builds.length, 12);
});

t.test('the queue accounts for pinned builds, Xcodes and rentals that end', async (t) => {
  const h = await startHarness(t);
  const short = await startBuildHost(h, { macs: 1, hours: 24 });
  const old = await startBuildHost(h, { macs: 1, tier: 'old', xcodes: ['15.4'] });
  const [first = ''] = short.rentals;
  const [second = ''] = old.rentals;
  await h.clock.advance(22 * HOUR);
  await submit(h, { rental_id: first, timeout_min: 60 });
  await submit(h, { rental_id: second, timeout_min: 30 });
  await h.workers.idle();
  await submit(h, { rental_id: first, timeout_min: 60 });
  await submit(h, { rental_id: first });
  await submit(h, { xcode: '15.4' });
  const queue = (await h.call('GET', '/queue')).json();
  const now = h.clock.now();
  t.match(queue, { running_count: 2, queued_count: 3, estimate_basis: 'timeout_budget' });
  t.match(queue.queued, [
    {
      queue_position: 1,
      fifo_position: 0,
      wait_reason: 'pinned_mac_busy',
      estimated_wait_s: 3600,
      estimated_start_at: iso(now + HOUR),
    },
    { queue_position: 2, estimated_wait_s: null, estimated_start_at: null },
    { queue_position: 3, fifo_position: 2, wait_reason: 'mac_busy', estimated_wait_s: 1800 },
  ]);
  t.match((await h.call('GET', '/queue', { key: h.other.key })).json(), {
    running_count: 0,
    queued_count: 0,
  });
});
