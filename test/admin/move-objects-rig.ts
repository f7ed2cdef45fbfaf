// An installation with files of every kind, and the command that moves them into an object store.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import Database from 'better-sqlite3';
import type { Test } from 'tap';
import { bin } from '../../bench/service.js';
import type { Config } from '../../control-plane/config.js';
import { claimObjects } from '../../control-plane/platform/app/object-identity.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';
import { printedBy } from '../harness/admin.js';
import { startBuildHost } from '../harness/build-host.js';
import { startHarness } from '../harness/harness.js';
import type { S3Server } from '../harness/s3-server.js';
import { sha256 } from '../harness/sha256.js';
import { type Folder, manifestOf, record, uploader } from '../harness/upload-bodies.js';

export interface Installation {
  readonly data: string;
  readonly accountId: number;
  readonly key: string;
  readonly uploadId: string;
  readonly ended: string;
  readonly running: string;
  readonly contents: readonly (string | Buffer)[];
  readonly artifacts: Readonly<Record<string, Buffer>>;
  /** What the API says of the logs, by build. */
  readonly logs: Readonly<Record<string, { readonly text: string; readonly lines: unknown }>>;
}

export function tempFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'cidermill-objects-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Makes an installation with uploads, artifacts, and logs of an ended and of a running build. Its service has ended. */
export async function installation(t: Test): Promise<Installation> {
  const data = tempFolder(t);
  const h = await startHarness(t);
  const host = await startBuildHost(h, { macs: 2 });
  const { announce, sendBlobs } = uploader(h);
  const large = randomBytes(300_000);
  const folder: Folder = { 'run.sh': 'echo hi\n', 'src/a.c': 'int a;', 'big.bin': large };
  const { id: uploadId } = (await announce(manifestOf(folder))).json();
  const sent = await sendBlobs(
    uploadId,
    Object.values(folder).map((content) => record(content)),
  );
  if (sent.statusCode >= 300) throw new Error(sent.body);
  const submit = async () =>
    (await h.call('POST', '/builds', { body: { script: 'make', upload_id: uploadId } })).json().id;
  const [ended, running] = [await submit(), await submit()];
  await h.workers.idle();
  await host.start();
  for (const build of [ended, running]) {
    await host.output(build, 'the service begins\n', 'service');
    for (let n = 0; n < 4; n++) {
      await h.clock.advance(1_000);
      await host.output(build, `${'compiling '.repeat(4_000 + n)}\n`);
    }
    await host.output(build, 'without an end');
  }
  const artifacts: Record<string, Buffer> = {
    'App.ipa': randomBytes(900_000),
    'report.txt': Buffer.from('all fine\n'),
  };
  for (const [name, content] of Object.entries(artifacts)) {
    const of = { buildId: ended, attempt: 1, name, bytes: content.length, sha256: sha256(content) };
    await h.artifacts.store(of, Readable.from([content]));
  }
  await host.finish(ended);
  await h.workers.idle();
  const logs: Record<string, { text: string; lines: unknown }> = {};
  for (const build of [ended, running]) logs[build] = await logOf(h, build, h.keys.all);
  await h.store.backup(join(data, 'cidermill.db'));
  for (const name of ['contents', 'logs', 'secret.key'])
    cpSync(join(h.data, name), join(data, name), { recursive: true });
  await h.close();
  return {
    data,
    accountId: h.org.id,
    key: h.keys.all,
    uploadId,
    ended,
    running,
    contents: Object.values(folder),
    artifacts,
    logs,
  };
}

/** Another folder with the same installation. */
export function copyOf(t: Test, { data, ...rest }: Installation): Installation {
  const copy = tempFolder(t);
  cpSync(data, copy, { recursive: true });
  return { ...rest, data: copy };
}

type Harness = Awaited<ReturnType<typeof startHarness>>;

async function logOf(h: Harness, build: string, key: string) {
  const get = (path: string) => h.call('GET', path, { key });
  const text = (await get(`/builds/${build}/log?format=text&wait=0`)).body;
  const { data } = (await get(`/builds/${build}/log/lines?tail=20&times=true`)).json();
  return { text, lines: data };
}

