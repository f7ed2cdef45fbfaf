import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import t from 'tap';
import { createNodeFetch } from '../../client/cli/node-fetch.js';
import {
  BAD_RESPONSE,
  CidermillError,
  type Client,
  type ClientOptions,
  createClient,
  type Job,
  UNREACHABLE,
  type WaitlistEntry,
} from '../../client/index.js';
import { type Clock, createAdvancingClock } from '../../shared/clock.js';
import { everyNth, runs } from '../harness/soak.js';
import { startCuttingProxy } from './cutting-proxy.js';
import { KEY, type ScriptedService, startScriptedService } from './scripted-service.js';

/** Waits are noted and over at once; a time limit never comes. */
function noWaiting(): { clock: Clock; waits: number[] } {
  const waits: number[] = [];
  return {
    waits,
    clock: {
      now: () => Date.now(),
      setTimeout(fn, ms) {
        if (ms >= 60_000) return { cancel: () => undefined };
        waits.push(ms);
        const soon = setImmediate(fn);
        return { cancel: () => clearImmediate(soon) };
      },
    },
  };
}

const clientOf = (service: Pick<ScriptedService, 'url'>, options: Partial<ClientOptions> = {}) =>
  createClient({ url: service.url, key: KEY, clock: noWaiting().clock, ...options });

async function failureOf(promise: Promise<unknown>): Promise<CidermillError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof CidermillError) return error;
    throw error;
  }
  throw new Error('it succeeded');
}

const blankJob: Job = {
  id: 'op_1',
  job_id: 'op_1',
  rental_id: 'rt_1',
  kind: 'reset',
  status: 'running',
  when: null,
  error: null,
  message: null,
  progress: null,
  created_at: '2026-01-01T00:00:00Z',
  started_at: null,
  ended_at: null,
};
const blankEntry: WaitlistEntry = {
  id: 'wl_1',
  tier: 'local',
  units: 1,
  status: 'waiting',
  position: 1,
  created_at: '2026-01-01T00:00:00Z',
  notified_at: null,
};

