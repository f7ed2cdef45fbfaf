// Tools in this process, over a network that a test holds in its hand.
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import t, { type Test } from 'tap';
import { createClient, type FetchLike } from '../../client/index.js';
import { createLogLines } from '../../client/mcp/log-lines.js';
import { createMcpServer } from '../../client/mcp/server.js';
import { systemClock } from '../../shared/clock.js';

const BUILD = { id: 'rb_1', status: 'queued', timings: {}, failure: null };

const json = (body: unknown, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

function promised<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

async function startAgent(t: Test, fetch: FetchLike) {
  const client = createClient({ url: 'http://service.test', key: 'cm_x', fetch, retry: { attempts: 1 } });
  const server = createMcpServer(
    { client, logs: createLogLines(client.builds.log), clock: systemClock, env: {} },
    { version: '1', readOnly: false },
  );
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  const agent = new Client({ name: 'test-agent', version: '1' });
  await agent.connect(here);
  t.teardown(() => agent.close());
  return agent;
}

t.test('a build that is submitted while its caller gives up is cancelled', async (t) => {
  const enough = new AbortController();
  const cancelled = promised<string>();
  const agent = await startAgent(t, async (url, { method }) => {
    const { pathname } = new URL(url);
    if (method === 'POST' && pathname === '/api/v1/builds') {
      enough.abort(new Error('enough'));
      // Messages keep their order: when this is answered, the server knows.
      await agent.listTools();
      return json(BUILD, 201);
    }
    cancelled.resolve(`${method} ${pathname}`);
    return json({ ...BUILD, status: 'cancelled' });
  });
  const call = { name: 'build_repository', arguments: { repo: 'acme/app', script: 'make' } };
  await t.rejects(agent.callTool(call, { signal: enough.signal }), /enough/);
  t.equal(await cancelled.promise, 'POST /api/v1/builds/rb_1/cancel');
});

t.test('what a caller has given up is not asked for any more', async (t) => {
  const enough = new AbortController();
  const aborted = promised<void>();
  const agent = await startAgent(t, (_url, { signal }) => {
    enough.abort(new Error('enough'));
    return new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => {
        aborted.resolve();
        reject(new Error('aborted'));
      });
    });
  });
  await t.rejects(
    agent.callTool({ name: 'wait', arguments: { id: 'rb_1' } }, { signal: enough.signal }),
    /enough/,
  );
  await aborted.promise;
});

t.test('an answer of a later service, with more in it, is handed on', async (t) => {
  const tier = {
    tier: 'm9',
    price_won: 1,
    xcode_versions: [],
    available_now: 1,
    sales_open: true,
    colour: 'blue',
  };
  const agent = await startAgent(t, async () => json({ tiers: [tier] }));
  const { structuredContent } = await agent.callTool({ name: 'catalog', arguments: {} });
  t.match(structuredContent, { tiers: [{ colour: 'blue' }] });
});

t.test('an account with very much of everything is told within bounds, and how much there is', async (t) => {
  const builds = Array.from({ length: 300 }, (_, at) => ({ ...BUILD, id: `rb_${at}` }));
  const macs = Array.from({ length: 300 }, (_, at) => ({
    ...{ rental_id: `rt_${at}`, tier: 'm4', state: 'ready', xcode: null, remaining_s: 1, can_extend: true },
  }));
  const status = {
    ...{
      account: { name: 'A', status: 'active' },
      macs,
      advice: macs.map(() => ({ kind: 'expiring_soon' })),
    },
    queue: { running_count: 300, queued_count: 300, running: builds, queued: builds },
    last_builds: builds.slice(0, 10),
  };
  const agent = await startAgent(t, async (url) =>
    json(url.endsWith('/me') ? { key: { levels: ['read'] }, limits: {} } : status),
  );
  const { structuredContent, content } = await agent.callTool({ name: 'status', arguments: {} });
  t.match(structuredContent, { mac_count: 300, queue: { running_count: 300, queued_count: 300 } });
  const [text] = content;
  t.ok(text?.type === 'text' && text.text.length < 40_000, 'it fits a model');
});

t.test('the last news of a wait is its end, however soon it follows the news before', async (t) => {
  const statuses = ['queued', 'running', 'failed'];
  const agent = await startAgent(t, async () =>
    json({ ...BUILD, queue_position: null, status: statuses.shift() ?? 'failed' }),
  );
  const news: { progress: number; message?: string | undefined }[] = [];
  const wait = { name: 'wait', arguments: { id: 'rb_1', seconds: 30 } };
  await agent.callTool(wait, { onprogress: (one) => news.push(one) });
  t.same(
    news.map(({ message }) => message),
    ['rb_1 queued', 'rb_1 running', 'rb_1 failed'],
  );
  const values = news.map(({ progress }) => progress);
  t.same(
    values,
    [...new Set(values)].sort((a, b) => a - b),
    'each is more than the one before',
  );
});
