// The limit of an account's records: what requests write is counted to the byte, an account at its limit can still free
// room, and no loop of requests writes more than that limit.
// Runs in: soak
import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import type { AnyRoute } from '../../control-plane/platform/http/route.js';
import type { Harness } from '../harness/harness.js';
import { startHarness } from '../harness/harness.js';
import { startReceiver } from '../harness/receiver.js';
import { recordsAndRecount } from '../harness/recount.js';
import { casesOf } from '../harness/soak.js';
import { type ApiName, type Ids, nameOf, requestOf } from './matrix/requests.js';
import { dump, makeResources } from './matrix/resources.js';

const DAY = 24 * 3_600_000;

/** A service whose requests are not slowed down, with one resource of each kind. */
async function start(t: Test) {
  const many = 1_000_000;
  const limits = { requests_per_minute: many, people_requests_per_minute: many, pending_orders: 1_000 };
  const h = await startHarness(t, { receivers: true, limits });
  const { url } = await startReceiver(t);
  const cookie = await h.signIn('owner');
  const owner = { accountId: h.org.id, orgId: h.org.orgId, key: h.keys.all, cookie };
  return { h, cookie, url, ids: await makeResources(t, h, owner, url) };
}

interface Sender {
  readonly h: Harness;
  readonly cookie: string;
  readonly ids: Ids;
}

interface Place {
  readonly api: ApiName;
  readonly route: AnyRoute;
}

/** Routes that change something for an account, deletions last. */
function changes(h: Harness): Place[] {
  const all = (['api', 'console'] as const).flatMap((api) =>
    h[api].routes.filter(({ method, level }) => method !== 'GET' && level !== null).map((route) => ({ api, route })),
  );
  const last = ({ route }: Place) => (route.method === 'DELETE' ? 1 : 0);
  return all.sort((a, b) => last(a) - last(b));
}

/** About the signed-in person, who would lose the session. */
const aboutPerson = ({ route }: Place) => /^\/v1\/(sessions?|identity|passkeys|second-factors)\b/.test(route.path);

async function ask({ h, cookie, ids }: Sender, { api, route }: Place, headers: Record<string, string> = {}) {
  const sent = requestOf(api, route, ids, { orgId: h.org.orgId });
  const by = route.consoleOnly ? { cookie } : { authorization: `Bearer ${h.keys.all}` };
  return h.inject({
    method: sent.method as 'POST',
    url: `${api === 'api' ? '/api/v1' : '/api/runner'}${sent.path}`,
    headers: {
      'service-error-format': '2',
      ...(sent.type === null ? {} : { 'content-type': sent.type }),
      ...by,
      ...headers,
    },
    ...(sent.payload === null ? {} : { payload: sent.payload }),
  });
}

type Answer = Awaited<ReturnType<typeof ask>>;
const codeOf = (answer: Answer): string | null => (answer.statusCode < 400 ? null : answer.json().error.code);

async function setLimit(h: Harness, bytes: number): Promise<void> {
  const org = await h.organizations.find(h.org.orgId);
  await h.organizations.setLimits(org, { records_bytes: bytes }, false);
}

const used = async (h: Harness) => (await recordsAndRecount(h.store, h.org.id)).ledger;

t.test('after random requests, the ledger equals a recount', async (t) => {
  const sender = await start(t);
  const { h } = sender;
  const equal = async (what: string) => {
    const { ledger, recount } = await recordsAndRecount(h.store, h.org.id);
    t.equal(ledger, recount, what);
    return ledger;
  };
  await h.workers.idle();
  t.ok((await equal('at the start')) > 1_000);
  for (const place of changes(h).filter((one) => !aboutPerson(one))) {
    for (const key of [null, 'k'.repeat(150), 'k'.repeat(150), `${nameOf(place.route).length}`]) {
      const name = nameOf(place.route).replace(/\W/g, '.');
      await ask(sender, place, key === null ? {} : { 'idempotency-key': `${name}${key}` });
    }
    await equal(nameOf(place.route));
  }
  await h.workers.idle();
  await equal('after the workers');
  for (let days = 0; days < 3; days++) await h.pass(DAY);
  await equal('after replies have expired');
  t.same(await h.store.get('SELECT COUNT(*) AS n FROM idempotency'), { n: 0 });
  const { ledger, recount } = await recordsAndRecount(h.store, h.other.id);
  t.equal(ledger, recount, 'of another account');
});

