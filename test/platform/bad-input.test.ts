// Whatever is sent to whatever route: an error of the catalog, never a 500.
// Runs in: soak
import { request as httpRequest } from 'node:http';
import fc from 'fast-check';
import t from 'tap';
import { errorCatalog } from '../../control-plane/platform/domain/error-catalog.js';
import { anyCharacter } from '../harness/any-character.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { cases, runs, stride } from '../harness/soak.js';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Every route of both APIs with its address; parameters are filled in by `fill`. */
function addresses({ api, console }: Harness, fill: (name: string) => string) {
  return [
    { root: '/api/v1', routes: api.routes },
    { root: '/api/runner', routes: console.routes },
  ].flatMap(({ root, routes }) =>
    routes.map((route) => ({
      route,
      method: route.method,
      url: root + route.path.replace(/:([A-Za-z_]+)/g, (_, name: string) => fill(name)),
    })),
  );
}

/** Any declared answer but a 500; the harness refuses undeclared ones. */
async function fine(t: Test, service: Harness, request: Parameters<Harness['inject']>[0], about: string) {
  const answer = await service.inject({
    ...request,
    headers: { authorization: `Bearer ${service.keys.all}`, 'service-error-format': '2', ...request.headers },
  });
  if (answer.statusCode >= 500) t.fail(`${about}: ${answer.statusCode} ${answer.body}`);
  if (answer.statusCode >= 400 && request.method !== 'HEAD') {
    const { code, message } = answer.json().error;
    if (/invalid input|too (big|small)|received/i.test(message)) t.fail(`${about}: "${message}"`);
    if (!Object.hasOwn(errorCatalog, code)) t.fail(`${about}: ${code} is not in the catalog`);
  }
  return answer;
}
type Test = Parameters<typeof startHarness>[0];

const names = [
  'x',
  '%00',
  '%F0%9F%8D%8E',
  '..',
  '%2e%2e%2f',
  'constructor',
  '__proto__',
  'a'.repeat(1_500),
  '%27%3B--',
  '%25',
  '+',
  '*',
  'NaN',
  '-1',
  '%ED%A0%80',
  '%C3%28',
];

t.test('unusual path parameters', async (t) => {
  const service = await startHarness(t);
  for (const [n, name] of names.entries()) {
    // The default run tests every name and every address, but not every combination.
    for (const [at, { method, url }] of addresses(service, () => name).entries()) {
      if ((n + at) % stride(16) !== 0) continue;
      // A route that reads its own body is sent none.
      await fine(t, service, { method, url }, `${method} ${url}`);
    }
  }
  for (const url of ['/api/v1/%', '/api/v1/secrets/%zz', '/api/runner/v1/%c3%28', '/%', '/docs/errors/%']) {
    t.equal((await service.inject({ url })).statusCode, 404, url);
  }
  t.pass('no 500');
});

