// Every route with an identifier against every kind of caller: other accounts, other workspaces, every role and set of
// levels, and invalid credentials. The routes come from the tables behind the API reference, so new ones are included; the
// test fails until test/access/matrix/requests.ts lists their identifiers.
// Runs in: soak
import t from 'tap';
import type { AnyRoute } from '../../control-plane/platform/http/route.js';
import { bearer } from '../harness/answer.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { startReceiver } from '../harness/receiver.js';
import { type Caller, keyLevels, refusalOf } from './matrix/callers.js';
import {
  type ApiName,
  type Ids,
  kinds,
  nameOf,
  type Place,
  placesElsewhere,
  placesInPath,
  requestOf,
} from './matrix/requests.js';
import { dump, makeResources, missingIds } from './matrix/resources.js';

/** Signed addresses and links, which anybody can use for a short time, and retired paths. */
const open = new Set([
  'GET /v1/shared/:token',
  'GET /v1/shared/:token/artifacts',
  'GET /v1/shared/:token/artifacts/:file_id',
  'GET /v1/downloads/:ticket',
  'POST /orders/:order_no/cancel',
  'DELETE /orders/:order_no',
]);
/** Creates the resource that the identifier names. */
const creates = new Set(['PUT /secrets/:name']);

interface Row {
  readonly api: ApiName;
  readonly route: AnyRoute;
  readonly places: readonly Place[];
}

/** Routes with an identifier other than that of the organization, and those of an organization. */
const rowsOf = (h: Harness): Row[] =>
  (['api', 'console'] as const).flatMap((api) =>
    h[api].routes
      // A stream of events has no end: test/start/live.test.ts.
      .filter((route) => !open.has(nameOf(route)) && !route.staysOpen)
      .map((route) => ({
        api,
        route,
        places: [...placesInPath(api, route), ...placesElsewhere(route)],
      }))
      .filter(({ route, places }) => places.length > 0 || route.path.includes(':org_id')),
  );

async function start(t: Parameters<typeof startHarness>[0]) {
  const limits = { failed_keys_per_minute: 1_000_000 };
  const h = await startHarness(t, { receivers: true, limits });
  const { url } = await startReceiver(t);
  const owner = await h.signIn('owner');
  const ids = await makeResources(
    ...([t, h, { accountId: h.org.id, orgId: h.org.orgId, key: h.keys.all, cookie: owner }, url] as const),
  );
  const others = await h.signIn('owner', { org: h.other });
  const theirs = await makeResources(
    ...([t, h, { accountId: h.other.id, orgId: h.other.orgId, key: h.other.key, cookie: others }, url] as const),
  );
  const second = ids.workspace;
  const inSecond = await h.createKey(['read', 'build', 'manage'], { workspaceId: second });
  const { orgId } = h.org;

  const reads = countReads(h);
  /**
   * Sends a request to a route. Returns the status, the body without request id and identifiers, and the number of database
   * reads. Equal numbers mean that the response time does not reveal whether the resource exists.
   */
  const ask = async (row: Row, headers: Record<string, string>, used: Ids, in_ = orgId, place?: Place) => {
    const sent = requestOf(row.api, row.route, used, { orgId: in_, ...(place ? { place } : {}) });
    const console = row.api === 'api' && headers.cookie !== undefined;
    const root = console ? `/api/runner/v1/organizations/${in_}/agent` : '/api/v1';
    const before = reads();
    const answer = await h.inject({
      method: sent.method as 'GET',
      url: `${row.api === 'api' ? root : '/api/runner'}${sent.path}`,
      headers: {
        'service-error-format': '2',
        ...(sent.type === null ? {} : { 'content-type': sent.type }),
        ...headers,
      },
      ...(sent.payload === null ? {} : { payload: sent.payload }),
    });
    let text = answer.body.replaceAll(/"request_id":"[^"]+"/g, '').replaceAll(in_, 'ORG');
    for (const [kind, id] of Object.entries(used)) text = text.replaceAll(id, kind.toUpperCase());
    const code = answer.statusCode < 400 ? null : (JSON.parse(answer.body).error.code as string);
    return { status: answer.statusCode, code, text, queries: reads() - before };
  };
  return { h, ids, missing: missingIds(ids), theirs, owner, others, second, inSecond, ask };
}

