// `cidermill admin migrate --objects`: the files of a data folder move into an object store.
// Requires: sqlite
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import t from 'tap';
import { useOwnObjects } from '../../control-plane/own-objects.js';
import { openFolderObjects } from '../../control-plane/platform/blobs/folder-objects.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';
import { startS3Server } from '../harness/s3-server.js';
import {
  copyOf,
  hasEverything,
  installation,
  killedAt,
  migrate,
  PLACE,
  putOrphan,
  s3Config,
  s3Env,
  tempFolder,
} from './move-objects-rig.js';

const log = pino({ level: 'silent' });
const original = await installation(t);

const kindsOf = (stdout: string) => {
  const { database, objects } = JSON.parse(stdout);
  return { database, objects };
};

t.test('into a bucket, compared, and once', async (t) => {
  const server = await startS3Server(t, { least: 5 * 1024 * 1024 });
  const of = copyOf(t, original);
  putOrphan(of);
  const files = readdirSync(of.data, { recursive: true }).filter((name) => /^(contents|logs)/.test(String(name)));
  const ran = await migrate(of.data, ['--objects', PLACE], s3Env(server));
  t.equal(ran.code, 0, ran.stderr);
  t.equal(ran.stderr, '', 'no progress without a terminal');
  const { database, objects } = kindsOf(ran.stdout);
  t.equal(database, null);
  t.same([objects.to, objects.lost], [PLACE, 0]);
  t.same(
    objects.kinds.map(({ kind, count }: { kind: string; count: number }) => [kind, count]),
    [
      ['blobs', 3],
      ['manifests', 1],
      ['artifacts', 2],
      ['logs', 2],
    ],
  );
  for (const { sha256, bytes } of objects.kinds) {
    t.match(sha256, /^[0-9a-f]{64}$/);
    t.ok(bytes > 0);
  }
  t.equal(
    server.objects.size,
    1 + 2 + 1 + 2 + 2,
    'the name; a pack and a large one; a manifest; two artifacts; a log with its index',
  );
  await hasEverything(t, of, s3Config(server));
  t.same(
    readdirSync(of.data, { recursive: true })
      .filter((name) => /^(contents|logs)/.test(String(name)))
      .sort(),
    files.sort(),
    'the files are left as they were',
  );
  server.requests.length = 0;
  const again = await migrate(of.data, ['--objects', PLACE], s3Env(server));
  t.same([again.code, again.stdout], [0, ran.stdout]);
  t.notOk(server.requests.some((request) => request.startsWith('PUT ')));
  const elsewhere = await migrate(of.data, ['--objects', `file://${tempFolder(t)}`]);
  t.equal(elsewhere.code, 65);
  t.match(elsewhere.stderr, /has its uploads, artifacts and logs in an object store already/);
  const store = openSqlite(join(of.data, 'cidermill.db'));
  await t.rejects(useOwnObjects(store, null, log), { message: /set CIDERMILL_OBJECTS as it was/ });
  await store.close();
});

t.test('killed, and run again', async (t) => {
  const server = await startS3Server(t, { least: 5 * 1024 * 1024 });
  for (const nth of [9, 24])
    await t.test(`at request ${nth}`, (t) => killedAt(t, original, server, { nth, arrives: nth !== 9 }));
});

t.test('an interrupted move goes on in another place from the beginning, or where its objects are', async (t) => {
  const server = await startS3Server(t, { least: 5 * 1024 * 1024 });
  const of = copyOf(t, original);
  let left = 12;
  server.refuse = () => (--left > 0 ? null : { status: 403, code: 'AccessDenied' });
  const failed = await migrate(of.data, ['--objects', PLACE], s3Env(server));
  t.equal(failed.code, 70);
  t.match(
    failed.stderr,
    /the move to s3:\/\/mill-objects\/mill has failed: The object store refuses: .*403\. Run it again\./,
  );
  server.refuse = () => null;

  await t.test('the same place, whose objects somebody has deleted in part', async (t) => {
    const same = copyOf(t, of);
    const [gone = ''] = [...server.objects.keys()].filter((key) => !key.includes('installation/'));
    server.objects.delete(gone);
    const ran = await migrate(same.data, ['--objects', PLACE], s3Env(server));
    t.equal(ran.code, 0, ran.stderr);
    t.match(ran.stderr, /an earlier move to s3:\/\/mill-objects\/mill was interrupted: it continues/);
    await hasEverything(t, same, s3Config(server));
  });

  const place = tempFolder(t);
  const ran = await migrate(of.data, ['--objects', `file://${place}`]);
  t.equal(ran.code, 0, ran.stderr);
  t.match(ran.stderr, /an earlier move to another place was interrupted/);
  await hasEverything(t, of, { kind: 'folder', path: place });
});

t.test('what is missing or damaged is refused, and may be left out', async (t) => {
  const of = copyOf(t, original);
  const place = tempFolder(t);
  const folder = join(of.data, 'contents', 'artifacts', 'content', String(of.accountId));
  const large = readdirSync(folder, { recursive: true })
    .map(String)
    .find((name) => /[0-9a-f]{64}-/.test(name));
  const path = join(folder, large ?? '');
  writeFileSync(path, 'somebody was here');
  rmSync(join(of.data, 'logs', of.ended.slice(-2), `${of.ended}.log`));
  const refused = await migrate(of.data, ['--objects', `file://${place}`]);
  t.equal(refused.code, 65);
  t.match(refused.stderr, /missing or damaged: .*artifacts/);
  t.match(refused.stderr, /missing or damaged: .*\.log/);
  t.match(refused.stderr, /2 files that the database names are missing or damaged .* give --even-lost/);
  const store = openSqlite(join(of.data, 'cidermill.db'));
  await useOwnObjects(store, null, log);
  await t.rejects(useOwnObjects(store, await openFolderObjects(place), log), { message: /admin migrate --objects/ });
  await store.close();

  await t.test('put back, it is moved', async (t) => {
    const whole = copyOf(t, of);
    cpSync(join(original.data, 'contents'), join(whole.data, 'contents'), { recursive: true });
    cpSync(join(original.data, 'logs'), join(whole.data, 'logs'), { recursive: true });
    const ran = await migrate(whole.data, ['--objects', `file://${place}`]);
    t.equal(ran.code, 0, ran.stderr);
    await hasEverything(t, whole, { kind: 'folder', path: place });
  });

  const ran = await migrate(of.data, ['--objects', `file://${place}`, '--even-lost']);
  t.equal(ran.code, 0, ran.stderr);
  const { objects } = kindsOf(ran.stdout);
  t.equal(objects.lost, 2);
  t.match(objects.kinds, [{ count: 3 }, { count: 1 }, { kind: 'artifacts', count: 1 }, { kind: 'logs', count: 1 }]);
});

t.test('a place in a folder that is moved, a wrong one, and none', async (t) => {
  const of = copyOf(t, original);
  const inside = await migrate(of.data, ['--objects', `file://${join(of.data, 'contents', 'blobs')}`]);
  t.equal(inside.code, 65);
  t.match(inside.stderr, /is in the folder contents that is moved/);
  const wrong = await migrate(of.data, ['--objects', 'gs://mill']);
  t.equal(wrong.code, 64);
  t.match(wrong.stderr, /CIDERMILL_OBJECTS: expected s3:\/\/BUCKET/);
  const noKey = await migrate(of.data, ['--objects', PLACE]);
  t.equal(noKey.code, 64);
  t.match(noKey.stderr, /AWS_ACCESS_KEY_ID: is needed/);
  const none = await migrate(of.data, []);
  t.equal(none.code, 64);
  t.match(none.stderr, /or give --objects/);
});
