// One account does its worst with one endpoint after the other, with many connections at a time: no turn of the service's
// event loop takes more than 50 ms of the main thread's processor time. Counted, not timed: a busy machine changes
// nothing. Requires: Linux
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { startService } from '../../bench/service.js';
import { withService } from '../../control-plane/admin/service.js';

const CONNECTIONS = 20;
const BUILDS = 60;
const FILES = 100_000;
/** The first requests of a kind load and compile what they need. */
const WARM = 3;
/** Of all turns, as many may be longer: a major collection of garbage ends in one. */
const UNLUCKY = 1;

const OPERATOR_TOKEN = 'operator-token-of-the-soak-test-of-turns';

const probe = new URL('../harness/long-turns.js', import.meta.url).href;

/** Sends a request on a connection of its own; returns the status of its answer. */
async function answer(port: number, request: Buffer): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  try {
    socket.write(request);
    let head = '';
    let left = Number.POSITIVE_INFINITY;
    while (left > 0) {
      const [chunk] = (await once(socket, 'data')) as [Buffer];
      left -= chunk.length;
      if (Number.isFinite(left)) continue;
      head += chunk.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) continue;
      const length = Number(/content-length: (\d+)/i.exec(head.slice(0, end))?.[1] ?? 0);
      left = end + 4 + length - head.length;
    }
    return Number(head.slice(9, 12));
  } finally {
    socket.destroy();
  }
}

t.test('no request holds the thread', { timeout: 400_000 }, async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'cidermill-turns-'));
  const file = join(root, 'long-turns');
  writeFileSync(file, '');
  const env = { LONG_TURNS: file, NODE_OPTIONS: `--import=${probe}` };
  const allowed127 = { CIDERMILL_WEBHOOK_ALLOWED_PRIVATE: '127.0.0.0/8', CIDERMILL_OPERATOR_TOKEN: OPERATOR_TOKEN };
  const service = await startService({ ...env, ...allowed127 }, ['--macs', '1', '--free', '0']);
  t.teardown(async () => {
    await service.stop();
    rmSync(root, { recursive: true, force: true });
  });
  const port = Number(new URL(service.site_url).port);
  const key = await withService(service.data, async ({ organizations, apiKeys }) => {
    const { id, workspaceId } = await organizations.create({ name: 'Loud' });
    const levels = ['read', 'build', 'manage'] as const;
    return (await apiKeys.create({ accountId: id, workspaceId, name: 'loud', levels })).key;
  });
  type Family = { readonly root: string; readonly key: string };
  const api = { root: '/api/v1', key };
  const request = (
    method: string,
    path: string,
    body: Buffer | object | null = null,
    { root, key: bearer }: Family = api,
  ): Buffer => {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body === null ? '' : JSON.stringify(body));
    const type = body === null ? '' : `content-type: application/${Buffer.isBuffer(body) ? 'gzip' : 'json'}\r\n`;
    const head =
      `${method} ${root}${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${bearer}\r\n${type}` +
      `content-length: ${bytes.length}\r\n\r\n`;
    return Buffer.concat([Buffer.from(head), bytes]);
  };
  const build = { repo: 'o/n', queue_until_rental: true, script: `true\n#${'x'.repeat(255 * 1024)}` };
  // Nobody listens there.
  const hook = await fetch(`${service.base_url}/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'https://127.0.0.1:64999/hook', events: ['build.queued'] }),
  });
  const webhook = ((await hook.json()) as { id: string }).id;
  for (let i = 0; i < BUILDS; i++) t.equal(await answer(port, request('POST', '/builds', build)), 201);
  const files = Array.from({ length: FILES }, (_, n) => ({
    path: `d${n % 500}/f${n}`,
    size: 1,
    sha256: createHash('sha256').update(String(n)).digest('hex'),
  }));
  const manifest = gzipSync(JSON.stringify({ project: 'loud', files }), { level: 1 });
  const created = await fetch(`${service.base_url}/uploads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/gzip' },
    body: new Uint8Array(manifest),
  });
  const { id } = (await created.json()) as { id: string };

  const lists = ['/builds?limit=200', '/builds?q=zzz&limit=200', '/errors?limit=200', '/orders?limit=200'];
  const others = ['/status', '/queue', '/rentals', '/agent/start', '/secrets', '/openapi.json'];
  const worst: readonly (readonly [name: string, request: Buffer, connections?: number])[] = [
    ...[...lists, ...others, `/uploads/${id}`, `/webhooks/${webhook}/deliveries?limit=200`].map(
      (path) => [`GET ${path}`, request('GET', path)] as const,
    ),
    ...['/v1/hosts', '/v1/organizations', '/v1/orders', '/v1/audit', '/v1/throughput'].map(
      (path) =>
        [`operator: GET ${path}`, request('GET', path, null, { root: '/api/operator', key: OPERATOR_TOKEN })] as const,
    ),
    ['POST /builds of many values', request('POST', '/builds', { a: Array.from({ length: 300_000 }, () => []) })],
    ['POST /builds, refused', request('POST', '/builds', { ...build, queue_until: true })],
    ['POST /builds', request('POST', '/builds', build)],
    ['POST /uploads', request('POST', '/uploads', manifest), 4],
    ['DELETE of the upload', request('DELETE', `/v1/files/${id}`, null, { root: '/api/runner', key })],
  ];
  const allowed = new Set([200, 201, 204, 400, 404, 409, 429]);
  for (const [name, text, connections = CONNECTIONS] of worst) {
    for (let i = 0; i < WARM; i++) await answer(port, text);
    writeFileSync(file, '');
    const statuses = await Promise.all(Array.from({ length: connections }, () => answer(port, text)));
    t.same(
      statuses.filter((status) => !allowed.has(status)),
      [],
      name,
    );
    const long = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    t.ok(long.length <= UNLUCKY, `${name}: turns of ${long.join(', ')} ms`);
  }
});