/**
 * Asks twice, and again while the numbers of reads differ: a worker or a timer may have read meanwhile, and what differs
 * because of that does not differ every time.
 */
async function both<A extends { queries: number }>(one: () => Promise<A>, other: () => Promise<A>): Promise<[A, A]> {
  const [first, second] = [await one(), await other()];
  for (let again = 0; again < 4 && first.queries !== second.queries; again++) {
    first.queries = Math.min(first.queries, (await one()).queries);
    second.queries = Math.min(second.queries, (await other()).queries);
  }
  return [first, second];
}

/** Returns a function that returns how many reads the service has made so far. */
function countReads({ store }: Harness): () => number {
  let reads = 0;
  const { get, all } = store;
  Object.assign(store, {
    get: (...given: Parameters<typeof get>) => {
      reads++;
      return get(...given);
    },
    all: (...given: Parameters<typeof all>) => {
      reads++;
      return all(...given);
    },
  });
  return () => reads;
}

type Started = Awaited<ReturnType<typeof start>>;

async function callersOf({ h, owner }: Started): Promise<Caller[]> {
  const key = (name: string, text: string, as: Caller['as']) => ({ name, headers: bearer(text), as });
  const bad = (refused: string, inConsole = refused) => ({ refused, inConsole });
  const revoked = await h.createKey(['read', 'build', 'manage']);
  const leaked = await h.createKey(['read', 'build', 'manage']);
  await h.apiKeys.revoke({ token: revoked }, 'manual');
  await h.apiKeys.revoke({ token: leaked }, 'leaked');
  const expired = await h.createKey(['read', 'build', 'manage'], { expiresAt: h.clock.now() + 1_000 });
  await h.clock.advance(1_000);
  const elsewhere = await h.createKey(['read', 'build', 'manage'], { cidrs: ['10.0.0.0/8'] });
  return [
    { name: 'nobody', headers: {}, as: bad('api_key_required') },
    key('a revoked key', revoked, bad('invalid_api_key')),
    key('a leaked key', leaked, bad('invalid_api_key', 'api_key_revoked_leaked')),
    key('an expired key', expired, bad('invalid_api_key')),
    key('a key from another address', elsewhere, bad('ip_not_allowed')),
    ...(await Promise.all(
      keyLevels.map(async (some) => key(`a key with ${some}`, await h.createKey(some), { levels: some })),
    )),
    { name: 'an owner', headers: { cookie: owner }, as: { role: 'owner' } },
    { name: 'an admin', headers: { cookie: await h.signIn('admin') }, as: { role: 'admin' } },
    { name: 'a developer', headers: { cookie: await h.signIn('developer') }, as: { role: 'developer' } },
  ];
}

t.test('levels and roles decide at every route with an identifier', async (t) => {
  const started = await start(t);
  const { h, ids, missing, ask } = started;
  const refusals = new Set([
    'api_key_required',
    'invalid_api_key',
    'api_key_revoked_leaked',
    'ip_not_allowed',
    'session_required',
    'console_only',
    'insufficient_permission',
    'insufficient_scope',
    'api_key_read_only',
    'forbidden',
    'api_key_write_only',
  ]);
  const callers = await callersOf(started);
  await h.workers.idle();
  for (const row of rowsOf(h)) {
    const before = await dump(h);
    for (const caller of callers) {
      const about = `${nameOf(row.route)} by ${caller.name}`;
      const expected = refusalOf(row.api, row.route, caller);
      if (expected !== null) t.equal((await ask(row, caller.headers, ids)).code, expected, about);
    }
    t.equal(await dump(h), before, `${nameOf(row.route)}: a refused request changes nothing`);
    for (const caller of callers) {
      if (refusalOf(row.api, row.route, caller) !== null) continue;
      const { code } = await ask(row, caller.headers, missing);
      t.notOk(refusals.has(code ?? ''), `${nameOf(row.route)} by ${caller.name} is allowed: ${code}`);
    }
  }
});