t.test('every method asks what the contract says', async (t) => {
  const service = await startScriptedService();
  t.teardown(service.close);
  service.onSubmit = (build) => build.append('a\nb\n');
  const client = clientOf(service);
  const { id } = await client.builds.create({ script: 'make', repo: 'acme/app' });
  const { renting } = service;
  const order = (await client.orders.create({ tier: 'local', hours: 24 })).order_no;
  const settled = (await client.orders.create({ tier: 'local', hours: 24 })).order_no;
  renting.drop(settled, 'expired');
  const [mac = '', other = '', third = ''] = [1, 2, 3].map(() => renting.addMac().rental_id);
  renting.jobs.set('op_1', { ...blankJob, status: 'done' });
  renting.waitlist.set('wl_1', { ...blankEntry });
  const file = { path: 'a', sha256: 'a'.repeat(64), size: 1, mode: 420 as const };

  const table: [string, () => Promise<unknown>, string, unknown?][] = [
    ['GET', () => client.me(), '/api/v1/me'],
    ['GET', () => client.catalog(), '/api/v1/catalog'],
    ['GET', () => client.status(), '/api/v1/status'],
    ['GET', () => client.queue(), '/api/v1/queue'],
    ['GET', () => client.pool(), '/api/v1/pool'],
    ['GET', () => client.agentStart(), '/api/v1/agent/start'],
    ['POST', () => client.uploads.create({ project: 'app', files: [file] }), '/api/v1/uploads'],
    ['GET', () => client.uploads.get('up_1'), '/api/v1/uploads/up_1'],
    [
      'POST',
      () => client.builds.create({ script: 'x', repo: 'a/b', pr: 3 }),
      '/api/v1/builds',
      { script: 'x', repo: 'a/b', pr: 3 },
    ],
    [
      'GET',
      () => client.builds.list({ status: 'active', repo: 'a/b', pr: 1, q: 'x y', limit: 5 }),
      '/api/v1/builds?status=active&repo=a%2Fb&pr=1&q=x+y&limit=5',
    ],
    ['GET', () => client.builds.get(id), `/api/v1/builds/${id}`],
    ['GET', () => client.builds.wait(id, { timeoutS: 1 }), `/api/v1/builds/${id}/wait?timeout=1`],
    ['GET', () => client.builds.log.text(id), `/api/v1/builds/${id}/log`],
    ['GET', () => client.builds.log.tail(id, 1), `/api/v1/builds/${id}/log?tail=1`],
    ['GET', () => client.builds.log.segment(id, 2, { waitS: 0 }), `/api/v1/builds/${id}/log?offset=2&wait=0`],
    ['POST', () => client.builds.cancel(id), `/api/v1/builds/${id}/cancel`],
    ['GET', () => client.secrets.list(), '/api/v1/secrets'],
    ['PUT', () => client.secrets.set('TOKEN', 'v'), '/api/v1/secrets/TOKEN', { value: 'v' }],
    ['DELETE', () => client.secrets.delete('TOKEN'), '/api/v1/secrets/TOKEN'],
    ['GET', () => client.errors.list({ kind: 'build', key: 'self' }), '/api/v1/errors?kind=build&key=self'],
    ['GET', () => client.jobs.get('op_1'), '/api/v1/jobs/op_1'],
    [
      'POST',
      () => client.orders.quote({ tier: 'local', hours: 48, units: 2 }),
      '/api/v1/quote',
      { tier: 'local', hours: 48, units: 2 },
    ],
    [
      'POST',
      () => client.orders.create({ tier: 'local', hours: 24, start: 'now', setup: { xcode: '16.2' } }),
      '/api/v1/orders',
      { tier: 'local', hours: 24, start: 'now', setup: { xcode: '16.2' } },
    ],
    ['GET', () => client.orders.list(), '/api/v1/orders'],
    [
      'GET',
      () => client.orders.list({ status: 'awaiting_payment' }),
      '/api/v1/orders?status=awaiting_payment',
    ],
    ['GET', () => client.orders.get(order), `/api/v1/orders/${order}`],
    ['GET', () => client.orders.wait(order, { timeoutS: 1 }), `/api/v1/orders/${order}/wait?timeout=1`],
    ['GET', () => client.orders.waitUntilSettled(settled), `/api/v1/orders/${settled}/wait?timeout=60`],
    ['GET', () => client.rentals.list(), '/api/v1/rentals'],
    ['GET', () => client.rentals.get(mac), `/api/v1/rentals/${mac}`],
    [
      'PATCH',
      () => client.rentals.setUp(mac, { runtimes: [], tools: ['cocoapods'], when: 'now' }),
      `/api/v1/rentals/${mac}`,
      { runtimes: [], tools: ['cocoapods'], when: 'now' },
    ],
    [
      'POST',
      () => client.rentals.quoteExtension(mac, 24),
      `/api/v1/rentals/${mac}/extend/quote`,
      { hours: 24 },
    ],
    [
      'POST',
      () => client.rentals.quoteExtensions([mac, other], 48),
      '/api/v1/rentals/extend/quote',
      { rental_ids: [mac, other], hours: 48 },
    ],
    ['POST', () => client.rentals.extend(mac, 24), `/api/v1/rentals/${mac}/extend`, { hours: 24 }],
    [
      'POST',
      () => client.rentals.extendAll([mac, other], 24),
      '/api/v1/rentals/extend',
      { rental_ids: [mac, other], hours: 24 },
    ],
    [
      'POST',
      () => client.maintenance.reset(other, { keep_cache: true, when: 'after_build' }),
      `/api/v1/rentals/${other}/reset`,
      { keep_cache: true, when: 'after_build' },
    ],
    [
      'POST',
      () => client.maintenance.selectXcode(third, { version: '16.0' }),
      `/api/v1/rentals/${third}/xcode`,
      { version: '16.0' },
    ],
    [
      'POST',
      () => client.maintenance.resetMany({ all: true }, { keep_cache: true }),
      '/api/v1/rentals/reset',
      { all: true, keep_cache: true },
    ],
    [
      'POST',
      () => client.maintenance.selectXcodeMany({ ids: [mac] }, { version: '16.0', when: 'now' }),
      '/api/v1/rentals/xcode',
      { ids: [mac], version: '16.0', when: 'now' },
    ],
    ['GET', () => client.jobs.waitUntilEnded('op_1'), '/api/v1/jobs/op_1'],
    ['GET', () => client.waitlist.list(), '/api/v1/waitlist'],
    [
      'POST',
      () => client.waitlist.add({ tier: 'local', units: 9 }),
      '/api/v1/waitlist',
      { tier: 'local', units: 9 },
    ],
    ['DELETE', () => client.waitlist.cancel('wl_1'), '/api/v1/waitlist/wl_1'],
    [
      'GET',
      () => client.files.list({ kind: 'artifact', job_id: id }),
      `/api/runner/v1/files?kind=artifact&job_id=${id}`,
    ],
    ['GET', () => client.files.artifactAddress(id, 'f_1'), `/api/runner/v1/jobs/${id}/artifacts/f_1`],
  ];
  for (const [method, call, path, body] of table) {
    service.requests.length = 0;
    await call();
    const [request, ...others] = service.requests;
    t.equal(others.length, 0, `${method} ${path} is one request`);
    t.match(request, {
      method,
      path,
      headers: { authorization: `Bearer ${KEY}`, 'service-error-format': '2' },
    });
    t.equal(
      request?.headers['idempotency-key'] !== undefined,
      method === 'POST' || method === 'PATCH' || method === 'DELETE',
      'what would not come to the same a second time has a key, and nothing else',
    );
    if (body) t.same(JSON.parse(String(request?.body)), body);
  }
});