/** The service with its objects has everything that the installation had. */
export async function hasEverything(t: Test, of: Installation, objects: Config['objects']): Promise<void> {
  const data = copyOf(t, of).data;
  // What is read must come from the objects.
  for (const name of ['contents', 'logs']) rmSync(join(data, name), { recursive: true });
  // The harness makes organizations with the same names.
  const db = new Database(join(data, 'cidermill.db'));
  db.exec(`UPDATE organizations SET slug = 'moved-' || slug`);
  db.close();
  const h = await startHarness(t, { data, objects });
  const place = h.parts.platform.objects;
  if (place === null) throw new Error('there is no object store');
  t.equal(await claimObjects(h.store, place.objects), null, 'it is the store of the installation');
  const { stream } = await h.uploads.openManifest(of.uploadId, of.accountId);
  t.equal(JSON.parse((await buffer(stream)).toString()).files.length, of.contents.length);
  for (const content of of.contents) {
    const found = await h.uploads.openBlob(of.accountId, sha256(content));
    t.ok((await buffer(found.stream)).equals(Buffer.from(content)));
  }
  const files = await h.store.all<{ name: string; blob_key: string }>('SELECT name, blob_key FROM files ORDER BY name');
  t.same(
    files.map(({ name }) => name),
    Object.keys(of.artifacts).sort(),
  );
  for (const { name, blob_key: key } of files) {
    const bytes = await buffer(await h.contents.artifacts.open(String(of.accountId), key));
    t.ok(of.artifacts[name]?.equals(bytes), name);
  }
  for (const build of [of.ended, of.running]) t.same(await logOf(h, build, of.key), of.logs[build]);
  await h.close();
}

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `cidermill admin migrate --json`, in this process. */
export async function migrate(
  data: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const names = ['CIDERMILL_DATABASE_URL', 'CIDERMILL_OBJECTS', ...Object.keys(env)];
  const before = names.map((name) => [name, process.env[name]] as const);
  for (const name of names) delete process.env[name];
  Object.assign(process.env, env);
  try {
    const { code, out, err } = await printedBy(['migrate', '--data', data, '--json', ...args]);
    return { code, signal: null, stdout: out, stderr: err };
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

/** Runs `cidermill admin migrate --json` in a process of its own. */
export function migrateAlone(
  data: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  started: (child: ChildProcess) => void = () => {},
): Promise<Ran> {
  const { CIDERMILL_DATABASE_URL: _, CIDERMILL_OBJECTS: __, ...clean } = process.env;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [bin, 'admin', 'migrate', '--data', data, '--json', ...args], {
      env: { ...clean, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (piece) => {
      stdout += piece;
    });
    child.stderr.on('data', (piece) => {
      stderr += piece;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
    started(child);
  });
}

export const PLACE = 's3://mill-objects/mill';

export const s3Env = ({ endpoint, region, accessKeyId, secretAccessKey }: S3Server) => ({
  CIDERMILL_S3_ENDPOINT: endpoint,
  CIDERMILL_S3_REGION: region,
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
});

export const s3Config = ({ endpoint, region, accessKeyId, secretAccessKey, sessionToken, bucket }: S3Server) =>
  ({
    kind: 's3',
    bucket,
    prefix: 'mill/',
    endpoint,
    pathStyle: true,
    region,
    accessKeyId,
    secretAccessKey,
    sessionToken,
  }) as const;

/**
 * Moves a copy, kills the command at a request to the store, and moves it again.
 *
 * @param arrives whether the store carries out that request
 */
export async function killedAt(
  t: Test,
  of: Installation,
  server: S3Server,
  { nth, arrives }: { readonly nth: number; readonly arrives: boolean },
): Promise<void> {
  const copy = copyOf(t, of);
  server.objects.clear();
  let child: ChildProcess | undefined;
  let seen = 0;
  server.refuse = () => {
    if (++seen < nth) return null;
    child?.kill('SIGKILL');
    return arrives && seen === nth ? null : { status: 500, code: 'InternalError' };
  };
  const killed = await migrateAlone(copy.data, ['--objects', PLACE], s3Env(server), (started) => {
    child = started;
  });
  t.equal(killed.signal, 'SIGKILL', killed.stderr);
  server.refuse = () => null;
  await goesOnWithFiles(t, copy);
  const there = new Set(server.objects.keys());
  server.requests.length = 0;
  const again = await migrate(copy.data, ['--objects', PLACE], s3Env(server));
  t.equal(again.code, 0, again.stderr);
  const written = server.requests
    .filter((request) => request.startsWith('PUT '))
    .map((request) => request.split('/mill/')[1]);
  const twice = written.filter((key) => there.has(`mill/${key}`) && !key?.startsWith('logs/'));
  t.same(twice, [], 'what was there is not written again');
  await hasEverything(t, copy, s3Config(server));
  const third = await migrate(copy.data, ['--objects', PLACE], s3Env(server));
  t.same([third.code, third.stdout], [0, again.stdout]);
}

/** The files are what is used. */
async function goesOnWithFiles(t: Test, { data }: Installation): Promise<void> {
  const store = openSqlite(join(data, 'cidermill.db'));
  t.equal(await claimObjects(store, null), null, 'the files are what is used');
  await store.close();
}

/** A file that no row names. */
export function putOrphan({ data, accountId }: Installation): void {
  const folder = join(data, 'contents', 'blobs', 'content', String(accountId), 'aa');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${'a'.repeat(64)}-${'b'.repeat(16)}`), 'nobody');
}
