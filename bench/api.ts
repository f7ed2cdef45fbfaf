// GET /status and POST /builds of the service as `npm start` runs it, against one bare Fastify route in a process
// of its own, in the same run. Aim: half of the bare route.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { withService } from '../control-plane/admin/service.js';
import { type Load, load } from './http-load.js';
import { median, print, ratio } from './report.js';
import { startService } from './service.js';

const rounds = 9;
const connections = 64;
const roundMs = 700;
/** Builds wait in queues of at most 200 an account, so that many accounts take turns. */
const accounts = 150;

const service = await startService({}, ['--macs', '0', '--free', '0']);

const makeKeys = () =>
  withService(service.data, async ({ organizations, apiKeys }) => {
    const made: string[] = [];
    for (let i = 0; i < accounts; i++) {
      const { id, workspaceId } = await organizations.create({ name: `Account ${i}` });
      const account = { accountId: id, workspaceId, name: 'bench', levels: ['build'] as const };
      made.push((await apiKeys.create(account)).key);
    }
    return made;
  });

/** A process that answers `body` to GET and POST /bare and does nothing else. */
async function startBare(body: string) {
  const source = `
    import Fastify from 'fastify';
    const body = JSON.parse(process.argv[1]);
    const server = Fastify();
    server.get('/bare', async () => body);
    server.post('/bare', async (request, reply) => reply.code(201).send(body));
    console.log(await server.listen({ port: 0, host: '127.0.0.1' }));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source, body], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const address = await new Promise<string>((resolve) => createInterface(child.stdout).once('line', resolve));
  return { port: Number(new URL(address).port), pid: child.pid ?? 0, stop: () => child.kill() };
}

const port = Number(new URL(service.site_url).port);
const keys = await makeKeys();
const authorization = { authorization: `Bearer ${service.api_key}` };
const status = await (await fetch(`${service.base_url}/status`, { headers: authorization })).text();
const bare = await startBare(status);

const build = JSON.stringify({ repo: 'owner/name', script: 'make test', queue_until_rental: true });
const get = (path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${service.api_key}\r\n\r\n`;
const post = (path: string, key: string) =>
  `POST ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
  `Content-Length: ${build.length}\r\n\r\n${build}`;
let turn = 0;
const nextKey = () => keys[turn++ % keys.length] ?? '';

const pid = service.pids.control_plane ?? 0;
const cases = [
  { name: 'bare GET', port: bare.port, pid: bare.pid, request: () => get('/bare') },
  { name: 'GET /status', port, pid, request: () => get('/api/v1/status') },
  { name: 'bare POST', port: bare.port, pid: bare.pid, request: () => post('/bare', nextKey()) },
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
  bare.stop();
  await service.stop();
}

const of = (name: string, pick: (one: Load) => number) => median((results.get(name) ?? []).map(pick));
const figures = (unit: string, pick: (one: Load) => number) =>
  [
    ['bare GET', 'GET /status'],
    ['bare POST', 'POST /builds'],
  ].flatMap(([peer = '', name = '']) => [
    { name: peer, value: of(peer, pick), unit, ratio: 1 },
    { name, value: of(name, pick), unit, ratio: ratio(of(name, pick), of(peer, pick)) },
  ]);
print(
  'requests a second',
  figures('req/s', (one) => one.requestsPerSecond),
);
print(
  'processor time',
  figures('µs a request', (one) => one.cpuMicros),
);