t.test('a priority can be changed while the build waits', async (t) => {
  const service = await startScriptedService();
  t.teardown(service.close);
  service.onSubmit = () => undefined;
  const client = clientOf(service);
  const { id } = await client.builds.create({ script: 'make', repo: 'a/b' });
  t.equal((await client.builds.setPriority(id, 1)).priority, 1);
  service.builds.get(id)?.append('x');
  t.match(await failureOf(client.builds.setPriority(id, 0)), { code: 'build_not_queued', status: 409 });
});

t.test('an address needs no more than its origin', (t) => {
  const table: [string, string, string][] = [
    ['http://h:1', 'http://h:1/api/v1', 'http://h:1/api/runner'],
    ['http://h:1/', 'http://h:1/api/v1', 'http://h:1/api/runner'],
    ['https://h/api/v1/', 'https://h/api/v1', 'https://h/api/runner'],
    ['https://h/macs/api/v1', 'https://h/macs/api/v1', 'https://h/macs/api/runner'],
  ];
  for (const [url, baseUrl, runnerUrl] of table)
    t.match(createClient({ url, key: KEY }), { baseUrl, runnerUrl });
  t.throws(() => createClient({ url: 'ftp://h', key: KEY }), TypeError);
  t.throws(() => createClient({ url: 'nonsense', key: KEY }), TypeError);
  t.end();
});

t.test('an error carries every field of the envelope', async (t) => {
  const service = await startScriptedService();
  t.teardown(service.close);
  const client = clientOf(service);
  const error = {
    code: 'rental_busy',
    message: 'a build is running',
    retryable: false,
    retry_after_s: 7,
    fault: 'client',
    failure: { category: 'customer', summary: 'x' },
    docs: 'https://h/docs/errors/rental_busy',
    request_id: 'req_1',
    next: [{ action: 'wait', method: 'POST', path: '/api/v1/x', body: { when: 'now' } }],
    options: ['15.1'],
  };
  service.instead('GET /queue', { status: 409, error });
  const failure = await failureOf(client.queue());
  t.match(failure, {
    code: error.code,
    message: error.message,
    status: 409,
    retryable: false,
    retryAfterS: 7,
    fault: 'client',
    failure: error.failure,
    docs: error.docs,
    requestId: 'req_1',
    next: error.next,
    detail: { options: ['15.1'] },
  });
  t.match(JSON.parse(JSON.stringify(failure)), error, 'and keeps the service’s spelling as JSON');

  const answers: [string, object, object][] = [
    [
      'the older form',
      { text: JSON.stringify({ error: 'queue_full', error_detail: { message: 'm', retryable: false } }) },
      { code: 'queue_full', message: 'm' },
    ],
    [
      'family B',
      { text: JSON.stringify({ error: { code: 'invalid_request', details: { fields: ['limit'] } } }) },
      { code: 'invalid_request', detail: { details: { fields: ['limit'] } } },
    ],
    ["a proxy's page", { text: '<html>' }, { code: BAD_RESPONSE, retryable: false, status: 400 }],
    ['JSON of somebody else', { text: '[1]' }, { code: BAD_RESPONSE }],
    ['an id in the header alone', { text: '{}', headers: { 'x-request-id': 'h_1' } }, { requestId: 'h_1' }],
  ];
  for (const [name, answer, expected] of answers) {
    service.instead('GET /queue', { status: 400, ...answer });
    t.match(await failureOf(client.queue()), expected, name);
  }
  service.instead('GET /queue', { status: 200, text: '<html>' });
  t.match(await failureOf(client.queue()), { code: BAD_RESPONSE, status: 200 }, 'a page instead of JSON');
  service.instead('GET /queue', { status: 302, headers: { location: 'https://elsewhere' } });
  t.match(await failureOf(client.queue()), { status: 302 }, 'a redirect is not followed: the key stays here');
});

