// A process that is replaced behind a load balancer, over real HTTP: /readyz tells the balancer first, requests that come
// meanwhile are answered, and so are those under way.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { createControlPlane } from '../../control-plane/index.js';
import { createLog } from '../../shared/log.js';
import { adminAt } from '../harness/admin.js';
import { until } from '../harness/until.js';

const OPERATOR = 'operator-token-of-this-test';

t.test('a service that stops', async (t) => {
  const data = mkdtempSync(join(tmpdir(), 'cidermill-stopping-'));
  t.teardown(() => rmSync(data, { recursive: true, force: true }));
  const env = {
    CIDERMILL_DATA: data,
    CIDERMILL_PORT: '0',
    CIDERMILL_OPERATOR_TOKEN: OPERATOR,
    CIDERMILL_STOP_NOTICE_MS: '2000',
  };
  const service = await createControlPlane({ env, log: createLog('service', 'silent') });
  t.teardown(() => service.stop());
  const admin = adminAt(service.siteUrl, OPERATOR);
  await admin('org', 'create', '--name', 'My Team');
  const { key } = await admin('key', 'create', '--org', 'my-team', '--name', 'ci', '--levels', 'read,build');
  const agent = new Agent({ keepAlive: true });
  t.teardown(() => agent.destroy());
  const open = (method: string, path: string, headers: Record<string, string | number> = {}) =>
    request(`${service.siteUrl}${path}`, { method, agent, headers: { authorization: `Bearer ${key}`, ...headers } });
  const answerTo = async (sent: ReturnType<typeof open>) => {
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, connection: answer.headers.connection, body: await text(answer) };
  };
  const get = (path: string) => answerTo(open('GET', path).end());
  t.match(await get('/readyz'), { status: 200, connection: 'keep-alive' });
  const body = JSON.stringify({ script: 'make', repo: 'apple/swift', queue_until_rental: true });
  const underWay = open('POST', '/api/v1/builds', {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  const answered = answerTo(underWay);
  underWay.write(body.slice(0, 10));
  const { id } = JSON.parse(
    (await answerTo(open('POST', '/api/v1/builds', { 'content-type': 'application/json' }).end(body))).body,
  );
  const polled = get(`/api/v1/builds/${id}/wait?timeout=60`);

  const stopped = service.stop();
  await until(async () => (await get('/readyz')).status === 503, 'it says so');
  t.match(await get('/readyz'), { status: 503, connection: 'close', body: 'not ready: stopping\n' });
  t.match(await get('/api/v1/me'), { status: 200, connection: 'close' }, 'what still comes is answered');
  t.match(await polled, { status: 200, connection: 'close' }, 'a long poll ends early');
  underWay.end(body.slice(10));
  t.match(await answered, { status: 201 }, 'a request whose body was on its way is carried out');
  await stopped;
  await t.rejects(get('/readyz'), { code: 'ECONNREFUSED' });
});
