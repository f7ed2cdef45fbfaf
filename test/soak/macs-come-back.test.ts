// A Mac that its host has lost and cannot make again: everybody is told why, and it comes back when the cause is gone, also
// over restarts. The service, an agent with the stand-in of tart, real guests.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { createClient } from '../../client/index.js';
import { createControlPlane } from '../../control-plane/control-plane.js';
import { createHostAgent, enrolHost } from '../../host-agent/index.js';
import { createLog } from '../../shared/log.js';
import type { Message } from '../../shared/messages/message.js';
import { adminIn } from '../harness/admin.js';
import { openTartHost } from '../harness/vm/tart-host.js';
import { untilHost } from '../host-agent/driver/tart-rig.js';

const IMAGE = 'ghcr.io/acme/macos:26';
const log = createLog('e2e', process.env.TEST_LOG === undefined ? 'silent' : 'debug');

t.test('a lost Mac comes back when the cause is gone', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'cidermill-back-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const data = join(root, 'service');
  const env = { CIDERMILL_DATA: data, CIDERMILL_HOST: '127.0.0.1' };
  let service = await createControlPlane({ env: { ...env, CIDERMILL_PORT: '0' }, log });
  t.teardown(() => service.stop());
  const { siteUrl, baseUrl } = service;
  const admin = adminIn(data);
  await admin('org', 'create', '--name', 'My Team');
  await admin('tier', 'add', '--tier', 'm4', '--price-won', '1', '--image', IMAGE);
  const { key } = await admin(
    ...['key', 'create', '--org', 'my-team', '--name', 'ci', '--levels', 'read,build,manage'],
  );
  const client = createClient({ url: baseUrl, key });
  const tart = await openTartHost(t, { images: { [IMAGE]: {} } });
  const { token } = await admin('host', 'enroll', '--tier', 'm4', '--slots', '1');
  const dataDir = join(root, 'host');
  const config = {
    control_plane: siteUrl,
    driver: 'tart' as const,
    tart: { path: tart.path, home: tart.home, warm_spares: 0 as const },
    limits: {
      link: { reconnectMaxMs: 200 },
      daemon: { retryBaseMs: 50, retryMaxMs: 500 },
      vm: { bootPollMs: 100, watchMs: 300, growthBytes: 0, pullBytes: 0, reserveBytes: 0 },
    },
  };
  await enrolHost({ dataDir, token, config });
  let agent = createHostAgent({ dataDir, log });
  await agent.start();
  t.teardown(() => agent.stop());
  type Hosts = { hosts: { connected: boolean; conditions: string[]; reasons: Message[] }[] };
  const host = async () => ((await admin('host', 'list')) as Hosts).hosts[0];
  await untilHost(async () => (await host())?.connected === true, 'the host is connected');
  tart.fault('pull-ms', '2000', 1);
  await admin('rental', 'grant', '--org', 'my-team', '--tier', 'm4', '--forever');
  const mac = async () => (await client.rentals.list()).rentals[0];
  const image = async () => (await mac())?.progress?.image;
  await untilHost(async () => (await image())?.total_bytes === 25_100_000_000, 'its image is fetched');
  t.equal((await mac())?.progress?.step, 'image');
  await untilHost(async () => (await mac())?.state === 'ready', 'it is ready');

  const vms = join(dataDir, 'vms');
  const causes: [code: string, breaks: () => void, heals: () => void][] = [
    ['unauthorized', () => tart.fault('unauthorized', '1'), () => tart.mend('unauthorized')],
    ['disk_full', () => tart.fault('clone-disk-full', '1'), () => tart.mend('clone-disk-full')],
    ['keychain_locked', () => tart.fault('keychain-locked', '1'), () => tart.mend('keychain-locked')],
    [
      'not_writable',
      () => {
        rmSync(vms, { recursive: true });
        writeFileSync(vms, '');
      },
      () => rmSync(vms),
    ],
  ];
  for (const [code, breaks, heals] of causes) {
    const [vm = ''] = await tart.running();
    breaks();
    await tart.tart('stop', vm);
    await tart.tart('delete', vm);
    if (code === 'unauthorized') {
      for (const ref of [IMAGE, `${IMAGE.replace(/:.*/, '')}@${tart.digests[IMAGE]}`]) await tart.tart('delete', ref);
    }
    await untilHost(async () => (await mac())?.problem != null, `${code}: the account is told`);
    t.match(await mac(), { state: 'preparing', problem: { code } });
    t.ok((await host())?.conditions.includes('macs_failing'), code);
    const reasons = (await host())?.reasons ?? [];
    t.match(reasons.find((reason) => reason.code === 'mac_not_made')?.text, /^cannot make Mac 1 \(rt_\w+\) of My Team/);
    await agent.stop();
    t.match(await mac(), { problem: { code } }, 'while the agent is away');
    const port = new URL(siteUrl).port;
    await service.stop();
    service = await createControlPlane({ env: { ...env, CIDERMILL_PORT: port }, log });
    t.match(await mac(), { problem: { code } }, 'after a restart of the service');
    agent = createHostAgent({ dataDir, log });
    await agent.start();
    await untilHost(async () => (await host())?.connected === true, 'the agent is back');
    heals();
    await untilHost(async () => (await mac())?.state === 'ready', `${code}: it is back`);
    t.match(await mac(), { problem: null, progress: null }, code);
    t.notOk((await host())?.conditions.includes('macs_failing'), code);
  }
});