t.test('what is retryable is repeated with growing waits, and no longer than allowed', async (t) => {
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
  await client.builds.create(
    { script: 'x', repo: 'a/b' },
    { idempotencyKey: 'mine', retry: { attempts: 2 } },
  );
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
    { numRuns: 20 },
  );
});

t.test('nobody listens, somebody falls silent, or the caller gives up', async (t) => {
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
  const early = await Promise.race([
    waited,
    new Promise((resolve) => setImmediate(() => resolve('still waiting'))),
  ]);
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

t.test('an https address at which nobody speaks TLS is said in words', async (t) => {
  const service = await startScriptedService();
  t.teardown(service.close);
  const url = service.url.replace('http:', 'https:');
  for (const fetch of [undefined, createNodeFetch(process.env).fetch]) {
    const client = createClient({ url, key: KEY, retry: { attempts: 1 }, ...(fetch ? { fetch } : {}) });
    const message = /cannot reach https:.*does not speak TLS; is it an http:\/\/ address\?$/;
    t.match(await failureOf(client.me()), { code: UNREACHABLE, message });
  }
});

t.test(
  'uploads: a manifest is packed, blobs and tars stream, bodies are made anew for a repetition',
  async (t) => {
    const service = await startScriptedService();
    t.teardown(service.close);
    const client = clientOf(service);
    const manifest = {
      project: 'app',
      files: [{ path: 'ä', sha256: 'b'.repeat(64), size: 1, mode: 493 as const }],
    };
    const upload = await client.uploads.create(manifest);
    t.match(upload, { id: 'up_1', missing: ['b'.repeat(64)], missing_bytes: 1 });
    const sent = service.seen('POST /uploads').at(-1)!;
    t.same(JSON.parse(gunzipSync(sent.body).toString()), manifest);
    t.equal(sent.headers['content-type'], 'application/gzip');

    for (const fetch of [undefined, createNodeFetch(process.env).fetch]) {
      const through = clientOf(service, fetch ? { fetch } : {});
      service.instead('POST /uploads/up_1/blobs', { status: 503, text: '' }, 1);
      service.instead('POST /uploads/up_1/blobs', { text: '{"stored":0}', status: 200 }, 1);
      service.requests.length = 0;
      let made = 0;
      const body = async function* () {
        made++;
        for (let n = 0; n < 50; n++) yield Buffer.alloc(10_000, n);
      };
      t.same(await through.uploads.blobs('up_1', body), { stored: 0 });
      t.equal(made, 2);
      t.same(
        service.requests.map((request) => request.body.length),
        [500_000, 500_000],
      );
      const broken = through.uploads.blobs('up_1', async function* () {
        yield Buffer.alloc(10);
        throw new RangeError('the disk is gone');
      });
      await t.rejects(
        broken,
        { name: 'RangeError', message: 'the disk is gone' },
        'a body that fails is not "unreachable"',
      );
    }

    service.instead('POST /uploads/tar', { status: 201, text: '{"upload_id":"up_9"}' });
    t.equal((await client.uploads.tar(() => Buffer.from('x'), { project: 'app' })).upload_id, 'up_9');
    t.match(service.requests.at(-1), {
      path: '/api/v1/uploads/tar?project=app',
      headers: { 'content-type': 'application/gzip' },
    });
  },
);

t.test('artifacts: all pages, and a download that does not hand the key to the signed address', async (t) => {
  const service = await startScriptedService();
  t.teardown(service.close);
  service.onSubmit = (build) => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) build.addArtifact(name, name.repeat(100_000));
    build.finish({ status: 'succeeded', exit_code: 0 });
  };
  const client = clientOf(service);
  const { id } = await client.builds.create({ script: 'x', repo: 'a/b' });
  const found = [];
  for await (const file of client.files.artifactsOf(id)) found.push(file);
  t.same(
    found.map((file) => file.name),
    ['a', 'b', 'c', 'd', 'e'],
  );
  const chunks = [];
  for await (const chunk of client.files.downloadArtifact(id, found[1]!.id)) chunks.push(chunk);
  t.equal(Buffer.concat(chunks).toString(), 'b'.repeat(100_000));
  t.equal(service.seen('GET /signed/*').at(-1)?.headers.authorization, undefined);
  service.instead('DELETE /v1/files/f_1', { status: 204 });
  t.equal(await client.files.delete('f_1'), undefined);
  service.instead('DELETE /v1/files/f_1', { status: 409, error: { code: 'file_in_use', retryable: false } });
  t.match(await failureOf(client.files.delete('f_1')), { code: 'file_in_use' });
});

