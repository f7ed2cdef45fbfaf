// One account does its worst with one endpoint after the other, with many connections at a time: no turn of
// the service's event loop takes more than 50 ms of the main thread's processor time. Counted, not timed: a busy machine
// changes nothing.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { tarEnd, tarHeader } from '../../shared/archive/tar-writer.js';
import { requestOf, startCountedTurns } from '../harness/counted-turns.js';

const CONNECTIONS = 20;
const BUILDS = 60;
const FILES = 100_000;
/** The first requests of a kind load and compile what they need. */
const WARM = 3;
const ALLOWED = new Set([200, 201, 204, 400, 404, 409, 429]);

t.test('no request holds the thread', { timeout: 400_000 }, async (t) => {
  const turns = await startCountedTurns(t);
  const { api, operator, files: runner, service, answer } = turns;
  const build = { repo: 'o/n', queue_until_rental: true, script: `true\n#${'x'.repeat(255 * 1024)}` };
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

const ENTRY = { mode: 0o755, size: 0, mtime: 0, target: '' } as const;

/** An archive with a file and empty folders. */
function emptyFolders(count: number): Buffer {
  const folders = Array.from({ length: count }, (_, n) =>
    tarHeader({ ...ENTRY, path: `folder-${n}`, type: 'directory' }),
  );
  const file = [tarHeader({ ...ENTRY, path: 'file', type: 'file', size: 1 }), Buffer.alloc(512, 'x')];
  return Buffer.concat([...folders, ...file, tarEnd()]);
}
