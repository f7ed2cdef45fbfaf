// Runs in: soak
import { connect } from 'node:net';
import t from 'tap';
import { z } from 'zod';
import {
  ApiError,
  type ErrorCode,
  errorCatalog,
  isRetryable,
} from '../../control-plane/platform/domain/error-catalog.js';
import type { AnyRoute } from '../../control-plane/platform/http/route.js';
import { startHarness } from '../harness/harness.js';
import { testRoute } from '../harness/test-route.js';

const codes = Object.keys(errorCatalog) as ErrorCode[];
const detail = { job_id: 'op_1', options: ['26.0'], code: 'not the code', request_id: 'not the id' };

/** A route in each API that fails with the code it is asked for. */
function failing(path: string): AnyRoute {
  return testRoute<unknown, { code: ErrorCode; wait?: string | undefined }>({
    method: 'GET',
    path,
    level: 'read',
    summary: 'For tests',
    query: z.object({ code: z.enum(codes), wait: z.string().optional() }),
    responses: { 200: z.object({}) },
    errors: codes,
    async handle({ query }) {
      throw new ApiError(query.code, { detail, ...(query.wait ? { retryAfterS: Number(query.wait) } : {}) });
    },
  });
}

const start = (t: Parameters<typeof startHarness>[0]) =>
  startHarness(t, { extraRoutes: () => [failing('/fail')], extraConsoleRoutes: () => [failing('/v1/fail')] });

t.test('every code has both error formats with the same content', async (t) => {
  const { inject, keys, siteUrl } = await start(t);
  for (const code of codes) {
    const { status, fault, message, retryAfterS } = errorCatalog[code];
    const send = (headers: Record<string, string>) =>
      inject({
        url: `/api/v1/fail?code=${code}&wait=7`,
        headers: { authorization: `Bearer ${keys.all}`, 'x-request-id': 'my-id', ...headers },
      });
    const two = await send({ 'service-error-format': '2' });
    const one = await send({});
    t.equal(two.statusCode, status, code);
    t.equal(one.statusCode, status);
    t.equal(two.headers['content-type'], 'application/json; charset=utf-8');
    t.equal(two.headers['retry-after'], '7');
    t.equal(one.json().error, code);
    t.same(Object.keys(one.json()), ['error', 'error_detail']);
    t.same(Object.keys(two.json()), ['error']);
    t.same(one.json().error_detail, two.json().error);
    const { next, ...content } = two.json().error;
    t.same(content, {
      code,
      message,
      retryable: retryAfterS !== null,
      retry_after_s: 7,
      fault,
      docs: `${siteUrl}/docs/errors/${code}`,
      request_id: 'my-id',
      job_id: 'op_1',
      options: ['26.0'],
    });
    t.ok(Array.isArray(next));
  }
});

t.test('what may be repeated says when, in body and header, and nothing else does', async (t) => {
  const { inject, keys } = await start(t);
  for (const code of codes) {
    const answer = await inject({
      url: `/api/v1/fail?code=${code}`,
      headers: { authorization: `Bearer ${keys.all}`, 'service-error-format': '2' },
    });
    const { retryable, retry_after_s } = answer.json().error;
    t.equal(typeof retry_after_s === 'number' && retry_after_s > 0, retryable, code);
    t.equal(answer.headers['retry-after'], retryable ? String(retry_after_s) : undefined, code);
  }
});

t.test('the console’s API has its error format for every code', async (t) => {
  const { callConsole } = await start(t);
  for (const code of codes) {
    const answer = await callConsole('GET', `/v1/fail?code=${code}`, { headers: { 'x-request-id': 'my-id' } });
    t.equal(answer.statusCode, errorCatalog[code].status);
    t.same(answer.json().error, {
      code,
      message: errorCatalog[code].message,
      request_id: 'my-id',
      retryable: isRetryable(code),
      details: detail,
    });
  }
});

