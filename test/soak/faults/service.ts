// Three processes behind nginx, scripted hosts and a real one, all connected through nginx, and a receiver of webhooks.
// Requires: postgres, nginx
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { createClient } from '../../../client/index.js';
import { createHostAgent, enrolHost } from '../../../host-agent/index.js';
import { createLog } from '../../../shared/log.js';
import { type Receiver, startReceiver } from '../../harness/receiver.js';
import {
  adminOn,
  createInstallation,
  type Installation,
  type Listed,
  type Started,
} from '../../harness/several-processes.js';
import { asked } from '../../harness/soak.js';
import { until } from '../../harness/until.js';
import { uploadFile } from '../../harness/upload-file.js';
import { enrolFakeHost } from '../../hosts/fake-host.js';
import { startBalancer } from '../proxies/nginx.js';
import { type FlowingBuilds, runOnScriptedHost, startBuilds } from './builds.js';
import { keepHost } from './hosts.js';

const SCRIPTED_HOSTS = 3;
const SLOTS = 2;
/** With those of the other two files, 300. */
export const BUILDS = 100 * asked;

export interface Service {
  readonly installation: Installation;
  readonly processes: Map<string, Started>;
  /** Of the load balancer. */
  readonly url: string;
  readonly receiver: Receiver;
  /** The processes that this one knows of. */
  listed(by: Started): Promise<readonly Listed[]>;
  /** Starts the builds. */
  builds(): FlowingBuilds;
}

/**
 * @param env of each process: where its database is
 * @param prepare called before any of them starts
 */
export async function startServiceOf(
  t: Test,
  env: Readonly<Record<string, Readonly<Record<string, string>>>>,
  prepare: (installation: Installation) => void = () => undefined,
): Promise<Service> {
  const shared: Record<string, string> = {
    CIDERMILL_TRUSTED_PROXIES: '127.0.0.1',
    // Lets it send to the receiver on this machine.
    CIDERMILL_TEST_CLOCK: 'true',
    CIDERMILL_REQUESTS_PER_MINUTE: '1000000',
    CIDERMILL_HEARTBEAT_MS: '2000',
    CIDERMILL_LOG_LEVEL: process.env.CIDERMILL_LOG_LEVEL ?? 'silent',
  };
  const installation = createInstallation(t, shared);
  prepare(installation);
  const names = Object.keys(env);
  const ports: number[] = [];
  for (const name of names) ports.push(await installation.portOf(name));
  const { url } = await startBalancer(t, ports);
  shared.CIDERMILL_SITE_URL = url;
  const processes = new Map<string, Started>();
  // The first one makes the key and the tables.
  for (const name of names) processes.set(name, await installation.start(name, env[name]));

  const admin = adminOn({ url });
  await admin('org', 'create', '--name', 'My Team');
  await admin('tier', 'add', '--tier', 'm4', '--price-won', '10000');
  const { key } = await admin('key', 'create', '--org', 'my-team', '--name', 'ci', '--levels', 'read,build,manage');
  const client = createClient({ url: `${url}/api/v1`, key });
  const uploadId = await uploadFile(client);
  const receiver = await startReceiver(t);
  await client.webhooks.create({ url: receiver.url });

  for (let n = 0; n < SCRIPTED_HOSTS; n++) {
    const { token } = await admin('host', 'enroll', '--tier', 'm4', '--slots', String(SLOTS));
    const { credential } = await enrolFakeHost(url, token, `scripted-${n}`);
    keepHost(t, { siteUrl: url, credential: credential as string, run: runOnScriptedHost });
  }
  await startRealHost(t, url, (await admin('host', 'enroll', '--tier', 'm4', '--slots', String(SLOTS))).token);
  const macs = (SCRIPTED_HOSTS + 1) * SLOTS;
  await until(
    async () => (await admin('host', 'list')).hosts.filter(({ connected }) => connected).length === SCRIPTED_HOSTS + 1,
    'all hosts are connected',
  );
  for (let n = 0; n < macs; n++) await admin('rental', 'grant', '--org', 'my-team', '--tier', 'm4', '--forever');
  await until(async () => {
    const { rentals } = await client.rentals.list();
    return rentals.filter(({ state }) => state === 'ready').length === macs;
  }, 'the Macs are ready');
  return {
    installation,
    processes,
    url,
    receiver,
    listed: async (by) => (await adminOn(by)('process', 'list')).processes,
    builds: () => startBuilds(t, { url, key, uploadId, fewest: BUILDS, clients: 12 }),
  };
}

async function startRealHost(t: Test, url: string, token: string): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cidermill-faults-host-'));
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
  const limits = { link: { reconnectMaxMs: 500 }, build: { diskReserveBytes: 0 } };
  await enrolHost({ dataDir, token, config: { control_plane: url, allow_unisolated: true, limits } });
  const agent = createHostAgent({ dataDir, log: createLog('agent', 'silent') });
  await agent.start();
  t.teardown(() => agent.stop());
}
