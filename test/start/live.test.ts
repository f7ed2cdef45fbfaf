// The event stream of open pages: its messages, its end, and what a client that does not read costs.
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import t, { type Test } from 'tap';
import { createEventStreams } from '../../control-plane/platform/http/event-stream.js';
import { createWake } from '../../control-plane/platform/wake.js';
import { createLive, type LiveChange } from '../../control-plane/start/app/live.js';
import { nounsOfActions } from '../../control-plane/start/app/live-nouns.js';
import { createAdvancingClock } from '../../shared/clock.js';
import { startBuildHost } from '../harness/build-host.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { until } from '../harness/until.js';

const BEAT = 'event: beat\ndata: {"every_ms":15000}\n\n';

/** Opens streams over real connections. */
async function listening(t: Test, h: Harness) {
  const { port } = new URL(await h.server.listen({ port: 0, host: '127.0.0.1' }));
  return async (cookie: string, orgId = h.org.orgId) => {
    const request = get({
      port,
      path: `/api/runner/v1/organizations/${orgId}/live`,
      agent: false,
      headers: { cookie },
    });
    request.on('error', () => undefined);
    t.teardown(() => request.destroy());
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const stream = { status: response.statusCode, headers: response.headers, text: '', ended: false };
    response.on('data', (chunk) => {
      stream.text += chunk;
    });
    response.on('close', () => {
      stream.ended = true;
    });
    return {
      stream,
      close: () => request.destroy(),
      changes: (): LiveChange[] =>
        stream.text
          .split('\n\n')
          .filter((event) => event.startsWith('event: change'))
          .map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 6))),
    };
  };
}

const nounsOf = (changes: readonly LiveChange[]) => new Set(changes.flatMap(({ nouns }) => nouns));

