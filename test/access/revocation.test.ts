// A request that stays open ends when its caller would be refused: key revoked (here or by another process), leaked or
// expired, account suspended, person signed out.
// Runs in: soak
import t, { type Test } from 'tap';
import { createApiKeys } from '../../control-plane/access/app/api-keys.js';
import { createAdvancingClock } from '../../shared/clock.js';
import { bearer } from '../harness/answer.js';
import { startBuildHost } from '../harness/build-host.js';
import { followed } from '../harness/followed.js';
import { startHarness } from '../harness/harness.js';
import { inHalves } from '../harness/in-halves.js';

async function start(t: Test) {
  const service = await startHarness(t, { limits: { access_check_ms: 20 } });
  const host = await startBuildHost(service, { macs: 1, hours: 48 });
  const body = { repo: 'owner/name', script: 'make' };
  const { id } = (await service.call('POST', '/builds', { body })).json();
  await host.start();
  await host.output(id, 'first\n');
  const port = Number(new URL(await service.server.listen({ port: 0, host: '127.0.0.1' })).port);
  return {
    ...service,
    host,
    id: String(id),
    /** Follows the log. */
    follow: (path: string, headers: Record<string, string>) => followed(port, path, headers),
  };
}
type Service = Awaited<ReturnType<typeof start>>;

const ways: Record<string, (service: Service, key: string, keyId: string) => Promise<unknown>> = {
  revoked: ({ apiKeys }, _key, keyId) => apiKeys.revoke({ keyId }, 'manual'),
  'revoked by another process': ({ store }, _key, keyId) => {
    const log = { error: () => undefined } as never;
    const others = createApiKeys({
      store,
      clock: createAdvancingClock({ start: 0 }),
      log,
    });
    return others.revoke({ keyId }, 'manual');
  },
  leaked: ({ callConsole }, key) => callConsole('POST', '/v1/leaked-keys', { key: null, body: { token: key } }),
  expired: ({ clock }) => clock.advance(3_600_000),
  'of a suspended account': async ({ organizations, org }) =>
    organizations.setStatus(await organizations.find(org.orgId), 'suspended'),
};

for (const [how, end] of Object.entries(ways)) {
  t.test(`a key that is ${how} reads no followed log and gets no answer of a long poll`, async (t) => {
    const service = await start(t);
    const { apiKeys, org, clock, call, host, id } = service;
    const expiresAt = how === 'expired' ? clock.now() + 3_600_000 : null;
    const { key, record } = await apiKeys.create({
      accountId: org.id,
      workspaceId: org.workspaceId,
      name: 'reader',
      levels: ['read'],
      expiresAt,
    });
    const log = `/builds/${id}/log`;
    const stream = await service.follow(`/api/v1${log}?format=text&wait=3600`, bearer(key));
    const polls = [call('GET', `/builds/${id}/wait`, { key }), call('GET', `${log}?offset=6&wait=60`, { key })];
    // They were sent before this request, so they have been admitted when it has been.
    t.equal((await call('GET', '/me', { key })).statusCode, 200);

    await end(service, key, record.keyId);
    for (const poll of polls) {
      const answer = await poll;
      const wanted = how.includes('suspended') ? [403, 'organization_suspended'] : [401, 'invalid_api_key'];
      t.same([answer.statusCode, answer.json().error.code], wanted);
    }
    const text = await stream.all;
    await host.output(id, 'after\n');
    t.equal(text, 'first\n');
  });
}

t.test('a request whose body was late is checked again', async (t) => {
  const h = await startHarness(t, { limits: { access_check_ms: 0 } });
  const body = Buffer.from(JSON.stringify({ value: 'a value' }));
  const status = async (
    { root, credentials }: { root: string; credentials: Record<string, string> },
    name: string,
    between: () => Promise<unknown> = async () => undefined,
  ) => {
    const to = { method: 'PUT', url: `${root}/secrets/${name}`, credentials } as const;
    return (await inHalves(h, { ...to, type: 'application/json', body }, between)).statusCode;
  };
  const key = { root: '/api/v1', credentials: bearer(h.keys.all) };
  t.equal(await status(key, 'SLOW'), 200);
  t.equal(await status(key, 'REVOKED', () => h.apiKeys.revoke({ token: h.keys.all }, 'leaked')), 401);

  const cookie = await h.signIn('admin');
  const person = { root: `/api/runner/v1/organizations/${h.org.orgId}/agent`, credentials: { cookie } };
  const signOut = () => h.callConsole('DELETE', '/v1/session', { key: null, headers: { cookie } });
  t.equal(await status(person, 'SLOW'), 200);
  t.equal(await status(person, 'SIGNED_OUT', signOut), 401);
  t.same(await h.store.all('SELECT name FROM secrets'), [{ name: 'SLOW' }]);
});

t.test('signing out ends the log streams of that person only', async (t) => {
  const service = await start(t);
  const { keys, id, host, callConsole, org } = service;
  const cookie = await service.signIn('developer');
  const path = `/builds/${id}/log?format=text&wait=3600`;
  const theirs = await service.follow(`/api/runner/v1/organizations/${org.orgId}/agent${path}`, { cookie });
  const other = await service.follow(`/api/v1${path}`, bearer(keys.read));
  const signedOut = await callConsole('DELETE', '/v1/session', { key: null, headers: { cookie } });
  t.equal(signedOut.statusCode, 204);
  t.equal(await theirs.all, 'first\n');
  await host.output(id, 'second\n');
  await host.finish(id);
  t.equal(await other.all, 'first\nsecond\n');
});
