// Requests that two readers could understand differently are refused: a header twice, half of a surrogate pair.
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { createSessionCookie } from '../../control-plane/access/http/session-cookie.js';
import { loneSurrogateIn } from '../../control-plane/platform/domain/well-formed-text.js';
import { startHarness } from '../harness/harness.js';
import { startLinkService } from '../harness/link-service.js';

/** Sends the lines and resolves with everything that was answered. */
function exchange(port: number, lines: readonly string[], body = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
    socket.write(`${[...lines, 'Connection: close', '', ''].join('\r\n')}${body}`);
  });
}

async function start(t: Test) {
  const service = await startHarness(t);
  await service.server.listen({ port: 0, host: '127.0.0.1' });
  const address = service.server.server.address();
  return { ...service, port: typeof address === 'object' && address ? address.port : 0 };
}

const JSON_LINE = 'Content-Type: application/json';

t.test('a header that may be given only once is refused when it is given twice', async (t) => {
  const { port, keys } = await start(t);
  const key = `Authorization: Bearer ${keys.all}`;
  const get = ['GET /api/v1/status HTTP/1.1', 'Host: x', key, 'Service-Error-Format: 2'];
  t.match(await exchange(port, get), /^HTTP\/1\.1 200 /);
  const twice: Record<string, readonly string[]> = {
    authorization: ['Authorization: Bearer cm_other'],
    'authorization, the same': [key],
    host: ['Host: y'],
    'host, the same': ['Host: x'],
    'idempotency-key': ['Idempotency-Key: a', 'Idempotency-Key: b'],
    origin: ['Origin: http://a', 'Origin: http://b'],
    range: ['Range: bytes=0-1', 'range: bytes=0-2'],
    'content-type': [JSON_LINE, 'Content-Type: text/plain'],
    'service-error-format': ['service-error-format: 1'],
  };
  for (const path of ['/api/v1/status', '/api/runner/v1/session', '/api/operator/v1/hosts', '/healthz', '/', '/x']) {
    const [, ...rest] = get;
    for (const [name, more] of Object.entries(twice)) {
      const answer = await exchange(port, [`GET ${path} HTTP/1.1`, ...rest, ...more]);
      t.match(answer, /^HTTP\/1\.1 400 /, `${path}: ${name}`);
      t.match(answer, new RegExp(`invalid_request.*${name.split(',')[0]}|${name.split(',')[0]}.*invalid_request`));
    }
  }
  const put = ['PUT /api/v1/secrets/A HTTP/1.1', 'Host: x', key, JSON_LINE];
  for (const length of ['16', '15']) {
    const lengths = ['Content-Length: 16', `Content-Length: ${length}`];
    t.match(await exchange(port, [...put, ...lengths], '{"value":"none"}'), /^HTTP\/1\.1 400 /, length);
  }
  const lists = ['Accept: a/b', 'Accept: c/d', 'X-Forwarded-For: 1.1.1.1', 'X-Forwarded-For: 2.2.2.2'];
  t.match(await exchange(port, [...get, ...lists, 'Cookie: a=b', 'Cookie: c=d']), /^HTTP\/1\.1 200 /);
});

