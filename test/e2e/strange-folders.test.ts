// Folders among a host's Macs that are none, when its agent starts again: the host stays, and its builds report their end.
// Runs in: soak
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { createClient } from '../../client/index.js';
import { createControlPlane } from '../../control-plane/index.js';
import { createHostAgent, enrolHost } from '../../host-agent/index.js';
import { createLog } from '../../shared/log.js';
import { adminAt } from '../harness/admin.js';
import { ownLines } from '../harness/cli.js';
import { until } from '../harness/until.js';
import { uploadFile } from '../harness/upload-file.js';

const OPERATOR = 'operator-token-of-this-test';
const silent = (name: string) => createLog(name, 'silent');

t.test('a folder that is no Mac does not take its host away', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'cidermill-folders-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const env = {
    CIDERMILL_DATA: join(root, 'service'),
    CIDERMILL_PORT: '0',
    CIDERMILL_OPERATOR_TOKEN: OPERATOR,
  };
  const service = await createControlPlane({ env, log: silent('service') });
  t.teardown(() => service.stop());
  const admin = adminAt(service.siteUrl, OPERATOR);
  const connected = async () => (await admin('host', 'list')).hosts[0]?.connected === true;
  await admin('org', 'create', '--name', 'My Team');
  await admin('tier', 'add', '--tier', 'm4', '--price-won', '10000');
  const { key } = await admin(
    ...['key', 'create', '--org', 'my-team', '--name', 'ci', '--levels', 'read,build,manage'],
  );
  const client = createClient({ url: service.baseUrl, key });

  const dataDir = join(root, 'host');
  const { token } = await admin('host', 'enroll', '--tier', 'm4', '--slots', '1');
  const limits = { link: { reconnectMaxMs: 200 }, build: { diskReserveBytes: 0 } };
  const config = { control_plane: service.siteUrl, allow_unisolated: true, limits };
  await enrolHost({ dataDir, token, config });
  const startAgent = async () => {
    const agent = createHostAgent({ dataDir, log: silent('agent') });
    await agent.start();
    t.teardown(() => agent.stop());
    return agent;
  };
  const first = await startAgent();
  await until(connected, 'the host is connected');
  await admin('rental', 'grant', '--org', 'my-team', '--tier', 'm4', '--forever');
  await until(async () => (await client.rentals.list()).rentals[0]?.state === 'ready', 'the Mac is ready');

  const build = async (script: string) =>
    (await client.builds.create({ upload_id: await uploadFile(client), script })).id;
  const log = async (id: string) => ownLines(await client.builds.log.text(id));
  const ended = (id: string) =>
    until(async () => (await client.builds.get(id)).status === 'succeeded', 'the end of the build');
  const go = join(root, 'go');
  const over = await build(`echo started; while [ ! -e '${go}' ]; do sleep 0.05; done; echo done`);
  await until(async () => (await log(over)).includes('started'), 'it prints');

  await first.stop();
  await until(async () => !(await connected()), 'the agent is away');
  const macs = join(dataDir, 'macs');
  const [slot = ''] = readdirSync(macs);
  cpSync(join(macs, slot), join(macs, `${slot}_old`), { recursive: true });
  const strange = [`${slot}_old`, 'x', `${slot}.bak`, 'slot_x.bak', '빌드', 'a b', `${'x'.repeat(150)}`];
  for (const name of strange.slice(1)) {
    mkdirSync(join(macs, name));
    writeFileSync(join(macs, name, 'mac.json'), '{}');
  }
  writeFileSync(join(macs, 'notes.txt'), 'of an operator');
  await startAgent();
  await until(connected, 'the host is back');
  writeFileSync(go, '');
  await ended(over);
  t.equal(await log(over), 'started\ndone\n');
  const next = await build('echo next');
  await ended(next);
  t.equal(await log(next), 'next\n');
  t.ok(await connected(), 'the host stays');
  t.same(readdirSync(macs).sort(), [slot, ...strange, 'notes.txt'].sort(), 'what is not its own is left alone');
  const [rental] = (await client.rentals.list()).rentals;
  await admin('rental', 'end', rental?.rental_id ?? '');
  // The agent renames a Mac's folder before deleting it.
  const isThere = () => readdirSync(macs).some((name) => name === slot || name === `.removed-${slot}`);
  await until(() => !isThere(), 'its own is removed when nobody rents it');
  t.same(readdirSync(macs).sort(), [...strange, 'notes.txt'].sort());
});
