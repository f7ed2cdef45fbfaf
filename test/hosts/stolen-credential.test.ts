// A host's credential that somebody else uses leaves a trace; reconnects of the host leave none. Real links.
import t from 'tap';
import { conflictDegradations } from '../../control-plane/hosts/app/host-conflicts.js';
import { hardwareIdIn, machineId } from '../../host-agent/daemon/machine-id.js';
import { createLog, type Log } from '../../shared/log.js';
import { CLOSE } from '../../shared/protocol/index.js';
import { startLinkService } from '../harness/link-service.js';
import { until } from '../harness/until.js';
import { createFakeHost, enrolFakeHost } from './fake-host.js';

t.test('a second agent with the credential of a connected host is in the audit log', async (t) => {
  const service = await startLinkService(t);
  const { token } = await service.hosts.createEnrolment({ tier: 'local', slots: 1 });
  const { credential, host_id: hostId } = await enrolFakeHost(service.siteUrl, token);
  if (credential === null) return t.fail('the token gives no credential');
  const conflicts = () => service.audited.filter(({ action }) => action === 'host.connect');
  const link = (localAddress: string) => {
    const host = createFakeHost({ siteUrl: service.siteUrl, credential, localAddress });
    t.teardown(() => host.close());
    return host;
  };
  const host = link('127.0.0.1');
  await host.connect();
  for (let n = 0; n < 3; n++) {
    host.drop();
    await host.connect();
  }
  await host.close();
  const moved = link('127.0.0.3');
  await moved.connect();
  t.same(conflicts(), [], 'neither a broken connection nor another address is a conflict');

  t.equal((await service.hosts.get(hostId)).credentialConflict, null);

  const thief = link('127.0.0.2');
  await thief.connect();
  t.match(await moved.closed(), { code: CLOSE.replaced });
  await until(() => conflicts().length > 0, 'the conflict is recorded');
  t.same(
    conflicts().map(({ ip, target }) => [ip, target]),
    [
      ['127.0.0.3', hostId],
      ['127.0.0.2', hostId],
    ],
  );
  await until(
    async () => (await service.hosts.get(hostId)).credentialConflict !== null,
    'operators are told of the conflict',
  );
  t.same((await service.hosts.get(hostId)).credentialConflict, {
    how: 'two_agents',
    at: service.clock.now(),
    addresses: ['127.0.0.3', '127.0.0.2'],
  });
});

const ofThis = 'a'.repeat(64);
const ofAnother = 'b'.repeat(64);

t.test('another machine with the credential of a host that is off is noticed', async (t) => {
  for (const [machines, noticed, why] of [
    [[undefined, ofThis, ofThis], false, 'an agent that was upgraded says it for the first time'],
    [[ofThis, ofThis, ofThis], false, 'the same machine, at another address'],
    [[undefined, undefined], false, 'an older agent never says it'],
    [[ofThis, ofAnother], true, 'another machine'],
    [[ofThis, undefined], true, 'a machine that does not say which it is'],
  ] as const) {
    const service = await startLinkService(t);
    const { token } = await service.hosts.createEnrolment({ tier: 'local', slots: 1 });
    const { credential, host_id: hostId } = await enrolFakeHost(service.siteUrl, token);
    if (credential === null) return t.fail('the token gives no credential');
    for (const [n, machine] of machines.entries()) {
      const localAddress = `127.0.0.${n + 1}`;
      const said = machine === undefined ? {} : { machine };
      const host = createFakeHost({ siteUrl: service.siteUrl, credential, localAddress, ...said });
      await host.connect();
      await until(async () => {
        const { connectedFrom, machine: known } = await service.hosts.get(hostId);
        return connectedFrom === localAddress && known === (machine ?? null);
      }, 'it is known which machine has connected');
      await host.close();
      await until(async () => !(await service.hosts.get(hostId)).connected, 'the host is off');
    }
    const isNoticed = async () => (await service.hosts.get(hostId)).credentialConflict !== null;
    if (noticed) await until(isNoticed, why);
    t.same(
      (await conflictDegradations(service.store)).map(({ name, message }) => [
        name,
        /another machine used/.test(message),
      ]),
      noticed ? [['credential_conflict', true]] : [],
      'in /healthz for operators',
    );
    const { credentialConflict } = await service.hosts.get(hostId);
    const addresses = machines.map((_, n) => `127.0.0.${n + 1}`).slice(-2);
    const wanted = noticed ? { how: 'other_machine', at: service.clock.now(), addresses } : null;
    t.same(credentialConflict, wanted, why);
    t.same(
      service.audited.filter(({ action }) => action === 'host.connect').map(({ ip, target }) => [ip, target]),
      noticed ? [[addresses[1], hostId]] : [],
    );
    await service.stop();
  }
});

t.test('what macOS prints names the machine', async (t) => {
  const printed = `+-o J274AP  <class IOPlatformExpertDevice, id 0x100000114>
    {
      "IOPlatformSerialNumber" = "C02XXXXXXXXX"
      "IOPlatformUUID" = "564D9B1C-0b2f-5DD2-9C3A-1E2F3A4B5C6D"
    }`;
  t.equal(hardwareIdIn(printed), '564D9B1C-0B2F-5DD2-9C3A-1E2F3A4B5C6D');
  t.equal(hardwareIdIn('no such device'), undefined);
});

t.test('this machine says the same at each start', async (t) => {
  const log = createLog('test', 'silent');
  const [first, second] = [await machineId(log), await machineId(log)];
  t.equal(first, second);
  if (first !== undefined) t.match(first, /^[0-9a-f]{64}$/);
});

t.test('a machine whose identifier cannot be read connects without it', async (t) => {
  const warnings: string[] = [];
  const log = { warn: (_fields: unknown, text?: string) => void warnings.push(text ?? '') };
  const unreadable = () => Promise.reject(new Error('ioreg: not permitted'));
  t.equal(await machineId(log as Pick<Log, 'warn'>, unreadable), undefined);
  t.same(warnings, ['cannot read the identifier of this machine']);
});
