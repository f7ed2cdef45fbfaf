// What open pages of the console cost the control plane: processor time and memory with no, 100 and 1,000 open event
// streams, at rest and while builds are submitted and cancelled; against a bare Node server in another process that
// sends an event of the same size to as many streams as often, in the same run.
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { withService } from '../control-plane/admin/service.js';
import { systemClock } from '../shared/clock.js';
import { pause } from '../shared/pause.js';
import { cpuMicros } from './http-load.js';
import { startPeer } from './peer.js';
import { print, ratio } from './report.js';
import { startService } from './service.js';

const people = 50;
const password = 'correct horse battery';
const tabs = [0, 100, 1_000];
const measuredMs = 10_000;
const buildsPerSecond = 20;

const service = await startService({ CIDERMILL_QUEUED_BUILDS: '100000' }, ['--macs', '0', '--free', '0']);
const { port } = new URL(service.site_url);
const pid = service.pids.control_plane ?? 0;

const made = await withService(service.data, async ({ organizations, apiKeys, users }) => {
  const { id, orgId, workspaceId } = await organizations.create({ name: 'Apple Press' });
  const key = { accountId: id, workspaceId, name: 'bench', levels: ['read', 'build'] as const };
  for (let i = 0; i < people; i++) {
    const membership = { accountId: id, role: 'developer' as const, workspaceIds: [workspaceId] };
    await users.create({ email: `p${i}@example.com`, password, membership });
  }
  return { orgId, key: (await apiKeys.create(key)).key };
});

const cookies: string[] = [];
for (let i = 0; i < people; i++) {
  const answer = await fetch(`${service.site_url}/api/runner/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: `p${i}@example.com`, password }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  cookies.push(answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '');
}

interface Streams {
  /** Events received so far. */
  events(): number;
  close(): void;
}

/** Opens streams one after the other, so that connecting is not what is measured. */
async function open(of: { port: number; path: string }, count: number): Promise<Streams> {
  let events = 0;
  const sockets: Socket[] = [];
  for (let i = 0; i < count; i++) {
    const socket = connect({ port: of.port, host: '127.0.0.1' });
    sockets.push(socket);
    socket.write(`GET ${of.path} HTTP/1.1\r\nHost: bench\r\nCookie: ${cookies[i % people]}\r\n\r\n`);
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.on('data', (chunk: Buffer) => {
        const text = chunk.toString('latin1');
        if (/^HTTP\/1\.1 [^2]/.test(text)) reject(new Error(text));
        events += text.split('event: change').length - 1;
        resolve();
      });
    });
  }
  return {
    events: () => events,
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function startBare() {
  const source = `
    import { createServer } from 'node:http';
    const data = JSON.stringify({ nouns: ['build', 'builds', 'errors', 'files', 'mac', 'macs', 'queue', 'status', 'usage'],
      ids: Array.from({ length: 20 }, (_, i) => 'rb_000000000000000' + i) });
    const open = new Set();
    let sending = false;
    createServer((request, reply) => {
      if (request.url === '/send') { sending = true; return reply.end(); }
      if (request.url === '/rest') { sending = false; return reply.end(); }
      reply.writeHead(200, { 'content-type': 'text/event-stream' });
      reply.write(':\\n\\n');
      open.add(reply);
      reply.on('close', () => open.delete(reply));
    }).listen(0, '127.0.0.1', function () { console.log(this.address().port); });
    setInterval(() => {
      if (sending) for (const reply of open) reply.write('event: change\\ndata: ' + data + '\\n\\n');
    }, 1000);`;
  const { line, ...peer } = await startPeer(source);
  return { port: Number(line), ...peer };
}

/** Submits and cancels builds until it is stopped; returns how many. */
function submit(): { stop(): Promise<number> } {
  let stopped = false;
  let count = 0;
  const headers = { authorization: `Bearer ${made.key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ repo: 'owner/name', script: 'make', queue_until_rental: true });
  const running = (async () => {
    while (!stopped) {
      const answer = await fetch(`${service.base_url}/builds`, { method: 'POST', headers, body });
      const { id } = (await answer.json()) as { id: string };
      await (await fetch(`${service.base_url}/builds/${id}/cancel`, { method: 'POST', headers })).text();
      count++;
      await pause(systemClock, 1_000 / buildsPerSecond);
    }
  })();
  return {
    async stop() {
      stopped = true;
      await running;
      return count;
    },
  };
}

const megabytes = (of: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${of}/status`, 'utf8'))?.[1]) / 1_024;

/** Returns processor time in ms per second. */
async function busy(of: number): Promise<number> {
  const before = cpuMicros(of);
  await pause(systemClock, measuredMs);
  return (cpuMicros(of) - before) / measuredMs;
}

const bare = await startBare();
// The first builds are slower.
const warmUp = submit();
await pause(systemClock, measuredMs);
await warmUp.stop();
const rows: { name: string; rest: number; stream: number; memory: number; events: number }[] = [];
try {
  for (const count of tabs) {
    const ours = await open({ port: Number(port), path: `/api/runner/v1/organizations/${made.orgId}/live` }, count);
    await pause(systemClock, 2_000);
    const rest = await busy(pid);
    const memory = megabytes(pid);
    const seen = ours.events();
    const builds = submit();
    const stream = await busy(pid);
    const events = ours.events() - seen;
    await builds.stop();
    ours.close();
    rows.push({ name: `${count} tabs`, rest, stream, memory, events });
    await pause(systemClock, 2_000);
    if (count === 0) continue;
    const theirs = await open({ port: bare.port, path: '/' }, count);
    await pause(systemClock, 1_000);
    const bareRest = await busy(bare.pid);
    await fetch(`http://127.0.0.1:${bare.port}/send`);
    const bareStream = await busy(bare.pid);
    await fetch(`http://127.0.0.1:${bare.port}/rest`);
    rows.push({
      name: `${count} streams of a bare server`,
      rest: bareRest,
      stream: bareStream,
      memory: megabytes(bare.pid),
      events: theirs.events(),
    });
    theirs.close();
  }
} finally {
  await bare.stop();
  await service.stop();
}

const [none] = rows;
const of = (name: string) => rows.find((row) => row.name === name);
/** The ratio is that of what the tabs add to the service, to the bare server's. */
const figures = (unit: string, pick: (row: (typeof rows)[number]) => number, compared = true) =>
  rows.map((row) => {
    const peer = compared ? of(row.name.replace('tabs', 'streams of a bare server')) : undefined;
    const more = none ? pick(row) - pick(none) : 0;
    const against = row.name.endsWith('tabs') && peer && peer !== row ? ratio(more, pick(peer)) : null;
    return { name: row.name, value: pick(row), unit, ratio: against };
  });
// The bare server does not check access, so it uses no time at rest.
print(
  'processor time at rest',
  figures('ms/s', (row) => row.rest, false),
);
print(
  `processor time while ${buildsPerSecond} builds a second are submitted and cancelled`,
  figures('ms/s', (row) => row.stream),
);
print(
  'resident memory',
  figures('MB', (row) => row.memory, false),
);
print(
  'events received in 10 s',
  rows.map(({ name, events }) => ({ name, value: events, unit: 'events', ratio: null })),
);
