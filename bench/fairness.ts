// A quiet account beside a loud one that does its worst, with one endpoint after the other, over sockets and against the
// service as `npm start` runs it: the 99th percentile of the quiet account's requests (GET /status, POST /builds,
// GET /builds/{build_id}), and its ratio to that of the same requests while nobody else sends. Ends with exit code 1 where
// that is above three times the calm one and 20 ms, or above 150 ms. Options: `--connections N` of the loud one,
// `--seconds N` for each endpoint, `--only TEXT`: endpoints with it in their name.
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { withService } from '../control-plane/admin/service.js';
import type { LoudLoad } from './fairness-load.js';
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

const service = await startService({}, ['--macs', '2', '--free', '0']);
const { port } = new URL(service.site_url);
const keys = await withService(service.data, async ({ organizations, apiKeys }) => {
  const keyOf = async (name: string) => {
    const { id, workspaceId } = await organizations.create({ name });
    const levels = ['read', 'build', 'manage'] as const;
    return (await apiKeys.create({ accountId: id, workspaceId, name, levels })).key;
  };
  return { loud: await keyOf('Loud'), quiet: await keyOf('Quiet') };
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

const requestOf = (method: string, path: string, body: Buffer | object | null = null): Buffer => {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body === null ? '' : JSON.stringify(body));
  const type = body === null ? '' : `content-type: application/${Buffer.isBuffer(body) ? 'gzip' : 'json'}\r\n`;
  const head =
    `${method} /api/v1${path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${keys.loud}\r\n${type}` +
    `content-length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
};

interface Worst extends Partial<Pick<LoudLoad, 'connections' | 'reads' | 'requests'>> {
  readonly name: string;
  readonly text: Buffer;
}

function worstOf(upload: string, manifest: Buffer): Worst[] {
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
  ];
  const times = (text: Buffer, n: number) => Buffer.concat(Array.from({ length: n }, () => text));
  return [
    ...paths.map((path) => ({
      name: `GET ${path.replace(upload, '{id} (100,000 files)')}`,
      text: requestOf('GET', path),
    })),
    { name: `GET ${list}, 4 unread`, text: times(requestOf('GET', list), 4), requests: 4, reads: false },
    { name: 'GET /me, 50 pipelined', text: times(requestOf('GET', '/me'), 50), requests: 50 },
    { name: 'POST /builds (250 KiB)', text: requestOf('POST', '/builds', { ...build, script }) },
    { name: 'POST /builds (refused)', text: requestOf('POST', '/builds', { ...build, script, no: 1 }) },
    { name: 'POST /uploads (100,000 files)', text: requestOf('POST', '/uploads', manifest), connections: 10 },
  ];
}

const loud = fork(new URL('./fairness-load.js', import.meta.url).pathname);
loud.once('exit', (code) => {
  if (code !== null) throw new Error(`the loud account ended with ${code}`);
});
const loadOf = ({ name: _, text, ...load }: Worst): LoudLoad => {
  const file = join(service.data, 'loud');
  writeFileSync(file, text);
  return { port: Number(port), connections: CONNECTIONS, reads: true, requests: 1, ...load, file };
};
const figures: Figure[] = [];
const tooSlow: string[] = [];
try {
  const files = Array.from({ length: FILES }, (_, n) => ({
    path: `d${n % 500}/f${n}`,
    size: 1,
    sha256: createHash('sha256').update(String(n)).digest('hex'),
  }));
  const manifest = gzipSync(JSON.stringify({ project: 'loud', files }), { level: 1 });
  const upload = await fetch(`${service.base_url}/uploads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.loud}`, 'content-type': 'application/gzip' },
    body: new Uint8Array(manifest),
  }).then((answer) => answer.json() as Promise<{ id: string }>);
  for (let i = 0; i < BUILDS; i++) await call(keys.loud, 'POST', '/builds', { ...build, script });
  const own = (await call(keys.quiet, 'POST', '/builds', { ...build, script: 'make' })).id ?? '';
  await quiet(own, PHASE_MS);
  const calm = await quiet(own, PHASE_MS);
  figures.push({ name: 'calm', value: calm, unit: 'ms p99', ratio: 1 });
  for (const one of worstOf(upload.id, manifest).filter(({ name }) => name.includes(ONLY))) {
    const sent = once(loud, 'message');
    loud.send(loadOf(one));
    await sent;
    const value = await quiet(own, PHASE_MS);
    loud.send('none');
    figures.push({ name: one.name, value, unit: 'ms p99', ratio: ratio(value, calm) });
    if (value > MOST.ms || value > Math.max(MOST.ratio * calm, MOST.unnoticed)) tooSlow.push(one.name);
  }
} finally {
  loud.kill();
  await service.stop();
}
print(`a quiet account beside ${CONNECTIONS} connections of a loud one`, figures);
if (tooSlow.length > 0) {
  process.stderr.write(`too slow beside: ${tooSlow.join('; ')}\n`);
  process.exitCode = 1;
}
