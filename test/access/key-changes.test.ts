// A revocation or a suspension by any process counts with the next request, because every request reads its key.
// Runs in: soak
import t from 'tap';
import { createApiKeys } from '../../control-plane/access/app/api-keys.js';
import { createLog } from '../../shared/log.js';
import { startHarness } from '../harness/harness.js';
import { openBeside } from '../harness/open-beside.js';

async function start(t: Parameters<typeof startHarness>[0]) {
  const service = await startHarness(t);
  // The database as an admin command opens it.
  const beside = await openBeside(service.data);
  t.teardown(() => beside.close());
  const admin = createApiKeys({ store: beside, clock: service.clock, log: createLog('test', 'silent') });
  const ask = async (key = service.keys.all) => {
    const answer = await service.call('GET', '/queue', { key });
    return answer.statusCode === 200 ? 200 : answer.json().error.code;
  };
  const keyId = async () => {
    const found = (await admin.list(service.org.id)).find(({ name }) => name === 'read+build+manage');
    return found?.keyId ?? '';
  };
  return { ...service, beside, admin, ask, keyId };
}

t.test('revoked in this process, after many requests', async (t) => {
  const { ask, apiKeys, keyId } = await start(t);
  for (let i = 0; i < 50; i++) t.equal(await ask(), 200);
  t.ok(await apiKeys.revoke({ keyId: await keyId() }, 'manual'));
  t.equal(await ask(), 'invalid_api_key');
});

t.test('revoked by another process: not one request later', async (t) => {
  const { ask, admin, keyId } = await start(t);
  t.equal(await ask(), 200);
  t.ok(await admin.revoke({ keyId: await keyId() }, 'manual'));
  t.equal(await ask(), 'invalid_api_key');
});

t.test('any change of an account or a key by another process is noticed', async (t) => {
  const { ask, beside, org } = await start(t);
  t.equal(await ask(), 200);
  const suspend = (status: string) =>
    beside.run('UPDATE organizations SET status = :status WHERE id = :id', { id: org.id, status });
  await suspend('suspended');
  t.equal(await ask(), 'organization_suspended');
  await suspend('active');
  t.equal(await ask(), 200);
  await beside.run(`UPDATE api_keys SET cidrs = '["192.0.2.0/24"]'`);
  t.equal(await ask(), 'ip_not_allowed');
  await beside.run(`UPDATE api_keys SET cidrs = '[]', levels = '["build"]'`);
  t.equal(await ask(), 'api_key_write_only');
});

t.test('a key made by another process works at once', async (t) => {
  const { ask, admin, org } = await start(t);
  const { key } = await admin.create({
    accountId: org.id,
    workspaceId: org.workspaceId,
    name: 'new',
    levels: ['read'],
  });
  t.equal(await ask(key), 200);
});
