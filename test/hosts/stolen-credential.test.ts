// A host's credential that somebody else uses leaves a trace; reconnects of the host leave none. Real links.
import t from 'tap';
import { CLOSE } from '../../shared/protocol/index.js';
import { startLinkService } from '../harness/link-service.js';
import { until } from '../harness/until.js';
import { createFakeHost, enrolFakeHost } from './fake-host.js';

t.test('a second agent with the credential of a connected host is in the audit log', async (t) => {
  const service = await startLinkService();
  t.teardown(() => service.stop());
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
    at: service.clock.now(),
    addresses: ['127.0.0.3', '127.0.0.2'],
  });
});