t.test('the log in its four forms', async (t) => {
  const service = await startScriptedService();
  t.teardown(service.close);
  service.onSubmit = (build) => build.append('one\ntwo é\nthree\n');
  for (const fetch of [undefined, createNodeFetch(process.env).fetch]) {
    const client = clientOf(service, { clock: { ...noWaiting().clock }, ...(fetch ? { fetch } : {}) });
    const { id } = await client.builds.create({ script: 'x', repo: 'a/b' });
    const { log } = client.builds;
    t.equal(await log.text(id), 'one\ntwo é\nthree\n');
    t.equal(await log.tail(id, 2), 'two é\nthree\n');
    t.match(await log.segment(id, 4), { offset: 4, next_offset: 17, data: 'two é\nthree\n', eof: false });
    t.match(await failureOf(log.segment(id, 99)), { code: 'invalid_offset' });

    let streamed = '';
    for await (const bytes of log.stream(id, { waitS: 60 })) {
      streamed += Buffer.from(bytes).toString();
      if (streamed.endsWith('three\n')) service.builds.get(id)?.append('four\n');
      if (streamed.endsWith('four\n')) service.builds.get(id)?.finish({ status: 'succeeded', exit_code: 0 });
    }
    t.equal(streamed, 'one\ntwo é\nthree\nfour\n');

    const running = await client.builds.create({ script: 'x', repo: 'a/b' });
    const abort = new AbortController();
    const reason = new Error('enough');
    const endless = async () => {
      for await (const _ of log.stream(running.id, { waitS: 60, signal: abort.signal })) abort.abort(reason);
    };
    await t.rejects(endless(), reason, 'a stream ends with its signal');
    for await (const _ of log.stream(running.id, { waitS: 60 })) break;
    for await (const segment of log.follow(running.id, { offset: 4 })) {
      t.equal(segment.data, 'two é\nthree\n', 'a follower can begin anywhere, and be left');
      break;
    }
  }
});

