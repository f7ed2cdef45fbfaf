// A quiet account beside a loud one that does its worst, with one endpoint after the other, over sockets and against
// the service as `npm start` runs it: the 99th percentile of the quiet account's requests (GET /status, POST /builds,
// GET /builds/{build_id}), and its ratio to that of the same requests while nobody else sends. Beside it, the same
// while the loud one sends the same to a server in another process that takes the same processor time for it
// (`fairness-peer.ts`): this part is caused by the machine, not by the service. Ends with exit code 1 where the first
// is above three times the calm one, the peer's and 20 ms, or above 150 ms and the peer's. Options: `--connections N`
// of the loud one, `--seconds N` for each endpoint, `--only TEXT`: endpoints with it in their name.
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { withService } from '../control-plane/admin/service.js';
import { enrolResponse, PROTOCOL_VERSION } from '../shared/protocol/index.js';
import type { Answered, LoudLoad } from './fairness-load.js';
import type { PeerAnswer } from './fairness-peer.js';
import { type Figure, print, ratio } from './report.js';
import { startService } from './service.js';

const argument = (name: string): string | null => {
  const at = process.argv.indexOf(name);
  return at < 0 ? null : (process.argv[at + 1] ?? null);
};
const CONNECTIONS = Number(argument('--connections') ?? 60);
const PHASE_MS = Number(argument('--seconds') ?? 4) * 1_000;
const ONLY = argument('--only') ?? '';
const BUILDS = 198;
const FILES = 100_000;
const MOST = { ratio: 3, ms: 150, unnoticed: 20 };
const script = `true\n#${'x'.repeat(250 * 1024)}`;
const build = { repo: 'owner/name', queue_until_rental: true };

const DELETED = 8;
const OPERATOR_TOKEN = 'operator-token-of-the-bench-fairness';

const service = await startService(
  { CIDERMILL_OPERATOR_TOKEN: OPERATOR_TOKEN, CIDERMILL_WEBHOOK_ALLOWED_PRIVATE: '127.0.0.0/8' },
  ['--macs', '2', '--free', '0'],
);
const { port } = new URL(service.site_url);
const keys = await withService(service.data, async ({ organizations, apiKeys, hosts }) => {
  const keyOf = async (name: string) => {
    const { id, workspaceId } = await organizations.create({ name });
    const levels = ['read', 'build', 'manage'] as const;
    return (await apiKeys.create({ accountId: id, workspaceId, name, levels })).key;
  };
  const { token } = await hosts.createEnrolment({ tier: 'local', slots: 1 });
  return { loud: await keyOf('Loud'), quiet: await keyOf('Quiet'), host: token };
});

async function call(key: string, method: string, path: string, body?: object): Promise<{ id?: string }> {
  const answer = await fetch(service.base_url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 200)}`);
  return JSON.parse(text) as { id?: string };
}

/** Sends the mix, one request after the other, and returns the 99th percentile of their times, ms. */
async function quiet(own: string, ms: number): Promise<number> {
  const times: number[] = [];
  const timed = async (method: string, path: string, body?: object) => {
    const began = performance.now();
    const answer = await call(keys.quiet, method, path, body);
    times.push(performance.now() - began);
    return answer;
  };
  for (const end = performance.now() + ms; performance.now() < end; ) {
    await timed('GET', '/status');
    const { id } = await timed('POST', '/builds', { ...build, script: 'make' });
    await timed('GET', `/builds/${own}`);
    await call(keys.quiet, 'POST', `/builds/${id}/cancel`);
  }
  times.sort((a, b) => a - b);
  return times[Math.ceil(times.length * 0.99) - 1] ?? 0;
}

interface RequestOptions {
  readonly body?: Buffer | object | null;
  readonly key?: string;
  readonly root?: string;
}

const requestOf = (method: string, path: string, options: RequestOptions = {}): Buffer => {
  const { body = null, key = keys.loud, root = '/api/v1' } = options;
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body === null ? '' : JSON.stringify(body));
  const type = body === null ? '' : `content-type: application/${Buffer.isBuffer(body) ? 'gzip' : 'json'}\r\n`;
  const head =
    `${method} ${root}${path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${key}\r\n${type}` +
    `content-length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
};

