// One account, or one host, does its worst with one endpoint after the other, with many connections at a time: no turn of
// the service's event loop takes more than 50 ms of the main thread's processor time. Counted, not timed: a busy machine
// changes nothing.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { WebSocket } from 'ws';
import { tarEnd, tarHeader } from '../../shared/archive/tar-writer.js';
import { enrolResponse, PROTOCOL_VERSION } from '../../shared/protocol/index.js';
import { type CountedTurns, requestOf, startCountedTurns } from '../harness/counted-turns.js';
import { plainResult } from '../harness/plain-result.js';

const CONNECTIONS = 10;
const BUILDS = 200;
const FILES = 100_000;
/** The first requests of a kind load and compile what they need. */
const WARM = 3;
const ALLOWED = new Set([200, 201, 204, 400, 404, 409, 429]);

t.test('no request holds the thread', async (t) => {
  const turns = await startCountedTurns(t);
  const { api, operator, files: runner, service, answer } = turns;
  // As large in a list as a build can be: each of the first characters takes six bytes of JSON.
  const script = `#${'\u0001'.repeat(500)}${'x'.repeat(254 * 1024)}`;
  const labels = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`${'k'.repeat(60)}${n}`, 'v'.repeat(60)]));
  const source = { repo_url: 'https://github.com/o/n', ref: '가'.repeat(255) };
  const build = { ...source, queue_until_rental: true, script, labels };
  const post = async (path: string, body: string | Uint8Array<ArrayBuffer>, type = 'application/json') => {
    const headers = { authorization: `Bearer ${api.key}`, 'content-type': type };
    const made = await fetch(service.base_url + path, { method: 'POST', headers, body });
    t.ok(made.ok, `POST ${path}: ${made.status}`);
    return ((await made.json()) as { id: string }).id;
  };
  // Nobody listens there.
  const hook = { url: 'https://127.0.0.1:64999/hook', events: ['build.queued'] };
  const webhook = await post('/webhooks', JSON.stringify(hook));
  for (let i = 0; i < BUILDS; i++) t.equal(await answer(requestOf(api, 'POST', '/builds', build)), 201);
  const files = Array.from({ length: FILES }, (_, n) => ({
    path: `d${n % 500}/f${n}`,
    size: 1,
    sha256: createHash('sha256').update(String(n)).digest('hex'),
  }));
  const manifest = gzipSync(JSON.stringify({ project: 'loud', files }), { level: 1 });
  const id = await post('/uploads', new Uint8Array(manifest), 'application/gzip');
  const tar = gzipSync(emptyFolders(FILES - 2), { level: 1 });

  const lists = ['/builds?limit=200', '/builds?q=zzz&limit=200', '/errors?limit=200', '/orders?limit=200'];
  const one = ['/status', '/queue', '/rentals', '/agent/start', '/secrets', '/openapi.json'];
  const others = ['/me', '/catalog', '/pool', '/waitlist', '/webhooks'];
  const ofUploads = [`/uploads/${id}`, `/webhooks/${webhook}/deliveries?limit=200`];
  const ofOperators = ['hosts', 'organizations', 'orders', 'audit', 'throughput', 'problems', 'rentals', 'tiers'];
  const worst: readonly (readonly [name: string, request: Buffer, connections?: number])[] = [
    ...[...lists, ...one, ...others, ...ofUploads].map((path) => [`GET ${path}`, requestOf(api, 'GET', path)] as const),
    ...ofOperators.map((name) => [`operator: ${name}`, requestOf(operator, 'GET', `/v1/${name}`)] as const),
    [
      'POST /builds of many values',
      requestOf(api, 'POST', '/builds', { a: Array.from({ length: 300_000 }, () => []) }),
    ],
    ['POST /builds, refused', requestOf(api, 'POST', '/builds', { ...build, queue_until: true })],
    ['POST /builds', requestOf(api, 'POST', '/builds', build)],
    ['POST /uploads', requestOf(api, 'POST', '/uploads', manifest), 4],
    ['POST /uploads/tar of empty folders', requestOf(api, 'POST', '/uploads/tar?project=folders', tar), 2],
    ['DELETE of the upload', requestOf(runner, 'DELETE', `/v1/files/${id}`)],
  ];
  for (const [name, text, connections = CONNECTIONS] of worst) {
    for (let i = 0; i < WARM; i++) await answer(text);
    await turns.counts(name, async () => {
      const statuses = await Promise.all(Array.from({ length: connections }, () => answer(text)));
      const unexpected = statuses.filter((status) => !ALLOWED.has(status));
      t.same(unexpected, [], name);
    });
  }
});

/** Half of the lines have colors, which a search ignores. */
const LONG_LOG = `awk 'BEGIN { for (i = 0; i < 400000; i++) printf "%s line %d of a long log\\033[0m\\n", i % 2 ? "\\033[31m" : "", i }'`;

