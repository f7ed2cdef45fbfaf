import fc from 'fast-check';
import t from 'tap';
import { fullBucket, take } from '../../control-plane/platform/domain/token-bucket.js';
import { startHarness } from '../harness/harness.js';

t.test('a key is limited per minute; responses have the remaining requests and when to retry', async (t) => {
  const { call, clock } = await startHarness(t, { limits: { requests_per_minute: 6 } });
  for (let left = 5; left >= 0; left--) {
    const answer = await call('GET', '/secrets');
    t.equal(answer.statusCode, 200);
    t.equal(answer.headers['ratelimit-policy'], '"default";q=6;w=60');
    t.equal(answer.headers.ratelimit, `"default";r=${left};t=${(6 - left) * 10}`);
    t.equal(answer.headers['retry-after'], undefined);
  }
  const over = await call('GET', '/secrets?x=1');
  t.equal(over.statusCode, 429);
  t.equal(over.headers['retry-after'], '10');
  t.equal(over.headers.ratelimit, '"default";r=0;t=60');
  t.match(over.json().error, {
    code: 'rate_limited',
    retryable: true,
    retry_after_s: 10,
    next: [{ action: 'retry', method: 'GET', path: '/api/v1/secrets?x=1' }],
  });
  const change = await call('PUT', '/secrets/A', { body: { value: 'never echoed' } });
  t.equal(change.statusCode, 429);
  t.notMatch(change.body, 'never echoed');
  await clock.advance(9_999);
  t.equal((await call('GET', '/secrets')).statusCode, 429);
  await clock.advance(1);
  t.equal((await call('GET', '/secrets')).statusCode, 200);
  t.equal((await call('GET', '/secrets')).statusCode, 429);
});

t.test('GET /me returns the remaining requests and when the limit is fully reset', async (t) => {
  const { call, clock } = await startHarness(t, { limits: { requests_per_minute: 60 } });
  await call('GET', '/secrets');
  const me = (await call('GET', '/me')).json();
  t.match(me.limits, {
    requests_per_minute: 60,
    pending_orders: 3,
    concurrent_builds: 20,
    queued_builds: 200,
  });
  t.equal(me.remaining_requests, 58);
  t.equal(Date.parse(me.remaining_resets_at), clock.now() + 2_000);
});

t.test('refused requests of a key count; requests to public routes do not', async (t) => {
  const { call, inject, keys } = await startHarness(t, { limits: { requests_per_minute: 2 } });
  t.equal((await call('GET', '/me', { key: keys.build })).statusCode, 403);
  t.equal((await call('POST', '/nothing', { key: keys.build })).statusCode, 404);
  t.equal((await call('GET', '/me', { key: keys.build })).statusCode, 403);
  t.equal((await call('GET', '/me', { key: keys.build })).statusCode, 429);
  for (let i = 0; i < 5; i++) t.equal((await inject({ url: '/agent-start.md' })).statusCode, 200);
});

t.test('the keys of an account share its limit; other accounts have their own', async (t) => {
  const { call, keys, other } = await startHarness(t, { limits: { requests_per_minute: 4 } });
  for (const key of [keys.all, keys.read, keys.read]) await call('GET', '/secrets', { key });
  const me = await call('GET', '/me', { key: keys.all });
  t.equal(me.json().remaining_requests, 0, 'the lower remainder of key and account');
  t.equal(me.headers.ratelimit, '"default";r=0;t=60');
  const over = await call('GET', '/secrets', { key: keys.manage });
  t.equal(over.statusCode, 429, 'a key that was not used before');
  t.match(over.json().error, { code: 'rate_limited', retry_after_s: 15 });
  t.equal((await call('GET', '/secrets', { key: other.key })).statusCode, 200);
});

t.test('an operator can change the rate limit of an account', async (t) => {
  const h = await startHarness(t, { limits: { requests_per_minute: 2 } });
  const organization = await h.organizations.find(h.org.orgId);
  const statuses = async () => {
    const answers = [];
    for (const key of [h.keys.all, h.keys.read, h.keys.all, h.keys.read, h.keys.all]) {
      answers.push((await h.call('GET', '/secrets', { key })).statusCode);
    }
    return answers;
  };
  await h.organizations.setLimits(organization, { account_requests_per_minute: 4 }, false);
  t.same(await statuses(), [200, 200, 200, 200, 429], 'each key may send two requests');
  await h.clock.advance(60_000);
  await h.organizations.setLimits(organization, { account_requests_per_minute: 1 }, false);
  t.same(await statuses(), [200, 429, 429, 429, 429]);
  await h.clock.advance(60_000);
  await h.organizations.setLimits(organization, { account_requests_per_minute: 0 }, false);
  const [, refused] = [await h.call('GET', '/secrets'), await h.call('GET', '/secrets')];
  t.match(
    refused.json().error,
    { code: 'rate_limited', retry_after_s: 60 },
    'a limit below one still gives a valid retry_after_s',
  );
});

t.test('requests refused by one limit do not count against others', async (t) => {
  const { keys, call, clock } = await startHarness(t, { limits: { requests_per_minute: 2 } });
  for (let i = 0; i < 5; i++) await call('GET', '/secrets', { key: keys.all });
  await clock.advance(30_000);
  t.equal((await call('GET', '/secrets', { key: keys.read })).statusCode, 200, 'one request has been refilled');
  t.equal((await call('GET', '/secrets', { key: keys.read })).statusCode, 429);
});

t.test('people of an account share a limit, separate from its keys', async (t) => {
  const limits = { requests_per_minute: 3, people_requests_per_minute: 4 };
  const h = await startHarness(t, { limits });
  for (let i = 0; i < 4; i++) await h.call('GET', '/secrets');
  const cookies = [await h.signIn('owner'), await h.signIn('admin')];
  const asked: number[] = [];
  for (let i = 0; i < 5; i++) {
    const url = `/api/runner/v1/organizations/${h.org.orgId}/agent/secrets`;
    const headers = { cookie: cookies[i % 2] ?? '' };
    asked.push((await h.inject({ url, headers })).statusCode);
  }
  t.same(asked, [200, 200, 200, 200, 429]);
});

t.test('no pattern of requests exceeds the quota plus the refill', async () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000 }),
      fc.array(fc.integer({ min: -1_000, max: 20_000 }), { maxLength: 200 }),
      (perMinute, gaps) => {
        const bucket = fullBucket(perMinute, 0);
        let now = 0;
        let latest = 0;
        let passed = 0;
        for (const gap of gaps) {
          now = Math.max(0, now + gap);
          latest = Math.max(latest, now);
          const taken = take(bucket, perMinute, now);
          if (taken.ok) passed++;
          if (taken.remaining < 0 || taken.remaining > perMinute) return false;
          if (!taken.ok && !take({ ...bucket }, perMinute, now + taken.retryAfterS * 1000).ok) return false;
        }
        const moved = gaps.reduce((sum, gap) => sum + Math.abs(gap), 0);
        return passed <= perMinute + (moved * perMinute) / 60_000 + 1;
      },
    ),
  );
});