interface Worst extends Partial<Pick<LoudLoad, 'connections' | 'reads' | 'requests' | 'host'>> {
  readonly name: string;
  readonly text: Buffer;
}

interface Prepared {
  readonly upload: string;
  readonly manifest: Buffer;
  /** Uploads of 100,000 files to delete. */
  readonly deleted: readonly string[];
  readonly webhook: string;
  readonly host: NonNullable<LoudLoad['host']>;
}

function worstOf({ upload, manifest, deleted, webhook, host }: Prepared): Worst[] {
  const list = '/builds?limit=200';
  const paths = [
    list,
    '/builds?q=zzz&limit=200',
    '/status',
    '/queue',
    '/rentals',
    '/errors?limit=200',
    '/agent/start',
    '/orders?limit=200',
    '/openapi.json',
    '/secrets',
    '/webhooks',
    '/me',
    `/uploads/${upload}`,
    `/webhooks/${webhook}/deliveries?limit=200`,
  ];
  const operator = { key: OPERATOR_TOKEN, root: '/api/operator' };
  const operators = ['/v1/hosts', '/v1/organizations', '/v1/orders', '/v1/audit', '/v1/throughput', '/v1/problems'];
  const files = { root: '/api/runner' };
  const times = (text: Buffer, n: number) => Buffer.concat(Array.from({ length: n }, () => text));
  return [
    ...paths.map((path) => ({
      name: `GET ${path.replace(upload, '{id} (100,000 files)').replace(webhook, '{id}')}`,
      text: requestOf('GET', path),
    })),
    ...operators.map((path) => ({ name: `operator: GET ${path}`, text: requestOf('GET', path, operator) })),
    { name: `GET ${list}, 4 unread`, text: times(requestOf('GET', list), 4), requests: 4, reads: false },
    { name: 'GET /me, 50 pipelined', text: times(requestOf('GET', '/me'), 50), requests: 50 },
    { name: 'POST /builds (250 KiB)', text: requestOf('POST', '/builds', { body: { ...build, script } }) },
    { name: 'POST /builds (refused)', text: requestOf('POST', '/builds', { body: { ...build, script, no: 1 } }) },
    { name: 'POST /uploads (100,000 files)', text: requestOf('POST', '/uploads', { body: manifest }), connections: 10 },
    {
      name: `DELETE ${DELETED} uploads (100,000 files), then 404`,
      connections: 1,
      requests: DELETED,
      text: Buffer.concat(deleted.map((id) => requestOf('DELETE', `/v1/files/${id}`, files))),
    },
    { name: 'a host: facts of 1,000 builds', text: Buffer.alloc(0), host },
  ];
}

const started = (module: string) => {
  const child = fork(new URL(module, import.meta.url).pathname);
  child.once('exit', (code) => {
    if (code !== null) throw new Error(`${module} ended with ${code}`);
  });
  return child;
};
const loud = started('./fairness-load.js');
const peer = started('./fairness-peer.js');
const [peerPort] = (await once(peer, 'message')) as [number];

const ask = async <T>(message: LoudLoad | 'none'): Promise<T> => {
  const answered = once(loud, 'message');
  loud.send(message);
  const [answer] = (await answered) as [T];
  return answer;
};
const textFile = join(service.data, 'loud');
const loadOf = ({ name: _, text, ...load }: Worst, to: number): LoudLoad => {
  writeFileSync(textFile, text);
  return { port: to, connections: CONNECTIONS, reads: true, requests: 1, ...load, file: textFile };
};
const WAITING = /^cidermill_(?:waiting_turns|open_requests\{kind="upload"\}) ([1-9]\d*)$/m;
/** Resolves when the service has noticed that the connections of the last load are closed. */
const rest = async (): Promise<void> => {
  const read = () => fetch(`${service.site_url}/metrics`, { headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } });
  for (let busy = true; busy; busy = WAITING.test(await (await read()).text())) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};