t.test('a follower loses and repeats no byte, wherever its connection is cut', async (t) => {
  const service = await startScriptedService();
  const proxy = await startCuttingProxy(service.url);
  const network = createNodeFetch(process.env);
  t.teardown(async () => {
    network.close();
    await proxy.close();
    await service.close();
  });
  const log = 'first line\nsecond: é ß 漢字 😀\n\u001b[31mred\u001b[0m\nlast line without a break';
  service.onSubmit = (build) => {
    build.append(log);
    build.finish({ status: 'succeeded', exit_code: 0 });
  };
  const collect = async (client: Client, id: string) => {
    let text = '';
    let offset = 0;
    for await (const segment of client.builds.log.follow(id)) {
      if (segment.offset !== offset) throw new Error(`segment at ${segment.offset} after ${offset}`);
      offset = segment.next_offset;
      text += segment.data;
    }
    return text;
  };
  const collectBytes = async (client: Client, id: string) => {
    const pieces = [];
    for await (const bytes of client.builds.log.followBytes(id)) pieces.push(bytes);
    return Buffer.concat(pieces).toString('latin1');
  };
  const direct = clientOf(service);
  const { id } = await direct.builds.create({ script: 'x', repo: 'a/b' });
  const whole = await fetch(`${service.url}/builds/${id}/log?offset=0`, {
    headers: { authorization: `Bearer ${KEY}` },
  });
  const headers = [...whole.headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 60);
  const bytes = headers + (await whole.arrayBuffer()).byteLength;

  let wrong = 0;
  const cuts = everyNth(4, [...Array(bytes + 1).keys()]);
  for (const cut of cuts) {
    // A connection of its own for each request: every one of them starts at the beginning of an answer.
    const client = clientOf(proxy, {
      fetch: (url, init) =>
        network.fetch(url, { ...init, headers: { ...init.headers, connection: 'close' } }),
    });
    proxy.cuts.splice(0, proxy.cuts.length, cut, Math.floor(cut / 2));
    if ((await collect(client, id)) !== log) wrong++;
  }
  t.equal(wrong, 0, `${cuts.length} cuts of ${bytes} bytes`);

  await t.test('and bytes that are no text, to a character that is never completed', async () => {
    const odd = Buffer.from('€ \xe2\x82 \x80\x80\x80\x80 \xff\xfe \xf0\x9f\x98\n\xe2\x82', 'latin1');
    service.onSubmit = (build) => {
      build.append(odd);
      build.finish({ status: 'succeeded', exit_code: 0 });
    };
    const { id } = await direct.builds.create({ script: 'x', repo: 'a/b' });
    const wrongAt: number[] = [];
    for (const cut of cuts) {
      const client = clientOf(proxy, {
        fetch: (url, init) =>
          network.fetch(url, { ...init, headers: { ...init.headers, connection: 'close' } }),
      });
      proxy.cuts.splice(0, proxy.cuts.length, cut, Math.floor(cut / 2));
      if ((await collectBytes(client, id)) !== odd.toString('latin1')) wrongAt.push(cut);
    }
    t.same(wrongAt, []);
  });

  await t.test('and with a log that grows meanwhile, over any cuts', async () => {
    service.onSubmit = () => undefined;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { minLength: 1, maxLength: 12 }),
        fc.array(fc.nat(400), { maxLength: 6 }),
        async (pieces, cuts) => {
          const build = await direct.builds.create({ script: 'x', repo: 'a/b' });
          const client = clientOf(proxy, { fetch: network.fetch });
          proxy.cuts.splice(0, proxy.cuts.length, ...cuts);
          const followed = Promise.all([collect(client, build.id), collectBytes(client, build.id)]);
          for (const piece of pieces) {
            service.builds.get(build.id)?.append(piece);
            await new Promise((resolve) => setImmediate(resolve));
          }
          service.builds.get(build.id)?.finish({ status: 'succeeded', exit_code: 0 });
          const bytes = Buffer.from(pieces.join(''));
          const [text, raw] = await followed;
          return text === bytes.toString() && raw === bytes.toString('latin1');
        },
      ),
      { numRuns: runs(12, 40) },
    );
  });
});

t.test('a build is waited for as long as it takes', async (t) => {
  const service = await startScriptedService();
  t.teardown(service.close);
  service.onSubmit = () => undefined;
  const client = clientOf(service);
  const { id } = await client.builds.create({ script: 'x', repo: 'a/b' });
  service.instead('GET /builds/*/wait', { status: 200, text: JSON.stringify({ id, status: 'running' }) }, 2);
  service.instead('GET /builds/*/wait', { cut: true }, 1);
  const waited = client.builds.waitUntilEnded(id);
  setTimeout(() => service.builds.get(id)?.finish({ status: 'failed', exit_code: 9 }), 30);
  t.match(await waited, { id, status: 'failed', exit_code: 9 });
});

