// Limits of an account's open long polls, followed logs and uploads, over real connections.
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import t, { type Test } from 'tap';
import { type Harness, startHarness } from '../harness/harness.js';
import { submit, withMacs } from '../harness/submitting.js';
import { until } from '../harness/until.js';

async function open(h: Harness) {
  const { port } = new URL(await h.server.listen({ port: 0, host: '127.0.0.1' }));
  const agents: ClientRequest[] = [];
  const count = async (kind: 'parked' | 'upload') => {
    const text = (await h.inject({ url: '/metrics' })).body;
    return Number(new RegExp(`^cidermill_open_requests\\{kind="${kind}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
  };
  return {
    port: Number(port),
    /** Sends a request with an unfinished body on a new connection. */
    send(path: string, key: string, body?: { type: string; start: string }): ClientRequest {
      const headers = {
        authorization: `Bearer ${key}`,
        'service-error-format': '2',
        ...(body ? { 'content-type': body.type } : {}),
      };
      const options = { port, path: `/api/v1${path}`, headers, method: body ? 'POST' : 'GET', agent: false };
      const sent = request(options);
      sent.on('error', () => undefined);
      if (body) sent.write(body.start);
      else sent.end();
      agents.push(sent);
      return sent;
    },
    openAre: (kind: 'parked' | 'upload', number: number) =>
      until(async () => (await count(kind)) === number, `${number} open`),
    closeAll: () => {
      for (const agent of agents) agent.destroy();
    },
  };
}

/** Starts a service with a queued build. */
async function withQueued(t: Test, parked: number) {
  const { h } = await withMacs(t, 1, { limits: { account_parked_requests: parked } });
  await submit(h);
  const { id } = await submit(h);
  return { ...h, id };
}

async function answerOf(sent: ClientRequest) {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of response) body += chunk;
  return { status: response.statusCode, headers: response.headers, error: JSON.parse(body).error };
}

t.test(
  'open long polls and followed logs of an account are limited; the end of one makes room immediately',
  async (t) => {
    const h = await withQueued(t, 4);
    const { id } = h;
    const { send, openAre, closeAll } = await open(h);
    t.teardown(closeAll);
    const wait = `/builds/${id}/wait`;
    const polls = [send(wait, h.keys.all), send(wait, h.keys.read)];
    const follows = [
      send(`/builds/${id}/log?format=text&wait=60`, h.keys.all),
      send(`/builds/${id}/log?offset=0&wait=60`, h.keys.read),
    ];
    await openAre('parked', 4);
    const { usage } = (await h.call('GET', '/me')).json();
    t.match(usage, { parked_requests: 4, concurrent_uploads: 0 });
    const refused = await answerOf(send(wait, h.keys.read));
    t.equal(refused.status, 429);
    t.equal(refused.headers['retry-after'], '5');
    t.match(refused.error, {
      code: 'rate_limited',
      retryable: true,
      retry_after_s: 5,
      limit: 'parked_requests',
      message: 'This account has 4 long polls and followed logs open (limit: 4)',
    });
    t.equal(
      (await answerOf(send(`/builds/${id}/log?lines=10`, h.keys.read))).status,
      200,
      'a request that does not wait is not counted',
    );
    t.equal((await answerOf(send(wait, h.other.key))).status, 404, 'other accounts have their own limit');

    polls[0]?.destroy();
    await openAre('parked', 3);
    t.equal((await answerOf(send('/builds/rb_none/wait', h.keys.read))).status, 404);
    await openAre('parked', 3);
    follows[0]?.destroy();
    await openAre('parked', 2);
    const [poll, segment] = [polls[1], follows[1]];
    if (!poll || !segment) throw new Error('no request');
    const ended = [answerOf(poll), answerOf(segment)];
    await h.call('POST', `/builds/${id}/cancel`);
    t.same(
      (await Promise.all(ended)).map(({ status }) => status),
      [200, 200],
    );
    await openAre('parked', 0);
  },
);

t.test('of pipelined long polls one is open at a time, and released when the connection closes', async (t) => {
  const h = await withQueued(t, 20);
  const { id } = h;
  const { port, openAre } = await open(h);
  const warnings: Error[] = [];
  const warned = (warning: Error) => warnings.push(warning);
  process.on('warning', warned);
  t.teardown(() => process.off('warning', warned));
  const socket = connect(port);
  const poll = `GET /api/v1/builds/${id}/wait HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${h.keys.all}\r\n\r\n`;
  socket.write(poll.repeat(12));
  await openAre('parked', 1);
  socket.destroy();
  await openAre('parked', 0);
  const polite = connect(port);
  polite.write(poll.repeat(2));
  await openAre('parked', 1);
  polite.end();
  await openAre('parked', 0);
  t.same(warnings, []);
});

t.test('concurrent uploads of an account are limited, and refused before their bodies are read', async (t) => {
  const h = await startHarness(t, { limits: { account_concurrent_uploads: 2 } });
  const { send, openAre, closeAll } = await open(h);
  t.teardown(closeAll);
  const body = { type: 'application/gzip', start: '\x1f' };
  const uploads = [send('/uploads', h.keys.build, body), send('/uploads/tar', h.keys.all, body)];
  await openAre('upload', 2);
  const refused = await answerOf(send('/uploads', h.keys.all, body));
  t.equal(refused.status, 429);
  t.match(refused.error, { code: 'rate_limited', retry_after_s: 5, limit: 'concurrent_uploads' });
  const wrong = send('/uploads', h.keys.all, { type: 'text/plain', start: 'x' });
  t.equal((await answerOf(wrong)).error.code, 'gzip_required');
  const others = send('/uploads', h.other.key, body);
  await openAre('upload', 3);
  others.destroy();
  uploads[0]?.destroy();
  await openAre('upload', 1);
  const last = uploads[1];
  if (!last) throw new Error('no request');
  const invalid = answerOf(last);
  last.end('not gzip');
  t.equal((await invalid).error.code, 'invalid_gzip');
  await openAre('upload', 0);
});

t.test('an operator can raise the limits of an account', async (t) => {
  const h = await startHarness(t, { limits: { account_concurrent_uploads: 1 } });
  const { send, openAre, closeAll } = await open(h);
  t.teardown(closeAll);
  const organization = await h.organizations.find(h.org.orgId);
  await h.organizations.setLimits(organization, { concurrent_uploads: 2 }, false);
  const body = { type: 'application/gzip', start: '\x1f' };
  send('/uploads', h.keys.all, body);
  send('/uploads', h.keys.all, body);
  await openAre('upload', 2);
  t.equal((await answerOf(send('/uploads', h.keys.all, body))).status, 429);
});