t.test('every suggestion can be sent unchanged', async (t) => {
  const { call, inject, keys } = await start(t);
  for (const key of [keys.all, keys.read]) {
    for (const code of codes) {
      const { error } = (await call('GET', `/fail?code=${code}`, { key })).json();
      for (const next of error.next) {
        t.match(next, { action: String, method: String, path: /^\// });
        const answer = await inject({
          method: next.method,
          url: next.path,
          headers: { authorization: `Bearer ${key}`, 'service-error-format': '2' },
          ...(next.body ? { payload: next.body } : {}),
        });
        // The request that failed is repeated, and here it fails by design.
        const own = next.path.includes(`/fail?code=${code}`);
        // What it points to may be gone, but the address is right and the key may go there.
        const found = answer.statusCode === 404 && next.path.includes('op_1');
        t.ok(own || found || answer.statusCode === 200, `${code} suggests ${next.method} ${next.path}`);
      }
    }
  }
});

t.test('requests that a key is not allowed to send are not suggested', async (t) => {
  const { call, keys } = await start(t);
  const { error } = (await call('GET', '/me', { key: keys.build })).json();
  t.equal(error.code, 'api_key_write_only');
  t.same(error.next, [{ action: 'read_start', method: 'GET', path: '/agent-start.md' }]);
  const nobody = (await call('GET', '/me', { key: null })).json();
  t.same(nobody.error.next, [{ action: 'read_start', method: 'GET', path: '/agent-start.md' }]);
});

t.test('every response has a request id: the client’s if it is valid, else a new one', async (t) => {
  const { inject } = await start(t);
  for (const url of ['/api/v1/me', '/api/runner/v1/none', '/healthz', '/none', '/docs/errors/not_found', '/%zz']) {
    const given = await inject({ url, headers: { 'x-request-id': 'trace-42.a:b_c' } });
    t.equal(given.headers['x-request-id'], 'trace-42.a:b_c', url);
    const ids = new Set<unknown>();
    for (const bad of ['', 'a b', 'a\tb', 'ä', '<script>', 'x'.repeat(129), 'a"b', '{}']) {
      const answer = await inject({ url, headers: { 'x-request-id': bad } });
      t.match(answer.headers['x-request-id'], /^req_[0-9a-z]+$/, `${url} with ${bad}`);
      ids.add(answer.headers['x-request-id']);
    }
    t.equal(ids.size, 8, 'all of them differ');
  }
});

t.test('the message of an unexpected error is logged, but not sent', async (t) => {
  const lines: string[] = [];
  const { call, callConsole } = await startHarness(t, {
    log: (line) => lines.push(line),
    extraRoutes: () => [
      testRoute({
        method: 'GET',
        path: '/crash',
        level: 'read',
        summary: 'For tests',
        responses: { 200: z.object({}) },
        handle: async () => {
          throw new TypeError('the password is hunter2');
        },
      }),
      testRoute({
        method: 'GET',
        path: '/wrong',
        level: 'read',
        summary: 'For tests',
        responses: { 200: z.object({ must: z.string() }) },
        handle: async () => ({ status: 200, body: {} }),
      }),
    ],
  });
  for (const path of ['/crash', '/wrong']) {
    const answer = await call('GET', path);
    t.equal(answer.statusCode, 500);
    t.match(answer.json().error, {
      code: 'internal_error',
      fault: 'platform',
      retryable: true,
      retry_after_s: 1,
    });
    t.notMatch(answer.body, 'hunter2');
    t.same(answer.json().error.next, [{ action: 'retry', method: 'GET', path: `/api/v1${path}` }]);
  }
  t.ok(lines.some((line) => line.includes('hunter2') && line.includes('"level":50')));
  t.equal((await callConsole('GET', '/v1/none')).statusCode, 404);
});

t.test('undeclared fields are not sent', async (t) => {
  const { call } = await startHarness(t, {
    extraRoutes: () => [
      testRoute({
        method: 'GET',
        path: '/leak',
        level: 'read',
        summary: 'For tests',
        responses: {
          200: z.object({
            shown: z.string().nullable(),
            inner: z.object({ n: z.int() }).nullable(),
            list: z.array(z.object({ a: z.string().optional() })),
            either: z.union([z.string(), z.int()]),
          }),
        },
        handle: async () => ({
          status: 200,
          body: {
            shown: null,
            hidden: 'secret',
            inner: { n: 1, hidden: 'secret' },
            list: [{ a: 'x', hidden: 'secret' }, { hidden: 'secret' }],
            either: 7,
          },
        }),
      }),
    ],
  });
  t.equal((await call('GET', '/leak')).body, '{"shown":null,"inner":{"n":1},"list":[{"a":"x"},{}],"either":7}');
});

t.test('invalid HTTP gets a short response, and the connection is closed', async (t) => {
  const { server } = await start(t);
  const port = Number(new URL(await server.listen({ port: 0, host: '127.0.0.1' })).port);
  const speak = (text: string) =>
    new Promise<string>((resolve, reject) => {
      let heard = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      socket.setEncoding('utf8').on('data', (part) => (heard += part));
      socket.on('end', () => resolve(heard)).on('error', reject);
    });
  for (const [text, status] of [
    ['HELLO\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['POST /api/v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n', 400],
  ] as const) {
    const heard = await speak(text);
    t.match(heard, new RegExp(`^HTTP/1.1 ${status} `));
    t.match(JSON.parse(heard.slice(heard.indexOf('\r\n\r\n') + 4)).error.request_id, /^req_/);
  }
});
