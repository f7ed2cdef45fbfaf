// Requests of many accounts to the service as `npm start` runs it, against one bare Fastify route in another process,
// in the same run: a mix of reads among commits, GET /status alone, and POST /builds. A bare route stores nothing, so
// POST /builds has a second peer: a bare route that writes one row, synced to disk before the answer, with group commit.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withService } from '../control-plane/admin/service.js';
import { type Load, load } from './http-load.js';
import { startPeer } from './peer.js';
import { median, print, ratio } from './report.js';
import { startService } from './service.js';

const rounds = 9;
const connections = 64;
const roundMs = 700;
/** An account is limited to 200 waiting builds, so many accounts submit in turn. */
const submitting = 500;
/** Number of reading accounts, each with a few waiting builds. A prime, so that each account makes every request of the mix. */
const reading = 97;
const waitingBuilds = 3;

const service = await startService({}, ['--macs', '0', '--free', '0']);

const makeKeys = () =>
  withService(service.data, async ({ organizations, apiKeys }) => {
    const made: string[] = [];
    for (let i = 0; i < submitting + reading; i++) {
      const { id, workspaceId } = await organizations.create({ name: `Account ${i}` });
      const account = { accountId: id, workspaceId, name: 'bench', levels: ['read', 'build'] as const };
      made.push((await apiKeys.create(account)).key);
    }
    return made;
  });

/** A process that answers `body` to GET and POST /bare, and to POST /durable once a row is synced to disk. */
async function startBare(body: string) {
  const folder = mkdtempSync(join(tmpdir(), 'cidermill-bench-'));
  const source = `
    import Database from 'better-sqlite3';
    import Fastify from 'fastify';
    const body = JSON.parse(process.argv[1]);
    const db = new Database(process.argv[2]);
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    db.exec('CREATE TABLE n (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, text TEXT NOT NULL)');
    const insert = db.prepare('INSERT INTO n (at, text) VALUES (?, ?)');
    const commit = db.transaction((group) => { for (const { text } of group) insert.run(Date.now(), text); });
    let waiting = [];
    const drain = () => {
      const group = waiting;
      waiting = [];
      commit(group);
      for (const { done } of group) done();
    };
    const durably = (text) => new Promise((done) => {
      if (waiting.push({ text, done }) === 1) setImmediate(drain);
    });
    const server = Fastify();
    server.get('/bare', async () => body);
    server.post('/bare', async (request, reply) => reply.code(201).send(body));
    server.post('/durable', async (request, reply) => {
      await durably(JSON.stringify(request.body));
      return reply.code(201).send(body);
    });
    console.log(await server.listen({ port: 0, host: '127.0.0.1' }));`;
  const peer = await startPeer(source, body, join(folder, 'bare.db'));
  const stop = async () => {
    await peer.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { port: Number(new URL(peer.line).port), pid: peer.pid, stop };
}

const port = Number(new URL(service.site_url).port);
const keys = await makeKeys();
const readers = keys.splice(submitting);
const build = JSON.stringify({ repo: 'owner/name', script: 'make test', queue_until_rental: true });
const firstBuilds: string[] = [];
for (const key of readers) {
  for (let i = 0; i < waitingBuilds; i++) {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${service.base_url}/builds`, { method: 'POST', headers, body: build });
    const { id } = (await answer.json()) as { id: string };
    if (i === 0) firstBuilds.push(id);
  }
}
const status = await (
  await fetch(`${service.base_url}/status`, { headers: { authorization: `Bearer ${readers[0]}` } })
).text();
const bare = await startBare(status);

const get = (path: string, key: string) =>
  `GET ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${key}\r\n\r\n`;
const post = (path: string, key: string) =>
  `POST ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
  `Content-Length: ${build.length}\r\n\r\n${build}`;
let turn = 0;
const nextKey = () => keys[turn++ % keys.length] ?? '';
const nextReader = () => turn++ % readers.length;
/** Of twenty requests one submits a build, nine follow a build, five ask for a log, and five for the status. */
const mixed = () => {
  const reader = nextReader();
  const kind = turn % 20;
  const key = readers[reader] ?? '';
  if (kind === 0) return post('/api/v1/builds', nextKey());
  if (kind <= 5) return get('/api/v1/status', key);
  const path = `/api/v1/builds/${firstBuilds[reader]}`;
  return get(kind <= 10 ? `${path}/log?offset=0` : path, key);
};

const pid = service.pids.control_plane ?? 0;
const cases = [
  { name: 'bare GET', port: bare.port, pid: bare.pid, request: () => get('/bare', '') },
  { name: 'mix', port, pid, request: mixed },
  { name: 'GET /status', port, pid, request: () => get('/api/v1/status', readers[nextReader()] ?? '') },
  { name: 'bare POST', port: bare.port, pid: bare.pid, request: () => post('/bare', nextKey()) },
  { name: 'durable POST', port: bare.port, pid: bare.pid, request: () => post('/durable', nextKey()) },
  { name: 'POST /builds', port, pid, request: () => post('/api/v1/builds', nextKey()) },
];
const results = new Map<string, Load[]>(cases.map(({ name }) => [name, []]));
try {
  for (let round = 0; round <= rounds; round++) {
    for (const { name, ...target } of cases) {
      const measured = await load({ ...target, connections, ms: roundMs });
      // The first round warms up.
      if (round > 0) results.get(name)?.push(measured);
    }
  }
} finally {
  await bare.stop();
  await service.stop();
}

const of = (name: string, pick: (one: Load) => number) => median((results.get(name) ?? []).map(pick));
const figures = (unit: string, pick: (one: Load) => number) => {
  const one = (name: string, label: string, peer: string) => {
    const value = of(name, pick);
    return { name: label, value, unit, ratio: ratio(value, of(peer, pick)) };
  };
  return [
    one('bare GET', 'bare GET', 'bare GET'),
    one('mix', 'mix of reads and commits', 'bare GET'),
    one('GET /status', 'GET /status', 'bare GET'),
    one('bare POST', 'bare POST', 'bare POST'),
    one('POST /builds', 'POST /builds', 'bare POST'),
    one('durable POST', 'durable POST', 'durable POST'),
    one('POST /builds', 'POST /builds, to durable', 'durable POST'),
  ];
};
print(
  'requests a second',
  figures('req/s', (one) => one.requestsPerSecond),
);
print(
  'processor time',
  figures('µs a request', (one) => one.cpuMicros),
);
