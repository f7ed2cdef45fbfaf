// A service with every trouble that its alerts are about, and its metrics.
import { createServer } from 'node:tls';
import type { Test } from 'tap';
import { recordBackup } from '../../control-plane/platform/store/meta.js';
import type { HostUpgrade, Inventory } from '../../shared/protocol/index.js';
import { commandsOf } from './admin.js';
import { certificate, key } from './certificate.js';
import { type Harness, startHarness } from './harness.js';
import { listening } from './listening.js';
import { addHost, rent } from './renting.js';
import { testRoute } from './test-route.js';

const upgrade = (state: HostUpgrade['state']): HostUpgrade => ({
  able: true,
  platform: 'darwin-arm64',
  attempt: null,
  version: '2.0.0',
  state,
  error: 'no space',
});

const failingRoute = testRoute({
  method: 'GET',
  path: '/fail',
  level: 'read',
  summary: 'For tests',
  responses: { 200: 'text/plain' },
  handle: () => Promise.reject(new Error('fails on purpose')),
});

/** A host that reports as an agent does, with whatever is wrong with it. */
async function addReporting(h: Harness, more: Partial<Inventory>, healthy: boolean, skewMs: number) {
  const host = await addHost(h, 2, { shared: true });
  const { inventory } = await h.hosts.get(host.hostId);
  if (!inventory) throw new Error('no inventory');
  const status = healthy ? ('ok' as const) : ('failed' as const);
  const findings = [{ check: 'sleep', status, found: 'as it is', fix: null }];
  await h.hosts.report(host.hostId, {
    inventory: { ...inventory, disk_total_bytes: 1000 * 2 ** 30, ...more },
    draining: false,
    health: { checked_at: h.clock.now(), findings },
    clockSkewMs: skewMs,
  });
  return host;
}

/** Starts it, and returns the text of /metrics. @param troubled false: the same service, and all is well */
export async function metricsOfService(t: Test, troubled: boolean): Promise<string> {
  const site = createServer({ key, cert: certificate }, (socket) => void socket.on('error', () => {}));
  const port = await listening(t, site);
  const h = await startHarness(t, {
    siteUrl: `https://127.0.0.1:${port}`,
    operatorToken: 'operator-token-of-the-test',
    extraRoutes: () => [failingRoute],
  });
  await h.parts.realTimeWorkers.find(({ name }) => name === 'site-certificate')?.run(new Set());
  const age = (troubled ? 48 : 1) * 3_600_000;
  await h.store.transaction((tx) => recordBackup(tx, h.clock.now() - age));
  const well = await addReporting(h, {}, true, 10);
  await h.hosts.upgradeReported(well.hostId, upgrade('idle'));
  await rent(h, well);
  if (troubled) {
    const blocked = { code: 'vm_limit_leaked', message: 'x' };
    const disk_free_bytes = 2 ** 30;
    const ill = await addReporting(h, { blocked, disk_free_bytes, disk_reserve_bytes: 2 ** 31 }, false, 120_000);
    await h.hosts.upgradeReported(ill.hostId, upgrade('rolled_back'));
    const away = await addReporting(h, {}, true, 0);
    await away.disconnect();
    await commandsOf(h)('host', 'drain', well.hostId);
    await h.call('POST', '/builds', { body: { script: 'make', repo: 'o/n' } });
    await h.clock.advance(2 * 3_600_000);
  }
  await h.call('GET', '/fail');
  await h.call('GET', '/me');
  const answer = await h.inject({
    url: '/metrics',
    headers: { authorization: 'Bearer operator-token-of-the-test' },
  });
  return answer.body;
}
