// What /metrics says of hosts and tiers, and that it stays valid and cheap whatever hosts are called.
import t from 'tap';
import { startHarness } from '../harness/harness.js';
import { parseMetrics } from '../harness/metrics.js';
import { addHost, putM4, rent } from '../harness/renting.js';

const health = (...statuses: ('ok' | 'warning' | 'failed')[]) => ({
  checked_at: 1_700_000_000_000,
  findings: statuses.map((status, i) => ({ check: `check_${i}`, status, found: 'x', fix: null })),
});

t.test('metrics of hosts and tiers', async (t) => {
  const h = await startHarness(t, { limits: { link_renew_ms: 5_000 } });
  const host = await addHost(h, 3, { shared: true });
  const away = await addHost(h, 2);
  await rent(h, host);
  const { inventory } = await h.hosts.get(host.hostId);
  if (!inventory) throw new Error('no inventory');
  await h.hosts.report(host.hostId, {
    inventory: { ...inventory, disk_total_bytes: 5000, disk_free_bytes: 70, disk_reserve_bytes: 100 },
    draining: false,
    health: health('ok', 'warning', 'failed', 'failed'),
    clockSkewMs: -2500,
  });
  await away.disconnect();
  await away.connect();
  await away.disconnect();
  await h.store.transaction((tx) =>
    tx.run('UPDATE hosts SET name = :name WHERE host_id = :hostId', { name: 'a "\\" b\nc', hostId: away.hostId }),
  );

  const { body } = await h.inject({ url: '/metrics' });
  t.match(body, /^# HELP cidermill_host_last_heartbeat_timestamp_seconds .* stored every 5 s\.$/m);
  const metrics = parseMetrics(body);
  const of = (name: string, more: Record<string, string> = {}, hostId = host.hostId) =>
    metrics
      .get(name)
      ?.samples.find(
        ({ labels }) =>
          labels.host === hostId && Object.entries(more).every(([label, value]) => labels[label] === value),
      )?.value;
  t.equal(of('cidermill_host_up'), 1);
  t.equal(of('cidermill_host_up', {}, away.hostId), 0);
  t.equal(of('cidermill_host_connections_total', {}, away.hostId), 2);
  t.equal(of('cidermill_host_last_heartbeat_timestamp_seconds'), h.clock.now() / 1000);
  t.equal(of('cidermill_host_disk_size_bytes'), 5000);
  t.equal(of('cidermill_host_disk_free_bytes'), 70);
  t.equal(of('cidermill_host_disk_low'), 1);
  t.equal(of('cidermill_host_memory_bytes'), inventory.memory_bytes);
  t.same(
    ['ok', 'warning', 'failed'].map((status) => of('cidermill_host_health_findings', { status })),
    [1, 1, 2],
  );
  t.equal(of('cidermill_host_unhealthy'), 1);
  t.equal(of('cidermill_host_unhealthy', {}, away.hostId), undefined, 'unknown is not healthy');
  t.equal(of('cidermill_host_clock_skew_seconds'), -2.5);
  t.equal(of('cidermill_host_agent_info', { version: '0.1.0', driver: 'local', protocol: '2' }), 1);
  t.equal(of('cidermill_host_status', { status: 'active' }), 1);
  t.same(
    ['free', 'used', 'unsellable'].map((state) => of('cidermill_host_slots', { state })),
    [2, 1, 0],
  );
  t.same(
    ['free', 'used', 'unsellable'].map((state) => of('cidermill_host_slots', { state }, away.hostId)),
    [0, 0, 2],
  );
  const tiers = metrics.get('cidermill_tier_slots')?.samples;
  t.same(
    tiers?.map(({ labels, value }) => [labels.tier, labels.state, value]),
    [
      ['m4', 'free', 2],
      ['m4', 'used', 1],
      ['m4', 'unsellable', 2],
    ],
  );
  const named = metrics.get('cidermill_host_up')?.samples.find(({ labels }) => labels.host === away.hostId);
  t.equal(named?.labels.name, 'a "\\" b\nc', 'a name is data');

  await h.hosts.revoke(away.hostId);
  t.notMatch((await h.inject({ url: '/metrics' })).body, away.hostId, 'removed hosts are gone');
});

t.test('a scrape reads the database a fixed number of times', async (t) => {
  const h = await startHarness(t);
  await putM4(h);
  await addHost(h, 1);
  const { store } = h.parts.platform;
  const { all, get } = store;
  const count = async () => {
    const reads: string[] = [];
    const counted =
      <A extends [string, ...unknown[]], R>(read: (...given: A) => R) =>
      (...given: A): R => {
        reads.push(given[0]);
        return read.apply(store, given);
      };
    Object.assign(store, { all: counted(all), get: counted(get) });
    await h.inject({ url: '/metrics' });
    Object.assign(store, { all, get });
    return reads.length;
  };
  const first = await count();
  t.ok(first > 5);
  for (let i = 0; i < 5; i++) await addHost(h, 1);
  t.equal(await count(), first);
});
