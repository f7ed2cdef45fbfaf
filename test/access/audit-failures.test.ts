// Failed requests in the audit log: which of them are logged, counted and limited.
// Runs in: soak
import t from 'tap';
import type { AnyRoute } from '../../control-plane/platform/http/route.js';
import { PASSWORD, startHarness } from '../harness/harness.js';
import { brief, entriesOf } from './audit-entries.js';

t.test('a failing request is logged on every route that changes something, and on no other', async (t) => {
  const h = await startHarness(t, { oneClock: true });
  const cookie = await h.signIn('owner');
  const org = `/v1/organizations/${h.org.orgId}`;
  const person = { cookie, origin: h.siteUrl };
  const added = async (request: () => Promise<unknown>) => {
    const before = (await entriesOf(h)).length;
    await request();
    // Equal failures are counted per minute.
    await h.clock.advance(60_000);
    return (await entriesOf(h)).slice(before);
  };
  const check = async (route: AnyRoute, root: string, headers: Record<string, string>, expected: boolean) => {
    const path = route.path.replace(':org_id', h.org.orgId).replace(/:\w+/g, 'NAME');
    const url = `${root}${path}`;
    const type = route.rawBody ? { 'content-type': route.rawBody[0] ?? '' } : {};
    const request = { method: route.method, url: `${url}?zzyzx=1`, headers: { ...headers, ...type } };
    const found = await added(() => h.server.inject(request));
    const about = `${route.method} ${url}`;
    t.equal(found.length, expected ? 1 : 0, about);
    if (expected) t.not(found[0]?.result, 'ok', about);
    if (expected) t.equal(found[0]?.action, route.action?.name, about);
  };
  const changes = ({ action }: AnyRoute) => action !== null && action !== undefined;
  const key = { authorization: `Bearer ${h.keys.all}` };
  for (const route of h.api.routes) {
    await check(route, '/api/v1', key, changes(route) && route.level === 'manage');
    await check(route, `/api/runner${org}/agent`, person, changes(route) && route.level !== null);
  }
  for (const route of h.console.routes) {
    const forPeople = route.consoleOnly || route.sameOrigin || route.sessionScope;
    await check(route, '/api/runner', forPeople ? person : key, changes(route));
  }
});

t.test('failed sign-ins are counted, and only existing users are named', async (t) => {
  const h = await startHarness(t, { oneClock: true });
  await h.signIn('owner', { email: 'ada@example.com' });
  const [{ userId = '' } = {}] = await h.users.page({ after: null, limit: 1 });
  const signIn = (email: string, password: string) =>
    h.callConsole('POST', '/v1/session', { key: null, body: { email, password } });
  for (let i = 0; i < 12; i++) await signIn('ada@example.com', 'not my password');
  // The password typed into the email field.
  await signIn(PASSWORD, PASSWORD);
  await h.clock.advance(60_000);
  const failures = (await entriesOf(h)).filter(({ result }) => result !== 'ok').map(brief);
  const failed = { actorKind: 'anonymous', action: 'session.create' };
  t.same(failures, [
    { ...failed, target: userId, result: 'invalid_credentials', count: 1 },
    { ...failed, target: userId, result: 'rate_limited', count: 1 },
    { ...failed, target: null, result: 'invalid_credentials', count: 1 },
    { ...failed, target: userId, result: 'invalid_credentials', count: 9 },
    { ...failed, target: userId, result: 'rate_limited', count: 1 },
  ]);
});

t.test('a flood of different failures is bounded per organization', async (t) => {
  const h = await startHarness(t, { oneClock: true, limits: { audit_failures_per_minute: 5 } });
  for (let i = 0; i < 40; i++) await h.call('DELETE', `/secrets/NAME_${i}`);
  await h.call('DELETE', '/secrets/MINE', { key: h.other.key });
  await h.clock.advance(60_000);
  const found = await entriesOf(h);
  const mine = found.filter(({ accountId }) => accountId === h.org.id);
  t.equal(mine.length, 7, 'five entries, the first of the others, and their count');
  t.equal(
    mine.reduce((sum, { count }) => sum + count, 0),
    40,
    'all are counted',
  );
  t.match(mine.at(-1), { actorKind: 'anonymous', target: null, count: 34 });
  t.equal(
    found.filter(({ accountId }) => accountId !== h.org.id).length,
    1,
    'other organizations have their own limit',
  );
});

t.test('failures in memory are written when the service stops', async (t) => {
  const h = await startHarness(t);
  for (let i = 0; i < 3; i++) await h.call('DELETE', '/secrets/NONE');
  await h.auditLog.close();
  const found = await h.store.all('SELECT result, count FROM audit_log ORDER BY id');
  t.same(found, [
    { result: 'secret_not_found', count: 1 },
    { result: 'secret_not_found', count: 2 },
  ]);
  await h.call('DELETE', '/secrets/NONE');
  t.same(await h.store.all('SELECT result, count FROM audit_log ORDER BY id'), found, 'nothing after that');
});

t.test('requests from outside an organization are not in its log', async (t) => {
  const h = await startHarness(t);
  const cookie = await h.signIn('owner', { org: h.other });
  const people = { key: null, headers: { cookie } };
  await h.callConsole('DELETE', `/v1/organizations/${h.org.orgId}/api-keys/key_1`, people);
  const found = (await entriesOf(h)).filter(({ result }) => result !== 'ok');
  t.match(found, [{ accountId: null, action: 'api_key.revoke', target: h.org.orgId, result: 'not_found' }]);
  t.same(await h.auditLog.search({ accountId: h.org.id }, { after: null, limit: 10 }), []);
});
