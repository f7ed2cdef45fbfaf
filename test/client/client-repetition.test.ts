// Which requests the library retries, for how long, and how it fails without a service.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import t from 'tap';
import { createNodeFetch } from '../../client/cli/node-fetch.js';
import { type CidermillError, createClient, UNREACHABLE } from '../../client/index.js';
import { createAdvancingClock } from '../../shared/clock.js';
import { cases } from '../harness/soak.js';
import { clientOf, failureOf, noWaiting } from './client-rig.js';
import { KEY, startScriptedService } from './scripted-service.js';

t.test('retryable requests are repeated with growing waits, until the time limit', async (t) => {
  const service = await startScriptedService();
  t.teardown(service.close);
  const { clock, waits } = noWaiting();
  const client = clientOf(service, { clock, random: () => 1 });
  const attemptsOf = async (status: number, answer: object, times: number) => {
    service.requests.length = 0;
    waits.length = 0;
    service.instead('POST /builds', { status, ...answer }, times);
    const result = await client.builds.create({ script: 'x', repo: 'a/b' }).then(
      () => 'created',
      (error: CidermillError) => error.code,
    );
    return { result, sent: service.requests.length, waits: [...waits] };
  };
  const retryable = (more: object = {}) => ({ error: { code: 'queue_full', retryable: true, ...more } });

  t.same(await attemptsOf(429, retryable(), 4), {
    result: 'created',
    sent: 5,
    waits: [250, 500, 1000, 2000],
  });
  const keys = new Set(service.requests.map((request) => request.headers['idempotency-key']));
  t.equal(keys.size, 1, 'all repetitions carry the same Idempotency-Key');
  t.same(await attemptsOf(429, retryable(), 5), {
    result: 'queue_full',
    sent: 5,
    waits: [250, 500, 1000, 2000],
  });
  t.same(await attemptsOf(429, retryable({ retry_after_s: 3 }), 1), {
    result: 'created',
    sent: 2,
    waits: [3250],
  });
  t.same(
    await attemptsOf(503, { text: 'busy', headers: { 'retry-after': '2' } }, 1),
    { result: 'created', sent: 2, waits: [2250] },
    'a proxy is believed too',
  );
  const inFiveSeconds = { 'retry-after': new Date(Date.now() + 5_000).toUTCString() };
  const [waitedMs = 0] = (await attemptsOf(503, { text: '', headers: inFiveSeconds }, 1)).waits;
  t.ok(waitedMs > 3_000 && waitedMs <= 5_250, 'Retry-After as a date');
  t.match(await attemptsOf(429, retryable({ retry_after_s: 3600 }), 1), { result: 'queue_full', sent: 1 });
  t.match(await attemptsOf(409, { error: { code: 'no_active_rental', retryable: false } }, 1), { sent: 1 });
  t.match(await attemptsOf(500, { error: { code: 'internal_error', retryable: true } }, 2), {
    result: 'internal_error',
    sent: 2,
  });
  t.match(await attemptsOf(0, { cut: true }, 3), { result: 'created', sent: 4 }, 'lost connections');
  t.match(await attemptsOf(0, { cut: true }, 5), { result: UNREACHABLE, sent: 5 });

  service.instead('POST /builds', { status: 429, ...retryable() }, 1);
  service.requests.length = 0;
  await client.builds.create({ script: 'x', repo: 'a/b' }, { idempotencyKey: 'mine', retry: { attempts: 2 } });
  t.same(
    service.requests.map((request) => request.headers['idempotency-key']),
    ['mine', 'mine'],
  );

  await fc.assert(
    fc.asyncProperty(fc.double({ min: 0, max: 1, noNaN: true }), async (random) => {
      const recorded = noWaiting();
      const jittery = clientOf(service, { clock: recorded.clock, random: () => random });
      service.instead('GET /queue', { status: 503, text: '' }, 3);
      await jittery.queue();
      return recorded.waits.every((ms, at) => ms === Math.round(random * 250 * 2 ** at));
    }),
    { numRuns: cases(8) },
  );
});

t.test('a closed port, a silent server, and a caller that gives up', async (t) => {
  const silent = createServer(() => undefined);
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const clock = createAdvancingClock({ start: 0 });
  const client = createClient({ url, key: KEY, clock, retry: { attempts: 1 }, timeoutMs: 5_000 });

  const asked = failureOf(client.status());
  await once(silent, 'request');
  await clock.advance(4_999);
  await clock.advance(1);
  t.match(await asked, { code: UNREACHABLE, status: 0, retryable: true, message: /did not answer in time/ });

  const waited = failureOf(client.builds.wait('rb_1', { timeoutS: 60 }));
  await once(silent, 'request');
  await clock.advance(60_000);
  const early = await Promise.race([waited, new Promise((resolve) => setImmediate(() => resolve('still waiting')))]);
  t.equal(early, 'still waiting', 'a long poll has its waiting time on top');
  await clock.advance(5_000);
  t.equal((await waited).code, UNREACHABLE);

  const abort = new AbortController();
  const reason = new Error('enough');
  const stopped = client.status({ signal: abort.signal });
  await once(silent, 'request');
  abort.abort(reason);
  await t.rejects(stopped, reason, 'a request under way');
  await t.rejects(client.status({ signal: abort.signal }), reason, 'a request that was not sent yet');

  silent.closeAllConnections();
  silent.close();
  const patient = createClient({ url, key: KEY, clock, random: () => 1 });
  const again = new AbortController();
  const pausing = patient.status({ signal: again.signal });
  setTimeout(() => again.abort(reason), 50);
  await t.rejects(pausing, reason, 'a wait between two attempts');
  for (const fetch of [undefined, createNodeFetch(process.env).fetch]) {
    const alone = createClient({ url, key: KEY, retry: { attempts: 1 }, ...(fetch ? { fetch } : {}) });
    t.match(await failureOf(alone.me()), { code: UNREACHABLE, message: /cannot reach http.*ECONNREFUSED/ });
  }
});

t.test('an https address of a server without TLS gets a readable error', async (t) => {
  const service = await startScriptedService();
  t.teardown(service.close);
  const url = service.url.replace('http:', 'https:');
  for (const fetch of [undefined, createNodeFetch(process.env).fetch]) {
    const client = createClient({ url, key: KEY, retry: { attempts: 1 }, ...(fetch ? { fetch } : {}) });
    const message = /cannot reach https:.*does not speak TLS; is it an http:\/\/ address\?$/;
    t.match(await failureOf(client.me()), { code: UNREACHABLE, message });
  }
});