t.test('unusual queries', async (t) => {
  const service = await startHarness(t);
  const values = [
    '',
    ' ',
    '-1',
    '1.5',
    '1e3',
    '0x10',
    'NaN',
    'null',
    'true',
    '%00',
    '%zz',
    '%F0%9F',
    '9'.repeat(400),
    '[]',
  ];
  const parameters = [
    'limit',
    'before',
    'offset',
    'wait',
    'timeout',
    'tail',
    'since',
    'from',
    'to',
    'status',
    'q',
    'pr',
  ];
  const queries = [
    ...values.flatMap((value) => [parameters.map((name) => `${name}=${value}`).join('&')]),
    ...parameters.flatMap((name) => values.map((value) => `${name}=${value}`)).filter((_, at) => at % stride(10) === 0),
    ...parameters.map((name) => `${name}=1&${name}=2`),
    ...parameters.map((name) => `${name}[]=1`),
    '__proto__=1',
    'constructor=1',
    '__proto__[x]=1',
    '&&&===',
    '%',
    '?',
    '#',
    'a=%',
    `${'x=1&'.repeat(500)}`,
  ];
  for (const [n, { method, url, route }] of addresses(service, () => 'x').entries()) {
    if (method !== 'GET') continue;
    // By default every query goes to a third of the routes; in a soak run to all.
    for (const [at, query] of (route.query ? queries : queries.slice(-9)).entries()) {
      if ((n + at) % runs(3, 1) !== 0) continue;
      await fine(t, service, { method, url: `${url}?${query}` }, `${method} ${url}?${query.slice(0, 80)}`);
    }
  }
  const asked = async (query: string) => (await service.call('GET', `/builds?${query}`)).json().error.message;
  t.equal(await asked('limit=1&limit=2'), 'limit: is given more than once');
  t.match(await asked('status=done'), /^status: must be one of queued, running, .*active$/);
  for (const [query, code] of [
    ['limit=0', 'invalid_query'],
    ['limit=201', 'invalid_query'],
    ['limit=1&limit=1', 'invalid_query'],
    ['since=yesterday', 'invalid_time'],
    ['since=2026-02-30', 'invalid_time'],
    ['key=other', 'invalid_query'],
    ['kind=other', 'invalid_query'],
    ['before=x', 'invalid_query'],
  ] as const) {
    const answer = await service.call('GET', `/errors?${query}`);
    t.equal(answer.json().error?.code, code, query);
    t.match(answer.json().error.fields, [{ path: query.split('=')[0], message: String }]);
  }
});

