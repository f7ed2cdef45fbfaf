// Upgrades that an address does not offer are ignored (RFC 9110, section 7.8), over real sockets.
// Requires: curl
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { startHarness } from '../harness/harness.js';
import { startLinkService } from '../harness/link-service.js';

/** Writes the texts, one after the answer to the other, and resolves with everything that came until the end. */
function talk(port: number, ...texts: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    const left = [...texts];
    const next = () => {
      const text = left.shift();
      if (text !== undefined) socket.write(text);
    };
    socket.on('data', (chunk) => {
      answer += chunk;
      next();
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
    next();
  });
}

const UPGRADE = 'Host: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n';

async function start(t: Test) {
  const service = await startHarness(t);
  // As the link does; without a listener Node ignores all upgrades itself.
  service.server.server.on('upgrade', (_, socket) => socket.end('HTTP/1.1 404 Not Found\r\n\r\n'));
  const port = Number(new URL(await service.server.listen({ port: 0, host: '127.0.0.1' })).port);
  return { ...service, port, key: `Authorization: Bearer ${service.keys.all}\r\n` };
}

t.test('a request with an unknown upgrade is answered as usual', async (t) => {
  const { port, key, call } = await start(t);
  const json = 'Content-Type: application/json\r\n';
  const statuses = (answer: string) => answer.match(/HTTP\/1\.1 \d+/g);
  for (const protocol of ['h2c', 'H2C', 'TLS/1.0', 'foo, bar', '']) {
    const upgrade = UPGRADE.replace('h2c', protocol);
    const answer = await talk(port, `GET /api/v1/status HTTP/1.1\r\n${upgrade}${key}\r\n`);
    t.same(statuses(answer), ['HTTP/1.1 200'], `${protocol}: ${answer}`);
    t.match(answer, /\r\n\r\n\{.*\}$/);
  }
  const put = (name: string, body: string) =>
    talk(port, `PUT /api/v1/secrets/${name} HTTP/1.1\r\n${UPGRADE}${key}${json}${body}`);
  t.match(await put('LENGTH', 'Content-Length: 19\r\n\r\n{"value":"with one"}'.slice(0, -1)), /^HTTP\/1\.1 4/);
  t.match(await put('LENGTH', 'Content-Length: 20\r\n\r\n{"value":"with one"}'), /^HTTP\/1\.1 20/);
  const chunks = 'Transfer-Encoding: chunked\r\n\r\nb\r\n{"value":"w\r\n9\r\nith one"}\r\n0\r\n\r\n';
  t.match(await put('CHUNKS', chunks), /^HTTP\/1\.1 20/);
  const names = (await call('GET', '/secrets')).json().secrets.map(({ name }: { name: string }) => name);
  t.same(names.sort(), ['CHUNKS', 'LENGTH'], 'bodies are read');
  const next = `GET /api/v1/status HTTP/1.1\r\nHost: x\r\n${key}\r\n`;
  const piped = await talk(port, `GET /api/v1/status HTTP/1.1\r\n${UPGRADE}${key}\r\n${next}`);
  t.match(piped, /^HTTP\/1\.1 200[\s\S]*connection: close/i, 'closed, so that the second request is repeated');
  const before = await talk(port, next, `GET /api/v1/status HTTP/1.1\r\n${UPGRADE}${key}\r\n`);
  t.same(statuses(before), ['HTTP/1.1 200', 'HTTP/1.1 200'], 'on a connection that was used before');
});

t.test('curl --http2 can use the service', async (t) => {
  const { port, keys } = await start(t);
  const curl = async (...args: string[]) => {
    const headers = ['-H', `Authorization: Bearer ${keys.all}`, '-H', 'Content-Type: application/json'];
    const written = ['-o', '/dev/null', '-w', '%{http_code} '];
    const { stdout } = await promisify(execFile)('curl', ['-sS', '--http2', ...headers, ...written, ...args]);
    return stdout.trim();
  };
  const url = `http://127.0.0.1:${port}/api/v1`;
  t.equal(await curl(`${url}/status`), '200');
  t.equal(await curl('-X', 'PUT', '-d', '{"value":"with one"}', `${url}/secrets/A`), '200');
  t.equal(await curl('-o', '/dev/null', `${url}/status`, `${url}/secrets`), '200 200', 'one after the other');
});

t.test('websockets reach the link only', async (t) => {
  const service = await startLinkService(t);
  const status = async (path: string) => {
    const socket = new WebSocket(`${service.siteUrl.replace('http', 'ws')}${path}`);
    const [, answer] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
    socket.on('error', () => undefined).terminate();
    return answer.statusCode;
  };
  t.same([await status('/'), await status('/api/v1/status'), await status('/link')], [404, 404, 401]);
  const { port, key } = await start(t);
  t.match(await talk(port, `GET /link HTTP/1.1\r\n${UPGRADE}\r\n`), /^HTTP\/1\.1 404 [\s\S]*not_found/);
  const several = 'Host: x\r\nConnection: Upgrade\r\nUpgrade: h2c, WebSocket\r\n';
  t.match(await talk(port, `GET /link?a HTTP/1.1\r\n${several}\r\n`), /^HTTP\/1\.1 404 Not Found\r\n\r\n$/);
  const elsewhere = await talk(port, `GET /api/v1/status HTTP/1.1\r\n${several}${key}\r\n`);
  t.match(elsewhere, /^HTTP\/1\.1 200 [\s\S]*"queue"/, 'answered as usual where no WebSocket is offered');
});