t.test('an order is waited for until it is settled, and a job until it has ended', async (t) => {
  const service = await startScriptedService();
  t.teardown(service.close);
  const { renting } = service;
  const client = clientOf(service);
  const { order_no } = await client.orders.create({ tier: 'local', hours: 24, units: 2 });
  const waited = client.orders.waitUntilSettled(order_no);
  service.instead('GET /orders/*/wait', { cut: true }, 1);
  await service.untilSeen('GET /orders/*/wait', 1);
  renting.pay(order_no);
  const macs = renting.orders.get(order_no)?.rental_ids ?? [];
  for (const mac of macs) renting.prepared(mac);
  t.match(await waited, { status: 'ready', rental_ids: macs });

  const { waits, clock } = noWaiting();
  const patient = clientOf(service, { clock });
  const { job_id = '' } = await patient.maintenance.reset(macs[0] ?? '');
  const seen: string[] = [];
  const job = await patient.jobs.waitUntilEnded(job_id, {
    onLook(look) {
      seen.push(look.status);
      if (seen.length === 7) renting.changeJob(job_id, { status: 'failed', error: 'reset_failed' });
    },
  });
  t.match(job, { status: 'failed', error: 'reset_failed' });
  t.equal(seen.length, 8);
  t.same(waits, [250, 500, 1000, 2000, 3000, 3000, 3000], 'it is looked at less and less often');
});

t.test('a follower that is far behind catches up in few requests, over any cuts', async (t) => {
  const service = await startScriptedService();
  const proxy = await startCuttingProxy(service.url);
  const network = createNodeFetch(process.env);
  t.teardown(async () => {
    network.close();
    await proxy.close();
    await service.close();
  });
  const log = Array.from({ length: 300_000 }, (_, n) => `line ${n} é 漢字 😀`).join('\n');
  service.onSubmit = (build) => build.append(log);
  const { id } = await clientOf(service).builds.create({ script: 'x', repo: 'a/b' });
  const bytes = Buffer.byteLength(log);
  t.ok(bytes > 7_000_000);
  const finish = () => {
    service.builds.get(id)?.append('\nlast');
    service.builds.get(id)?.finish({ status: 'succeeded', exit_code: 0 });
  };
  const follow = async (client: Client, start: number) => {
    let text = '';
    let offset = start;
    for await (const segment of client.builds.log.follow(id, { offset: start })) {
      if (segment.offset !== offset) throw new Error(`segment at ${segment.offset} after ${offset}`);
      if (segment.offset + Buffer.byteLength(segment.data) !== segment.next_offset) throw new Error('cut');
      offset = segment.next_offset;
      text += segment.data;
      if (offset === bytes) finish();
    }
    return text;
  };
  t.equal(await follow(clientOf(service), 0), `${log}\nlast`);
  t.ok(service.seen('GET /builds/*/log').length <= 5, 'a request for each segment would be over thirty');

  for (const cuts of [[700_000], [400_000, 900_000, 300_001], [1, 300_000, 5, 2_000_003]]) {
    service.requests.length = 0;
    proxy.cuts.splice(0, proxy.cuts.length, ...cuts);
    const client = clientOf(proxy, {
      fetch: (url, init) =>
        network.fetch(url, { ...init, headers: { ...init.headers, connection: 'close' } }),
    });
    t.equal(await follow(client, 0), `${log}\nlast`, `cut after ${cuts.join(', ')} bytes`);
    t.ok(service.requests.length <= 5 + 2 * cuts.length, `${service.requests.length} requests`);
  }
});

t.test('the library needs nothing of Node and no package', (t) => {
  const seen = new Set<string>();
  const visit = (file: URL) => {
    if (seen.has(file.href)) return;
    seen.add(file.href);
    for (const [, from] of readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)) {
      if (!from?.startsWith('.')) t.fail(`${file.pathname} imports ${from}`);
      else visit(new URL(from, file));
    }
  };
  visit(new URL('../../client/index.js', import.meta.url));
  t.ok(seen.size > 10, `${seen.size} modules`);
  t.end();
});