t.test('a page hears of the changes of its organization alone', async (t) => {
  const h = await startHarness(t);
  const open = await listening(t, h);
  const own = await open(await h.signIn('developer'));
  const others = await open(await h.signIn('owner', { org: h.other }), h.other.orgId);
  t.equal(own.stream.status, 200);
  t.match(own.stream.headers, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  await until(() => own.stream.text === BEAT && others.stream.text === BEAT, 'the first bytes');

  await startBuildHost(h, { macs: 1, hours: 48 });
  const body = { repo: 'owner/name', script: 'make' };
  await h.call('POST', '/builds', { body });
  const { id } = (await h.call('POST', '/builds', { body })).json();
  await h.call('PUT', '/secrets/TOKEN', { body: { value: 'never in an event' } });
  await until(() => nounsOf(own.changes()).has('secrets'), 'the change of the secret');
  t.notMatch(own.stream.text, /never|TOKEN/);
  t.match([...nounsOf(own.changes())].join(' '), /audit/);
  t.match(nounsOf(own.changes()), new Set(['builds', 'queue', 'macs']));
  let priority = 0;
  await until(async () => {
    priority = 1 - priority;
    t.equal((await h.call('PATCH', `/builds/${id}`, { body: { priority } })).statusCode, 200);
    return own.changes().some(({ ids }) => ids.includes(id));
  }, 'the build by its id');
  const seen = [...nounsOf(others.changes())].filter((noun) => noun !== 'catalog' && noun !== 'waitlist');
  t.same(seen, [], 'the calendar of slots is that of all organizations');
});

t.test('the stream ends with the session, the membership and the organization', async (t) => {
  const h = await startHarness(t, { limits: { access_check_ms: 20 } });
  const open = await listening(t, h);
  const cookie = await h.signIn('developer');
  const [one, two] = [await open(cookie), await open(cookie)];
  const admin = await h.signIn('admin');
  const other = await open(admin);
  await h.callConsole('DELETE', '/v1/session', { key: null, headers: { cookie } });
  await until(() => one.stream.ended && two.stream.ended, 'the end of the session');
  t.equal((await open(cookie)).stream.status, 401);
  t.notOk(other.stream.ended);
  t.equal((await open(admin, h.other.orgId)).stream.status, 404, 'not a member');
  const path = `/v1/organizations/${h.org.orgId}/live`;
  t.equal((await h.callConsole('GET', path, { key: null })).json().error.code, 'session_required');
  t.equal((await h.callConsole('GET', path)).json().error.code, 'console_only');

  const owner = await open(await h.signIn('owner'));
  await h.store.run(`DELETE FROM members WHERE role = 'owner'`);
  await until(() => owner.stream.ended, 'the end of the membership');
  t.notOk(other.stream.ended);
  await h.organizations.setStatus(await h.organizations.find(h.org.orgId), 'suspended');
  await until(() => other.stream.ended, 'the suspension');
  t.notMatch(other.stream.text, /error/, 'a stream just ends');
});

t.test('an open page does not count as use of the session', async (t) => {
  const h = await startHarness(t, { limits: { access_check_ms: 20 } });
  const open = await listening(t, h);
  const left = await open(await h.signIn('owner', { operator: true }));
  for (let i = 0; i < 2; i++) {
    t.notOk(left.stream.ended);
    await h.clock.advance(40 * 60_000);
    // Checked in the same round as the first page, after it.
    const cookie = await h.signIn('developer', { email: `dev${i}@example.com` });
    const second = await open(cookie);
    await h.callConsole('DELETE', '/v1/session', { key: null, headers: { cookie } });
    await until(() => second.stream.ended, 'a round of checks');
    await h.parts.access.sessions.close();
  }
  await until(() => left.stream.ended, 'the end of the idle session');
});

t.test('streams are limited per person and per account; one that ends makes room', async (t) => {
  const limits = { event_streams_per_person: 2, event_streams_per_account: 3 };
  const h = await startHarness(t, { limits });
  const open = await listening(t, h);
  const [cookie, second] = [await h.signIn('developer'), await h.signIn('admin')];
  const first = await open(cookie);
  await open(cookie);
  t.equal((await open(cookie)).stream.status, 429, 'of the person');
  await open(second);
  const refused = await open(second);
  await until(() => refused.stream.ended, 'the answer');
  t.equal(refused.stream.status, 429, 'of the account');
  t.match(JSON.parse(refused.stream.text), { error: { code: 'rate_limited' } });
  first.close();
  await until(async () => (await open(second)).stream.status === 200, 'room');
});

t.test('the service closes while pages are open', async (t) => {
  const h = await startHarness(t);
  const open = await listening(t, h);
  const page = await open(await h.signIn('owner'));
  await h.close();
  await until(() => page.stream.ended, 'the end');
  t.equal(page.stream.text, BEAT);
});

t.test('changes are collected for a second, and name builds and orders where it is known which', async (t) => {
  const clock = createAdvancingClock({ start: 0 });
  const wake = createWake(clock);
  const nounsOfAction = nounsOfActions([
    { name: 'secret.set', concerns: ['secrets'] },
    { name: 'secret.set', concerns: ['builds'] },
  ]);
  const live = createLive({ wake, realClock: clock, nounsOfAction });
  const seen: LiveChange[] = [];
  const operators: LiveChange[] = [];
  const leave = live.followAccount({ accountId: 7, workspaceIds: null }, (change) => seen.push(change));
  live.followOperators((change) => operators.push(change));
  const after = async (ms: number) => {
    await clock.advance(ms);
    return seen.splice(0);
  };
  wake.wake('notices', '8');
  t.same(await after(2_000), [], 'of another account');
  wake.wake('builds', '7', { id: 'b_1' });
  const [first] = await after(20);
  t.match(first, { ids: ['b_1'] });
  t.ok(first?.nouns.includes('queue'));
  wake.wake('builds', '7', { id: 'b_1' });
  wake.wake('orders', '7', { id: 'o_1' });
  wake.wake('webhooks', '7');
  t.same(await after(900), [], 'once a second');
  const [second, none] = await after(100);
  t.same(second?.ids, ['b_1', 'o_1']);
  t.ok(second?.nouns.includes('deliveries'));
  t.equal(none, undefined);
  wake.wake('builds', '7', { id: 'b_1' });
  wake.wake('builds', '7');
  t.same((await after(1_000))[0]?.ids, [], 'any build');
  for (let i = 0; i < 60; i++) wake.wake('builds', '7', { id: `b_${i}` });
  t.same((await after(1_000))[0]?.ids, [], 'too many');
  wake.wake('actions', '7', { action: 'secret.set' });
  t.same(await after(1_000), [{ nouns: ['audit', 'builds', 'secrets'], ids: [] }]);
  wake.wake('actions', '7', { action: 'brand_new.thing' });
  t.same(await after(1_000), [{ nouns: ['all'], ids: [] }]);
  wake.wake('availability');
  t.same(await after(1_000), [{ nouns: ['catalog', 'waitlist'], ids: [] }]);
  operators.length = 0;
  wake.wake('macs', '7');
  await after(1_000);
  t.same(operators.splice(0), [{ nouns: ['hosts', 'organizations'], ids: [] }], 'operators see its Macs');
  wake.wakeAll();
  t.ok((await after(1_000))[0]?.nouns.includes('all'));
  t.ok(operators[0]?.nouns.includes('all'));
  const inOne: LiveChange[] = [];
  live.followAccount({ accountId: 7, workspaceIds: ['ws_1'] }, (change) => inOne.push(change));
  wake.wake('builds', '7', { id: 'b_1', workspaceId: 'ws_1' });
  wake.wake('builds', '7', { id: 'b_2', workspaceId: 'ws_2' });
  t.same((await after(1_000))[0]?.ids, ['b_1', 'b_2']);
  wake.wake('builds', '7', { id: 'b_2', workspaceId: 'ws_2' });
  t.same((await after(1_000))[0]?.ids, ['b_2']);
  t.same(inOne[0]?.ids, ['b_1'], 'builds of other workspaces are not named');
  t.same([inOne[1]?.ids, inOne[1]?.nouns.includes('build'), inOne[1]?.nouns.includes('queue')], [[], false, true]);
  leave();
  wake.wake('builds', '7');
  t.same(await after(2_000), []);
  live.close();
  wake.close();
});

t.test('a reader that takes nothing is dropped, an idle one hears that it is connected', async (t) => {
  const clock = createAdvancingClock({ start: 0 });
  const streams = createEventStreams(clock, 15_000);
  let send: (event: string) => void = () => undefined;
  let unsubscribed = 0;
  const open = () => {
    const { body } = streams.open(new AbortController().signal, (to) => {
      send = to;
      return () => unsubscribed++;
    });
    return body as NodeJS.ReadableStream & { destroyed: boolean };
  };
  const reader = open();
  reader.setEncoding('utf8');
  t.equal(reader.read(), BEAT);
  await clock.advance(15_000);
  t.equal(reader.read(), BEAT);
  send('data: 1\n\n');
  t.notOk(reader.destroyed);
  send('data: 2\n\n');
  t.ok(reader.destroyed, 'the first was not taken');
  await until(() => unsubscribed === 1, 'unsubscribed');
  streams.close();
});