t.test('at the limit every change is refused before it writes, except what frees, pays or reads', async (t) => {
  const sender = await start(t);
  const { h } = sender;
  await h.workers.idle();
  await setLimit(h, await used(h));
  for (const place of changes(h).filter((one) => !aboutPerson(one))) {
    const name = nameOf(place.route);
    const exempt = place.route.beyondRecordsLimit !== undefined || place.route.method === 'DELETE';
    const before = await dump(h);
    const key = `${name.replace(/\W/g, '.')}${'x'.repeat(200)}`.slice(0, 200);
    const answer = await ask(sender, place, { 'idempotency-key': key });
    if (exempt) {
      t.not(codeOf(answer), 'storage_quota_exceeded', name);
      // What it has written, e.g. to the audit log, does not make room for others.
      await setLimit(h, 1);
      continue;
    }
    t.equal(codeOf(answer), 'storage_quota_exceeded', `${name}: ${answer.body}`);
    const { error } = answer.json();
    if (place.api === 'api') t.match(error, { fault: 'client', retryable: false, limit: 'records_bytes' }, name);
    t.equal(await dump(h), before, `${name} changes nothing`);
  }
});

t.test('one hour and one day are said as such', async (t) => {
  const HOUR = 3_600_000;
  const limits = { account_records_bytes: 1, idempotency_ms: HOUR, webhook_deliveries_kept_ms: 24 * HOUR };
  const h = await startHarness(t, { limits });
  const refused = await h.call('PUT', '/secrets/ONE', { body: { value: 'a secret' } });
  t.match(refused.json().error.message, /go after 60 minutes, deliveries after 24 hours, /);
});

t.test('who is at the limit sees what helps, deletes, and can write again', async (t) => {
  const { h, ids } = await start(t);
  const value = randomBytes(30_000).toString('hex');
  const put = (name: string) => h.call('PUT', `/secrets/${name}`, { body: { value } });
  t.equal((await put('BIG')).statusCode, 200);
  await setLimit(h, (await used(h)) + 10_000);
  const refused = await put('BIGGER');
  t.equal(codeOf(refused), 'storage_quota_exceeded');
  const { error } = refused.json();
  const me = (await h.call('GET', '/me')).json();
  t.match(error, { limit: 'records_bytes', limit_bytes: me.limits.records_bytes });
  t.equal(error.used_bytes, me.usage.records_bytes);
  t.match(error.message, /secrets.*24 hours.*30 days.*400 days.*operator/);
  for (const { method, path } of error.next) {
    const answer = await h.inject({ method, url: path, headers: { authorization: `Bearer ${h.keys.all}` } });
    t.equal(answer.statusCode, 200, path);
  }
  const big = { headers: { 'idempotency-key': 'delete-it' } };
  t.equal((await h.call('DELETE', '/secrets/BIG', big)).statusCode, 200);
  t.equal((await put('BIGGER')).statusCode, 200, 'there is room again');
  await h.call('DELETE', '/secrets/BIGGER');

  await h.call('POST', `/builds/${ids.build}/cancel`);
  t.ok((await h.call('DELETE', `/webhooks/${ids.webhook}`)).statusCode < 300);
});

t.test('an operator makes room with a shorter retention', async (t) => {
  const h = await startHarness(t, { receivers: true });
  const script = `echo ${'x'.repeat(100_000)}`;
  const body = { repo: 'apple/swift', script, queue_until_rental: true };
  const { id } = (await h.call('POST', '/builds', { body })).json();
  await h.call('POST', `/builds/${id}/cancel`);
  await setLimit(h, (await used(h)) + 50_000);
  t.equal(codeOf(await h.call('POST', '/builds', { body })), 'storage_quota_exceeded');
  const org = await h.organizations.find(h.org.orgId);
  await h.organizations.setLimits(org, { builds_kept_ms: DAY }, false);
  // The shortest retention is that of uploads after their last build.
  for (let days = 0; days < 10; days++) await h.pass(DAY);
  const again = await h.call('POST', '/builds', { body });
  t.equal(again.statusCode, 201, again.body);
});