t.test('all callers of a suspended organization are refused', async (t) => {
  const { h, ids, owner, ask } = await start(t);
  await h.organizations.setStatus(await h.organizations.find(h.org.orgId), 'suspended');
  for (const row of rowsOf(h)) {
    const { consoleOnly, sessionScope, path } = row.route;
    // About the person, who may have other organizations.
    if (consoleOnly && !path.includes(':org_id')) continue;
    const byKey = (await ask(row, bearer(h.keys.all), ids)).code;
    t.equal(byKey, consoleOnly ? 'console_only' : 'organization_suspended', nameOf(row.route));
    const takesSessions = row.api === 'api' || consoleOnly || sessionScope !== undefined;
    const byOwner = (await ask(row, { cookie: owner }, ids)).code;
    t.equal(byOwner, takesSessions ? 'organization_suspended' : 'api_key_required', nameOf(row.route));
  }
});

t.test('the operator API is for the operator token and for sessions of operators', async (t) => {
  const token = 'an-operator-token-of-the-tests';
  const h = await startHarness(t, { operatorToken: token });
  const operator = { cookie: await h.signIn('developer', { operator: true, email: 'ops@example.com' }) };
  const owner = { cookie: await h.signIn('owner') };
  const { noticeId } = await h.parts.operators.notices.test();
  const expected: [Record<string, string>, string][] = [
    [{}, 'session_required'],
    [bearer(h.keys.all), 'operator_token_required'],
    [{ ...operator, ...bearer(h.keys.all) }, 'operator_token_required'],
    [owner, 'not_found'],
    [{ cookie: 'cidermill_session=none' }, 'session_required'],
  ];
  for (const { method, path, staysOpen } of h.operator.routes.filter(({ level }) => level !== null)) {
    const code = async (headers: Record<string, string>) => {
      const payload = method === 'GET' ? {} : { payload: { unheard_of: 'x' } };
      const url = `/api/operator${path.replace(':org_id', h.org.orgId).replace(':notice_id', noticeId)}`;
      const answer = await h.inject({ method, url, headers, ...payload });
      return answer.statusCode < 400 ? null : answer.json().error.code;
    };
    for (const [headers, refused] of expected) t.equal(await code(headers), refused, `${method} ${path}`);
    for (const headers of staysOpen ? [] : [bearer(token), operator]) {
      t.notMatch(await code(headers), /session|token|forbidden|^not_found$/, `${method} ${path}`);
    }
    if (method === 'GET') continue;
    const elsewhere = { ...operator, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    t.equal(await code(elsewhere), 'forbidden', `${method} ${path} from another site`);
  }
});

t.test('identifiers of other accounts and workspaces get the same response as missing ones', async (t) => {
  const started = await start(t);
  const { h, ids, missing, theirs, others, inSecond, second, ask } = started;
  const { orgId } = h.other;
  const developer = await h.signIn('developer', { workspaceIds: [second] });
  const all = Object.keys(kinds) as (keyof typeof kinds)[];
  const hidden = all.filter((kind) => kinds[kind] === 'workspace');
  const some = (of: Ids, names: readonly string[], base: Ids): Ids =>
    ({ ...base, ...Object.fromEntries(Object.entries(of).filter(([kind]) => names.includes(kind))) }) as Ids;
  const outsiders = [
    { name: "another account's key", headers: bearer(h.other.key), mine: theirs, in_: orgId, hidden: all },
    { name: "another account's owner", headers: { cookie: others }, mine: theirs, in_: orgId, hidden: all },
    { name: "another workspace's key", headers: bearer(inSecond), mine: ids, in_: h.org.orgId, hidden },
    {
      name: "another workspace's developer",
      headers: { cookie: developer },
      mine: ids,
      in_: h.org.orgId,
      hidden,
    },
  ];
  await h.workers.idle();
  const before = await dump(h);
  for (const row of rowsOf(h)) {
    if (creates.has(nameOf(row.route))) continue;
    for (const { name, headers, mine, in_, hidden } of outsiders) {
      const places = row.places.filter(({ kind }) => hidden.includes(kind));
      // First each one alone, the others being the caller's, then all together.
      const sets: [Place | undefined, readonly string[]][] = places.map((place) => [place, [place.kind]]);
      if (places.length > 0) sets.push([undefined, hidden]);
      for (const [place, foreign] of sets) {
        const about = `${nameOf(row.route)}: ${place?.where ?? 'all'} by ${name}`;
        const base = hidden === all ? mine : some(missing, hidden, mine);
        const [unknown, real] = await both(
          () => ask(row, headers, some(missing, foreign, base), in_, place),
          () => ask(row, headers, some(ids, foreign, base), in_, place),
        );
        t.same(real, unknown, about);
      }
    }
    if (row.route.path.includes(':org_id') || row.api !== 'console') {
      const [foreign, none] = await both(
        () => ask(row, { cookie: others }, ids, h.org.orgId),
        () => ask(row, { cookie: others }, ids, 'org_none'),
      );
      t.same(foreign, none, `${nameOf(row.route)}: an organization`);
    }
    t.equal(await dump(h), before, `${nameOf(row.route)}: nothing is changed`);
  }
});

t.test('the workspace_id of a session is checked at every route of the API', async (t) => {
  const { h, ids, owner, others, second } = await start(t);
  const developer = await h.signIn('developer', { workspaceIds: [second] });
  const workspaces = `/api/runner/v1/organizations/${h.org.orgId}/workspaces`;
  const asOwner = { headers: { cookie: owner } };
  const made = await h.inject({ ...asOwner, method: 'POST', url: workspaces, payload: { name: 'removed' } });
  const removed: string = made.json().id;
  // The row is kept, because a key refers to it.
  await h.apiKeys.revoke({ token: await h.createKey(['read'], { workspaceId: removed }) }, 'manual');
  t.equal((await h.inject({ ...asOwner, method: 'DELETE', url: `${workspaces}/${removed}` })).statusCode, 204);
  const first = h.org.workspaceId;
  await h.workers.idle();
  const before = await dump(h);
  for (const route of h.api.routes.filter(({ level }) => level !== null)) {
    const { method, path, type, payload } = requestOf('api', route, ids, { orgId: h.org.orgId });
    for (const [who, cookie, workspaceId] of [
      ['a developer of another workspace', developer, first],
      ["another account's owner, with its own workspace", others, h.other.workspaceId],
      ["an owner, with another account's workspace", owner, h.other.workspaceId],
      ...(method === 'GET' ? [] : [['an owner, with a removed workspace', owner, removed] as const]),
    ] as const) {
      const answer = await h.inject({
        method: method as 'GET',
        url: `/api/runner/v1/organizations/${h.org.orgId}/agent${path}${path.includes('?') ? '&' : '?'}workspace_id=${workspaceId}`,
        headers: { cookie, 'service-error-format': '2', ...(type === null ? {} : { 'content-type': type }) },
        ...(payload === null ? {} : { payload }),
      });
      t.equal(answer.json().error?.code, 'not_found', `${nameOf(route)} by ${who}`);
    }
  }
  t.equal(await dump(h), before, 'nothing is changed');
});

t.test('every identifier in these tests belongs to an existing resource', async (t) => {
  const { h, ids, owner, ask } = await start(t);
  const order = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'];
  const rows = rowsOf(h).sort((a, b) => order.indexOf(a.route.method) - order.indexOf(b.route.method));
  for (const row of rows) {
    const { consoleOnly, path, query } = row.route;
    const asPerson = consoleOnly || (query && 'shape' in query && path === '/v1/files');
    const { status, code } = await ask(row, asPerson ? { cookie: owner } : bearer(h.keys.all), ids);
    t.ok(status < 400 || status === 409 || status === 429, `${nameOf(row.route)}: ${status} ${code}`);
  }
});

t.test('a route that is missing in these tables is an error', async (t) => {
  const h = await startHarness(t);
  const known = h.api.routes.find((route) => nameOf(route) === 'PATCH /builds/:build_id');
  if (!known) throw new Error('route not found');
  const widget = { ...known, path: '/widgets/:widget_id' };
  t.throws(() => placesInPath('api', widget), /add the kind of :widget_id to kindOfParam/);
  const renamed = { ...known, path: '/builds/:build_id/widgets' };
  const ids = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, 'x'])) as Ids;
  t.throws(() => requestOf('api', renamed, ids, { orgId: 'org_x' }), /add a valid body/);
  const listing = h.api.routes.find((route) => nameOf(route) === 'GET /builds');
  if (!listing) throw new Error('route not found');
  t.throws(() => placesElsewhere({ ...listing, path: '/widgets' }), /add the kind of \?rental_id to elsewhere/);
});
