// The library: what each method asks, and what it makes of an answer.
import { readFileSync } from 'node:fs';
import t from 'tap';
import { BAD_RESPONSE, createClient } from '../../client/index.js';
import { blankEntry, blankJob, clientOf, failureOf } from './client-rig.js';
import { KEY, startScriptedService } from './scripted-service.js';

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
    ['GET', () => client.uploads.get('up_1', { missingAfter: 'a' }), '/api/v1/uploads/up_1?missing_after=a'],
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
    ['GET', () => client.orders.list({ status: 'awaiting_payment' }), '/api/v1/orders?status=awaiting_payment'],
    ['GET', () => client.orders.get(order), `/api/v1/orders/${order}`],
    ['GET', () => client.orders.wait(order, { timeoutS: 1 }), `/api/v1/orders/${order}/wait?timeout=1`],
    ['GET', () => client.orders.waitUntilSettled(settled), `/api/v1/orders/${settled}/wait?timeout=60`],
    ['GET', () => client.rentals.list(), '/api/v1/rentals'],
    ['GET', () => client.rentals.list({ q: 'studio', limit: 5 }), '/api/v1/rentals?q=studio&limit=5'],
    ['GET', () => client.rentals.get(mac), `/api/v1/rentals/${mac}`],
    [
      'PATCH',
      () => client.rentals.setUp(mac, { runtimes: [], tools: ['cocoapods'], when: 'now' }),
      `/api/v1/rentals/${mac}`,
      { runtimes: [], tools: ['cocoapods'], when: 'now' },
    ],
    ['PATCH', () => client.rentals.rename(mac, 'studio'), `/api/v1/rentals/${mac}`, { name: 'studio' }],
    ['POST', () => client.rentals.quoteExtension(mac, 24), `/api/v1/rentals/${mac}/extend/quote`, { hours: 24 }],
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
    ['POST', () => client.waitlist.add({ tier: 'local', units: 9 }), '/api/v1/waitlist', { tier: 'local', units: 9 }],
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

t.test('an address needs no more than its origin', async (t) => {
  const table: [string, string, string][] = [
    ['http://h:1', 'http://h:1/api/v1', 'http://h:1/api/runner'],
    ['http://h:1/', 'http://h:1/api/v1', 'http://h:1/api/runner'],
    ['https://h/api/v1/', 'https://h/api/v1', 'https://h/api/runner'],
    ['https://h/macs/api/v1', 'https://h/macs/api/v1', 'https://h/macs/api/runner'],
  ];
  for (const [url, baseUrl, runnerUrl] of table) t.match(createClient({ url, key: KEY }), { baseUrl, runnerUrl });
  t.throws(() => createClient({ url: 'ftp://h', key: KEY }), TypeError);
  t.throws(() => createClient({ url: 'nonsense', key: KEY }), TypeError);
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
      'the console’s API',
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

t.test('the library needs nothing of Node and no package', async (t) => {
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
});