/** The quiet account's 99th percentile beside this load, and what the load was answered. */
const beside = async (own: string, load: LoudLoad): Promise<{ value: number; answered: Answered }> => {
  await ask('none');
  await rest();
  await ask(load);
  const value = await quiet(own, PHASE_MS);
  return { value, answered: await ask<Answered>('none') };
};
/** Takes as much time as the service had for each answer. */
const peerAnswerOf = ({ answers, bytes }: Answered): PeerAnswer =>
  answers === 0 ? { bytes: 0, ms: 1 } : { bytes: Math.round(bytes / answers), ms: PHASE_MS / answers };

async function prepare(): Promise<Prepared> {
  const files = Array.from({ length: FILES }, (_, n) => ({
    path: `d${n % 500}/f${n}`,
    size: 1,
    sha256: createHash('sha256').update(String(n)).digest('hex'),
  }));
  const manifest = gzipSync(JSON.stringify({ project: 'loud', files }), { level: 1 });
  const upload = async () => {
    const answer = await fetch(`${service.base_url}/uploads`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys.loud}`, 'content-type': 'application/gzip' },
      body: new Uint8Array(manifest),
    });
    return ((await answer.json()) as { id: string }).id;
  };
  // Nobody listens there.
  const url = 'https://127.0.0.1:64999/hook';
  const webhook = (await call(keys.loud, 'POST', '/webhooks', { url, events: ['build.queued'] })).id ?? '';
  for (let i = 0; i < BUILDS; i++) await call(keys.loud, 'POST', '/builds', { ...build, script });
  const deleted: string[] = [];
  for (let i = 0; i < DELETED; i++) deleted.push(await upload());
  return { upload: await upload(), manifest, deleted, webhook, host: await enrol() };
}

async function enrol(): Promise<NonNullable<LoudLoad['host']>> {
  const answer = await fetch(`${service.site_url}/link/v1/enrol`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: keys.host, hostname: 'loud' }),
  });
  const { credential } = enrolResponse.parse(await answer.json());
  const fact = (n: number) => ({
    build_id: `rb_${n}`,
    attempt: 1,
    state: 'running' as const,
    log_bytes: n,
    last_output_at: n,
  });
  const inventory = {
    hostname: 'loud',
    os: 'macOS',
    arch: 'arm64',
    cpu_cores: 8,
    memory_bytes: 1,
    disk_free_bytes: 1e12,
    driver: 'local' as const,
    xcodes: [],
  };
  const protocol = { protocol: PROTOCOL_VERSION, oldest_protocol: PROTOCOL_VERSION, agent_version: '1.0.0' };
  const nothing = { builds: [], macs: [] };
  return {
    credential: credential ?? '',
    messages: [
      { type: 'hello', ...protocol, inventory, draining: false, ...nothing },
      { type: 'facts', ...nothing, builds: Array.from({ length: 1_000 }, (_, n) => fact(n)) },
    ],
  };
}

const figures: Figure[] = [];
const tooSlow: string[] = [];
try {
  const prepared = await prepare();
  const own = (await call(keys.quiet, 'POST', '/builds', { ...build, script: 'make' })).id ?? '';
  await quiet(own, PHASE_MS);
  const calm = await quiet(own, PHASE_MS);
  figures.push({ name: 'calm', value: calm, unit: 'ms p99', ratio: 1 });
  for (const one of worstOf(prepared).filter(({ name }) => name.includes(ONLY))) {
    const { value, answered } = await beside(own, loadOf(one, Number(port)));
    figures.push({ name: one.name, value, unit: 'ms p99', ratio: ratio(value, calm) });
    let elsewhere = 0;
    if (!one.host) {
      peer.send(peerAnswerOf(answered));
      elsewhere = (await beside(own, loadOf(one, peerPort))).value;
      figures.push({
        name: '  the same load in another process',
        value: elsewhere,
        unit: 'ms p99',
        ratio: ratio(elsewhere, calm),
      });
    }
    const most = Math.max(MOST.ratio * calm, elsewhere, MOST.unnoticed);
    if (value > most || value > Math.max(MOST.ms, elsewhere)) tooSlow.push(one.name);
  }
} finally {
  for (const child of [loud, peer]) child.kill();
  await service.stop();
}
print(`a quiet account beside ${CONNECTIONS} connections of a loud one`, figures);
if (tooSlow.length > 0) {
  process.stderr.write(`too slow beside: ${tooSlow.join('; ')}\n`);
  process.exitCode = 1;
}
