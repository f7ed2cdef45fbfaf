// `cidermill admin verify --files`: every file and object that the database names is looked for.
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import t, { type Test } from 'tap';
import { claimObjects } from '../../control-plane/platform/app/object-identity.js';
import { printedBy } from '../harness/admin.js';
import { startBuildHost } from '../harness/build-host.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { sha256 } from '../harness/sha256.js';
import { manifestOf, record, uploader } from '../harness/upload-bodies.js';

/** An upload with a small and a large file, a build with a log and an artifact. */
async function installation(t: Test, objects: boolean) {
  const folder = t.testdir();
  const h = await startHarness(t, objects ? { objects: { kind: 'folder', path: join(folder, 'objects') } } : {});
  const own = h.parts.platform.objects?.objects ?? null;
  t.equal(await claimObjects(h.store, own), null, 'as the service does on startup');
  const host = await startBuildHost(h, { macs: 1 });
  const files = { 'small.txt': 'small', 'large.bin': randomBytes(200_000) };
  const { announce, sendBlobs } = uploader(h);
  const { id: upload_id } = (await announce(manifestOf(files))).json();
  const sent = await sendBlobs(
    upload_id,
    Object.values(files).map((content) => record(content)),
  );
  t.equal(sent.statusCode, 200, sent.body);
  const { id } = (await h.call('POST', '/builds', { body: { script: 'make', upload_id } })).json();
  await h.workers.idle();
  await host.start();
  await host.output(id, 'one line\n');
  const artifact = Buffer.from('an artifact');
  await h.artifacts.store(
    { buildId: id, attempt: 1, name: 'a.txt', bytes: artifact.length, sha256: sha256(artifact) },
    Readable.from([artifact]),
  );
  await host.finish(id);
  for (const worker of [...h.parts.workers, ...h.parts.realTimeWorkers]) {
    if (worker.name === 'ended-logs') await worker.run(new Set());
  }
  await h.workers.idle();
  const place = join(folder, 'objects');
  return { h, id, place };
}

/** What the command says of files; what it says of rows depends on the time, which is not that of the service here. */
async function foundIn({ data }: Harness, objects: string | null) {
  if (objects !== null) process.env.CIDERMILL_OBJECTS = `file://${objects}`;
  try {
    const { out, err, code } = await printedBy(['verify', '--files', '--json', '--data', data]);
    if (out === '') return { code, err };
    const { checks } = JSON.parse(out) as {
      checks: { name: string; contradictions: { subject: string; found: string }[] }[];
    };
    const ofFiles = checks.filter(({ name }) => name.startsWith('stored_'));
    return Object.fromEntries(ofFiles.map(({ name, contradictions }) => [name, contradictions]));
  } finally {
    delete process.env.CIDERMILL_OBJECTS;
  }
}

const NOTHING = { stored_blobs: [], stored_manifests: [], stored_artifacts: [], stored_logs: [] };

/** Files below a folder that are larger than nothing. */
const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && statSync(path).size > 0);

t.test('files of a data folder', async (t) => {
  const { h, id } = await installation(t, false);
  t.same(await foundIn(h, null), NOTHING);
  const [log = ''] = filesBelow(join(h.data, 'logs')).filter((path) => path.endsWith('.log'));
  truncateSync(log, 4);
  t.match(await foundIn(h, null), { stored_logs: [{ subject: id, found: 'its log has 4 bytes instead of 9' }] });
  rmSync(log);
  t.match(await foundIn(h, null), { stored_logs: [{ subject: id, found: 'its log of 9 bytes is missing' }] });
  for (const kind of ['blobs', 'manifests', 'artifacts']) {
    const stored = filesBelow(join(h.data, 'contents', kind));
    t.equal(stored.length, kind === 'blobs' ? 2 : 1, kind);
    for (const path of stored) rmSync(path);
  }
  const found = await foundIn(h, null);
  t.match(found, {
    stored_blobs: [{ found: 'it is missing, with 1 of account 1' }, { found: 'it is missing, with 1 of account 1' }],
    stored_manifests: [{ found: /^it is missing/ }],
    stored_artifacts: [{ found: /^it is missing/ }],
  });
});

t.test('objects', async (t) => {
  const { h, place } = await installation(t, true);
  t.same(await foundIn(h, place), NOTHING);
  t.match(
    await foundIn(h, null),
    { code: 64, err: /CIDERMILL_OBJECTS: set it/ },
    'another place than that of the service',
  );
  for (const kind of ['blobs', 'manifests', 'artifacts']) {
    for (const path of filesBelow(place).filter((one) => one.includes(`/${kind}/`))) rmSync(path);
  }
  t.match(await foundIn(h, place), {
    stored_blobs: { length: 2 },
    stored_manifests: { length: 1 },
    stored_artifacts: { length: 1 },
    stored_logs: [],
  });
});