t.test('replies of requests without an effect do not grow beyond the limit', async (t) => {
  const { h } = await start(t);
  await setLimit(h, 1);
  const replies = () => h.store.get('SELECT COUNT(*) AS n FROM idempotency');
  const before = await replies();
  const tries = Array.from({ length: 20 }, (_, n) => ({ 'idempotency-key': `again-${n}` }));
  for (const headers of tries) await h.call('DELETE', '/secrets/NONE', { headers });
  for (const headers of tries) await h.call('DELETE', '/webhooks/wh_none', { headers });
  t.same(await replies(), before);
});

t.test('no loop of requests writes more than the limit', async (t) => {
  const { h, cookie, ids } = await start(t);
  const long = 'x'.repeat(50_000);
  const asOwner = (method: string, path: string, body?: object) =>
    h.callConsole(method, `/v1/organizations/${h.org.orgId}${path}`, {
      key: null,
      headers: { cookie },
      ...(body === undefined ? {} : { body }),
    });
  const keyed = (n: number) => ({ 'idempotency-key': `${n}-${'k'.repeat(180)}` });
  /** Each makes what it can and removes it again, so that no limit of a number ends it. */
  const loops: Readonly<Record<string, (n: number) => Promise<Answer>>> = {
    async 'new scripts'(n) {
      const body = { repo: 'apple/swift', script: `${n} ${long}` };
      const answer = await h.call('POST', '/builds', { body });
      await h.call('POST', `/builds/${answer.json().id}/cancel`);
      return answer;
    },
    async 'rerun and cancel'() {
      const answer = await h.call('POST', `/builds/${ids.build}/rerun`, { body: {} });
      await h.call('POST', `/builds/${answer.json().id}/cancel`);
      return answer;
    },
    'keys of answers': (n) =>
      h.call('PUT', '/secrets/SAME', { body: { value: `${n} ${long.slice(0, 40_000)}` }, headers: keyed(n) }),
    'the greatest secret, again and again': (n) =>
      h.call('PUT', '/secrets/SAME', { body: { value: `${n}`.padEnd(65_000, 'v') } }),
    async 'webhooks with long addresses'(n) {
      const url = `https://hooks.example.com/${'p'.repeat(1_900)}${n}`;
      const answer = await h.call('POST', '/webhooks', { body: { url, events: ['build.failed'] } });
      await h.call('DELETE', `/webhooks/${answer.json().id}`);
      return answer;
    },
    'a webhook that is tested': () => h.call('POST', `/webhooks/${ids.webhook}/test`),
    async 'waiting and leaving'(n) {
      if (n === 0) await h.call('DELETE', `/waitlist/${ids.waitlist}`);
      const answer = await h.call('POST', '/waitlist', { body: { tier: 'm4' } });
      await h.call('DELETE', `/waitlist/${answer.json().id}`);
      return answer;
    },
    async workspaces(n) {
      const answer = await asOwner('POST', '/workspaces', { name: `${n}`.padEnd(100, 'w') });
      await asOwner('DELETE', `/workspaces/${answer.json().id}`);
      return answer;
    },
    async 'API keys'(n) {
      const body = { name: `${n}`.padEnd(100, 'k'), levels: ['read'], cidrs: ['10.0.0.0/8'] };
      const answer = await asOwner('POST', '/api-keys', body);
      await asOwner('DELETE', `/api-keys/${answer.json().id}`);
      return answer;
    },
    'shared builds': () => asOwner('POST', `/builds/${ids.build}/share`),
  };
  const rooms: Readonly<Record<string, number>> = {
    'new scripts': 400_000,
    'keys of answers': 100_000,
    'the greatest secret, again and again': 100_000,
  };
  const usual = ['new scripts', 'rerun and cancel', 'keys of answers', 'a webhook that is tested', 'workspaces'];
  for (const [name, once] of casesOf(loops, usual)) {
    const before = await used(h);
    const room = rooms[name] ?? 30_000;
    await setLimit(h, before + room);
    let end: Answer | null = null;
    for (let n = 0; n < 1_000 && end === null; n++) {
      const answer = await once(n);
      if (answer.statusCode >= 400) end = answer;
    }
    t.equal(end && codeOf(end), 'storage_quota_exceeded', `${name}: ${end?.body}`);
    await h.workers.idle();
    const { ledger, recount } = await recordsAndRecount(h.store, h.org.id);
    t.equal(ledger, recount, name);
    t.ok(ledger - before < room + 20_000, `${name}: ${ledger - before} bytes`);
  }
});