t.test('no reader of a long log, of files or of Macs holds the thread', async (t) => {
  const turns = await startCountedTurns(t);
  const { service, answer, operator } = turns;
  const api = { root: '/api/v1', key: service.api_key };
  const call = async <T>(path: string, body?: object | Buffer): Promise<T> => {
    const isTar = Buffer.isBuffer(body);
    const headers = { authorization: `Bearer ${api.key}`, 'content-type': `application/${isTar ? 'gzip' : 'json'}` };
    const sent = isTar ? new Uint8Array(body) : JSON.stringify(body);
    const init = body ? { method: 'POST', headers, body: sent } : { headers };
    const answered = await fetch(service.base_url + path, init);
    if (!answered.ok) throw new Error(`${path}: ${await answered.text()}`);
    return (await answered.json()) as T;
  };
  const upload = await call<{ id: string }>('/uploads/tar?project=long', gzipSync(emptyFolders(1)));
  const { id } = await call<{ id: string }>('/builds', { upload_id: upload.id, script: `${LONG_LOG}; exit 1` });
  for (let status = ''; status !== 'failed'; ) {
    ({ status } = await call<{ status: string }>(`/builds/${id}/wait?timeout=30`));
  }
  const { rentals } = await call<{ rentals: { id: string }[] }>('/rentals');
  const rental = rentals[0]?.id ?? '';
  const log = `/builds/${id}/log`;
  const reads = [
    ...['offset=0', 'offset=15000000', 'tail=10000', 'from_line=1&lines=1000', 'from_line=399000&lines=1000'].map(
      (query) => `${log}?${query}`,
    ),
    ...['search=zzz', 'search=line', 'search=399999', 'from_line=1&lines=1000&ansi=strip'].map(
      (query) => `${log}?${query}`,
    ),
    `/builds/${id}/failure`,
    `/builds/${id}`,
    `/rentals/${rental}`,
    `/rentals/${rental}/history`,
    '/account',
  ];
  const extension = { rental_ids: [rental], hours: 24 };
  const worst: readonly (readonly [name: string, request: Buffer])[] = [
    ...reads.map((path) => [`GET ${path}`, requestOf(api, 'GET', path)] as const),
    ['POST /quote', requestOf(api, 'POST', '/quote', { tier: 'local', hours: 24, units: 1 })],
    ['POST /rentals/extend/quote', requestOf(api, 'POST', '/rentals/extend/quote', extension)],
    ['GET /v1/files', requestOf({ root: '/api/runner', key: api.key }, 'GET', '/v1/files?limit=200')],
    ['operator: calendar', requestOf(operator, 'GET', '/v1/calendar')],
  ];
  for (const [name, text] of worst) {
    for (let i = 0; i < WARM; i++) await answer(text);
    await turns.counts(name, async () => {
      const statuses = await Promise.all(Array.from({ length: CONNECTIONS }, () => answer(text)));
      const unexpected = statuses.filter((status) => !ALLOWED.has(status));
      t.same(unexpected, [], name);
    });
  }
});

const ENTRY = { mode: 0o755, size: 0, mtime: 0, target: '' } as const;

/** An archive with a file and empty folders. */
function emptyFolders(count: number): Buffer {
  const folders = Array.from({ length: count }, (_, n) =>
    tarHeader({ ...ENTRY, path: `folder-${n}`, type: 'directory' }),
  );
  const file = [tarHeader({ ...ENTRY, path: 'file', type: 'file', size: 1 }), Buffer.alloc(512, 'x')];
  return Buffer.concat([...folders, ...file, tarEnd()]);
}

t.test('no host holds the thread', async (t) => {
  const turns = await startCountedTurns(t);
  const link = await connectHost(turns);
  t.teardown(() => link.terminate());
  const facts = { type: 'facts', macs: [], builds: Array.from({ length: 1_000 }, (_, n) => fact(n)) };
  const xcodes = Array.from({ length: 100 }, (_, n) => ({
    version: `${n}.1`,
    build: null,
    developer_dir: `/Applications/Xcode-${n}.app/Contents/Developer`,
  }));
  const messages: readonly (readonly [name: string, message: object])[] = [
    ['facts of 1,000 builds', facts],
    ['inventories', { type: 'inventory', draining: false, inventory: { ...INVENTORY, xcodes } }],
  ];
  for (const [name, message] of messages) {
    const text = JSON.stringify(message);
    const send = async (times: number) => {
      for (let i = 0; i < times; i++) link.send(text);
      // Messages are handled in order: this one is answered when all before it have been.
      const answered = new Promise<void>((resolve) => {
        link.on('message', (data: Buffer) => data.includes('"finished_ack"') && resolve());
      });
      link.send(JSON.stringify(finished));
      await answered;
      link.removeAllListeners('message');
    };
    await send(WARM);
    await turns.counts(name, () => send(100));
    t.equal(link.readyState, WebSocket.OPEN, `${name}: the link stays`);
  }
});

/** Of a build that the service does not know. */
const finished = {
  type: 'build_finished',
  build_id: 'rb_unknown',
  attempt: 1,
  result: plainResult({ summary_message: null, ended_at: 1 }),
};

const INVENTORY = {
  hostname: 'loud',
  os: 'macOS',
  arch: 'arm64',
  cpu_cores: 8,
  memory_bytes: 1,
  disk_free_bytes: 1e12,
  driver: 'local' as const,
  xcodes: [],
};

const fact = (n: number) => ({
  build_id: `rb_${n}`,
  attempt: 1,
  state: 'running' as const,
  log_bytes: n,
  last_output_at: n,
});

async function connectHost({ service, hostToken }: CountedTurns): Promise<WebSocket> {
  const answer = await fetch(`${service.site_url}/link/v1/enrol`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: hostToken, hostname: 'loud' }),
  });
  const { credential } = enrolResponse.parse(await answer.json());
  const headers = { authorization: `Bearer ${credential}` };
  const link = new WebSocket(`${service.site_url.replace('http', 'ws')}/link`, { headers });
  await once(link, 'open');
  const protocol = { protocol: PROTOCOL_VERSION, oldest_protocol: PROTOCOL_VERSION, agent_version: '1.0.0' };
  const hello = { type: 'hello', ...protocol, inventory: INVENTORY, draining: false, builds: [], macs: [] };
  link.send(JSON.stringify(hello));
  await once(link, 'message');
  return link;
}