t.test('bodies that are not JSON, or of the wrong shape', async (t) => {
  const service = await startHarness(t);
  const bodies: (string | Buffer)[] = [
    '',
    ' ',
    '{',
    '[',
    '"',
    'nul',
    '{"a":}',
    '{a:1}',
    "{'a':1}",
    '\u0000',
    '{} {}',
    '\ufeff',
    '{"a":1,}',
    'null',
    'true',
    '0',
    '""',
    '[]',
    '{}',
    '[{}]',
    '1e999',
    '-0',
    '{"__proto__":{"x":1}}',
    '{"constructor":{"prototype":{"x":1}}}',
    '{"value":"\\ud800"}',
    '{"value":"\\u0000"}',
    '{"value":1}',
    '{"value":null}',
    '{"value":{}}',
    '{"value":[]}',
    '{"value":"","value":"x"}',
    '['.repeat(100_000),
    `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
    Buffer.from([0xff, 0xfe, 0x7b]),
    Buffer.from('{"value":"\xff"}', 'latin1'),
  ];
  const writing = addresses(service, () => 'NAME').filter(({ method }) => method !== 'GET');
  for (const [n, { method, url }] of writing.entries()) {
    for (const [at, payload] of bodies.entries()) {
      if ((n + at) % runs(3, 1) !== 0) continue;
      const both = [JSON_TYPE, { ...JSON_TYPE, 'idempotency-key': 'k' }];
      for (const headers of at % 2 === 0 ? both.slice(0, runs(1, 2)) : both.slice(runs(1, 0))) {
        await fine(t, service, { method, url, payload, headers }, `${method} ${url} ${String(payload).slice(0, 40)}`);
      }
    }
  }
  const put = (payload: string | Buffer) =>
    fine(t, service, { method: 'PUT', url: '/api/v1/secrets/A', payload, headers: JSON_TYPE }, 'PUT');
  for (const broken of ['{', '{"value":"x"', Buffer.from([0xff])]) {
    t.equal((await put(broken)).json().error.code, 'invalid_json');
  }
  t.equal((await put('\uFEFF{"value":"v"}')).statusCode, 200, 'a byte order mark is skipped');
  for (const wrong of ['', '[]', '{}', '{"value":1}', 'null']) {
    t.equal((await put(wrong)).json().error.code, 'invalid_secret_value', wrong);
  }
  const said = async (body: object) => (await service.call('POST', '/builds', { body })).json().error.message;
  t.equal(await said({}), 'script: required');
  t.equal(await said({ script: 1 }), 'script: must be a string');
  t.equal(await said({ script: 'x', timeout_min: 361 }), 'timeout_min: must be at most 360');
  t.equal(await said({ script: 'x', timeout_min: 1.5 }), 'timeout_min: must be a whole number');
  t.equal(await said({ script: 'x', clean_tree: 'yes' }), 'clean_tree: must be true or false');
  t.notMatch((await put('{"value": "hunter2')).body, 'hunter2', 'what was sent is not quoted');
  t.equal(Reflect.get({}, 'x'), undefined, 'nothing got into the prototype');
});

t.test('content types and sizes', async (t) => {
  const service = await startHarness(t);
  const send = (headers: Record<string, string>, payload: string) =>
    fine(t, service, { method: 'PUT', url: '/api/v1/secrets/A', headers, payload }, JSON.stringify(headers));
  for (const type of [
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/vnd.x+json',
  ]) {
    t.equal((await send({ 'content-type': type }, '{"value":"v"}')).statusCode, 200, type);
  }
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'nonsense',
    '',
    ';',
    'a/b; c="',
  ]) {
    const answer = await send({ 'content-type': type }, '{"value":"v"}');
    t.equal(answer.statusCode, 400, type);
    t.equal(answer.json().error.code, 'invalid_json');
  }
  const large = JSON.stringify({ value: 'x'.repeat(service.limits.json_body_bytes) });
  const answer = await send(JSON_TYPE, large);
  t.equal(answer.statusCode, 413);
  t.equal(answer.json().error.code, 'payload_too_large');
  t.equal((await send({ ...JSON_TYPE, 'content-length': '-1' }, '')).statusCode, 400);
});

t.test('over a real socket, a client whose body is refused still gets the response', async (t) => {
  const service = await startHarness(t);
  const port = Number(new URL(await service.server.listen({ port: 0, host: '127.0.0.1' })).port);
  const send = (bytes: number, headers: Record<string, string | number>) =>
    new Promise<number>((resolve, reject) => {
      const request = httpRequest({
        port,
        method: 'PUT',
        path: '/api/v1/secrets/A',
        headers: { ...JSON_TYPE, ...headers },
      });
      request.on('response', (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      request.on('error', reject);
      request.end(Buffer.alloc(bytes, 0x20));
    });
  const key = { authorization: `Bearer ${service.keys.all}` };
  const size = 8 * 1024 * 1024;
  for (let i = 0; i < runs(1, 5); i++) {
    t.equal(await send(size, { ...key, 'content-length': size }), 413);
    t.equal(await send(size, { ...key, 'transfer-encoding': 'chunked' }), 413);
    t.equal(await send(size, { 'content-length': size }), 401);
  }
});

t.test('HEAD and OPTIONS work for every path', async (t) => {
  const service = await startHarness(t);
  for (const { method, url } of addresses(service, () => 'x')) {
    const options = await service.inject({ method: 'OPTIONS', url });
    t.equal(options.statusCode, 204);
    t.ok(String(options.headers.allow).split(', ').includes(method));
    if (method !== 'GET') continue;
    const head = await fine(t, service, { method: 'HEAD', url }, `HEAD ${url}`);
    t.equal(head.body, '');
  }
});

t.test('random requests', async (t) => {
  const service = await startHarness(t);
  const all = addresses(service, () => 'x');
  const text = fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom(...names));
  await fc.assert(
    fc.asyncProperty(
      fc.nat(all.length - 1),
      fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
      text,
      fc.dictionary(fc.string(), fc.string(), { maxKeys: 4 }),
      fc.oneof(
        fc.jsonValue().map((value) => JSON.stringify(value)),
        fc.string({ unit: anyCharacter }),
      ),
      async (which, method, segment, query, payload) => {
        const base = all[which]?.url ?? '/';
        const url = `${base.replace(/\/x(?=\/|$)/, () => `/${encodeURIComponent(segment.replace(/\p{Surrogate}/gu, '?'))}`)}?${new URLSearchParams(query)}`;
        // Routes that read their body themselves wait for it; they have tests of their own.
        if (all[which]?.route.rawBody) return;
        const request = method === 'GET' ? { method, url } : { method, url, payload, headers: JSON_TYPE };
        await fine(t, service, request, `${method} ${url}`);
      },
    ),
    { numRuns: cases(40) },
  );
  t.pass('no 500');
});
