// Images from the operator's command to the catalog: the service, an agent with the stand-in of tart, real guests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { createControlPlane } from '../../control-plane/control-plane.js';
import { createHostAgent, enrolHost } from '../../host-agent/index.js';
import { systemClock } from '../../shared/clock.js';
import { createLog } from '../../shared/log.js';
import { pause } from '../../shared/pause.js';
import { adminIn, printedBy } from '../harness/admin.js';
import { until } from '../harness/until.js';
import { openTartHost, type TartHost } from '../harness/vm/tart-host.js';

const IMAGE = 'ghcr.io/acme/macos:26';
const log = createLog('e2e', process.env.TEST_LOG === undefined ? 'silent' : 'debug');

t.test('a host fetches and inspects the image of its tier, and the catalog shows its contents', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'cidermill-images-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const data = join(root, 'service');
  const service = await createControlPlane({
    env: { CIDERMILL_DATA: data, CIDERMILL_PORT: '0', CIDERMILL_HOST: '127.0.0.1' },
    log,
  });
  t.teardown(() => service.stop());
  const admin = adminIn(data);
  const tier = () => admin('tier', 'show', 'm4');
  await admin('tier', 'add', '--tier', 'm4', '--price-won', '1', '--image', IMAGE);
  const tart = await openTartHost(t, { images: { [IMAGE]: {} } });
  await startAgent(t, { root, tart, siteUrl: service.siteUrl, admin });
  const first = tart.digests[IMAGE];
  tart.fault('pull-ms', '1500', 1);
  const { code, out } = await printedBy(['image', 'pull', '--tier', 'm4', '--wait', '--data', data, '--json']);
  t.equal(code, 0);
  t.match(out, /"state":"pulling"/);
  t.match(await admin('image', 'show', 'm4'), {
    image_digest: tart.digests[IMAGE],
    hosts: [{ holds: true }],
  });
  const inspected = async () => {
    await pause(systemClock, 200);
    return (await tier()).xcode_versions.length > 0;
  };
  await until(inspected, 'the image is inspected');
  t.match(await tier(), {
    xcode_versions: ['16.4', '26.1'],
    default_xcode: '26.1',
    runtimes: ['iOS 26.1'],
    spec: { macos: '26.1' },
  });

  const moved = tart.addImage(IMAGE, { tools: ['another'] });
  t.not(moved, first);
  await admin('tier', 'edit', '--tier', 'm4', '--image', IMAGE);
  t.match(await tier(), { image_digest: null });
  await admin('image', 'pull', '--tier', 'm4', '--wait');
  t.match(await tier(), { image_digest: moved });
});

async function startAgent(
  t: Test,
  given: {
    root: string;
    tart: TartHost;
    siteUrl: string;
    admin: ReturnType<typeof adminIn>;
  },
): Promise<string> {
  const { root, tart, siteUrl } = given;
  const { token } = await given.admin('host', 'enroll', '--tier', 'm4');
  const dataDir = join(root, 'host');
  const config = {
    control_plane: siteUrl,
    driver: 'tart' as const,
    tart: { path: tart.path, home: tart.home },
    limits: { vm: { bootPollMs: 100, watchMs: 300, growthBytes: 0, pullBytes: 0, reserveBytes: 0 } },
  };
  const { host_id } = await enrolHost({ dataDir, token, config });
  const agent = createHostAgent({ dataDir, log });
  await agent.start();
  t.teardown(() => agent.stop());
  return host_id;
}