t.test('a host with two credentials is not let in', async (t) => {
  const service = await startLinkService(t);
  const upgrade = ['GET /link HTTP/1.1', 'Host: x', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
  const key = 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==';
  const link = (...more: string[]) =>
    exchange(Number(new URL(service.siteUrl).port), [...upgrade, key, ...more, 'Connection: Upgrade']);
  t.match(await link('Authorization: Bearer cmh_a'), /^HTTP\/1\.1 401 /);
  t.match(await link('Authorization: Bearer cmh_a', 'Authorization: Bearer cmh_b'), /^HTTP\/1\.1 400 /);
  t.match(await link('Host: y'), /^HTTP\/1\.1 400 /, 'nor with two names of the service');
});

t.test('two different session cookies are no session', async (t) => {
  const cookie = createSessionCookie('http://127.0.0.1');
  t.equal(cookie.read('a=b; cidermill_session=one; c=d'), 'one');
  t.equal(cookie.read('cidermill_session=one; cidermill_session=one'), 'one');
  t.equal(cookie.read('cidermill_session=one; cidermill_session=two'), null);
  t.equal(cookie.read('a=b'), null);
});

t.test('half of a surrogate pair is refused in every body', async (t) => {
  const { inject, keys, api, console } = await startHarness(t);
  const headers = {
    authorization: `Bearer ${keys.all}`,
    'content-type': 'application/json',
    'service-error-format': '2',
  };
  const apis = [
    { root: '/api/v1', routes: api.routes },
    { root: '/api/runner', routes: console.routes },
  ];
  for (const { root, routes } of apis) {
    // Routes for sessions answer that a session is needed before they read the body.
    for (const { method, path, body, bodyBytes, consoleOnly } of routes) {
      if (!body || bodyBytes || consoleOnly) continue;
      const url = root + path.replace(/:([A-Za-z_]+)/g, 'x');
      for (const payload of ['{"script":"a \\ud800"}', '{"a":[{"\\uDFFF":1}]}', '"\\udc00\\ud800"']) {
        const answer = await inject({ method, url, headers, payload });
        if (answer.statusCode === 401 || answer.statusCode === 403) continue;
        t.equal(answer.statusCode, 400, `${method} ${url} ${payload}: ${answer.body}`);
      }
    }
  }
  const submit = (script: string) =>
    inject({ method: 'POST', url: '/api/v1/builds', headers, payload: `{"script":"${script}"}` });
  const refused = await submit('echo \\ud83d');
  t.equal(refused.statusCode, 400);
  t.match(refused.json().error, { code: 'invalid_json', message: /^script: / });
  for (const fine of ['echo \\ud83c\\udf4e', 'echo \\\\ud800', 'echo 🍎', 'echo \\\\\\\\ud800']) {
    t.not((await submit(fine)).json().error?.code, 'invalid_json', fine);
  }
  const upload = await inject({
    method: 'POST',
    url: '/api/v1/uploads',
    headers: { ...headers, 'content-type': 'application/gzip' },
    payload: gzipSync('{"project":"a","files":[{"path":"\\ud800","sha256":"x","size":1,"mode":420}]}'),
  });
  t.equal(upload.statusCode, 400);
  t.match(upload.json().error.message, /surrogate/);
});

t.test('half of a surrogate pair is refused in every body of the operators, too', async (t) => {
  const operatorToken = 'a-long-token-of-the-operator';
  const { inject, operator } = await startHarness(t, { operatorToken });
  const headers = { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' };
  const routes = operator.routes.filter(({ body }) => body);
  t.ok(routes.length > 0, 'there are bodies');
  for (const { method, path } of routes) {
    const url = `/api/operator${path.replace(/:([A-Za-z_]+)/g, 'x')}`;
    for (const payload of [
      '{"argv":["host","list","\\ud800"],"input":null}',
      '{"argv":["host","list"],"input":"\\udc00"}',
      '{"a":[{"\\uDFFF":1}]}',
      '"\\udc00\\ud800"',
    ]) {
      const answer = await inject({ method, url, headers, payload });
      t.equal(answer.statusCode, 400, `${method} ${url} ${payload}: ${answer.body}`);
    }
  }
});

t.test('lone surrogates are found in any JSON', async () => {
  const unit = fc.constantFrom('\ud83c', '\udf4e', '🍎', '\\', '"', 'u', 'd800', '\ud800', '\udfff', 'a', '\n');
  fc.assert(
    fc.property(fc.string({ unit }), (text) => {
      // JSON.stringify escapes lone surrogates alone; here pairs are escaped too.
      const escaped = JSON.stringify(text).replace(
        /[\ud800-\udfff]/g,
        (half) => `\\u${half.charCodeAt(0).toString(16)}`,
      );
      return loneSurrogateIn(escaped) >= 0 === /\p{Surrogate}/u.test(text);
    }),
    { numRuns: 2_000 },
  );
});
