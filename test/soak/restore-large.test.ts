// Backup and restore of an installation on PostgreSQL with objects: the commands of docs/operating.md.
// Requires: postgres, rsync
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { createControlPlane } from '../../control-plane/index.js';
import { claimObjects } from '../../control-plane/platform/app/object-identity.js';
import { openFolderObjects } from '../../control-plane/platform/blobs/folder-objects.js';
import { openPostgres } from '../../control-plane/platform/store/postgres/postgres.js';
import { copyOf, hasEverything, installation, migrate, tempFolder } from '../admin/move-objects-rig.js';
import { commandsOf } from '../harness/machine/page-commands.js';
import { startPostgres } from '../harness/postgres.js';
import { putObjectsId, rowsOfServer } from '../platform/postgres/move-rig.js';

const PAGE = fileURLToPath(new URL('../../../docs/operating.md', import.meta.url));
const blocks = commandsOf(readFileSync(PAGE, 'utf8')).filter(({ where }) => where === 'with PostgreSQL');
const cluster = await startPostgres();
t.teardown(() => cluster.stop());
const log = pino({ level: 'silent' });
const newUrl = async () => (await cluster.createDatabase()).url.replace('@/', '@localhost/');

/** An installation on PostgreSQL with a folder of objects, and what its backup needs. */
async function large(t: Test) {
  const of = await installation(t);
  const root = tempFolder(t);
  const [backup, mounted, restored] = ['backup', 'mounted', 'restored'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(backup);
  const url = await newUrl();
  const moved = await migrate(of.data, ['--to', url, '--objects', `file://${mounted}`]);
  if (moved.code !== 0) throw new Error(moved.stderr);
  return {
    of,
    root,
    backup,
    mounted,
    restored,
    url,
    /** Runs a block of the page. */
    run(block: number, env: Readonly<Record<string, string>>) {
      const commands = (blocks[block]?.commands ?? '')
        .replaceAll('/mnt/cidermill', mounted)
        .replaceAll('/mnt/restored', restored)
        .replaceAll('/backup', backup);
      const PATH = `${cluster.programs}:${process.env.PATH}`;
      execFileSync('bash', ['-euo', 'pipefail', '-c', commands], { env: { ...process.env, PATH, ...env } });
    },
  };
}

type Large = Awaited<ReturnType<typeof large>>;

async function isWhole(t: Test, { of }: Large, url: string, place: string): Promise<void> {
  const objects = await openFolderObjects(place);
  const store = await openPostgres(url, { connections: 1 });
  t.equal(await claimObjects(store, objects), null, 'database and objects belong together');
  await store.close();
  const looked = copyOf(t, of);
  await putObjectsId(join(looked.data, 'cidermill.db'), url);
  await hasEverything(t, looked, { kind: 'folder', path: place });
  const settings = { CIDERMILL_PORT: '0', CIDERMILL_DATABASE_URL: url, CIDERMILL_OBJECTS: `file://${place}` };
  const data = tempFolder(t);
  cpSync(join(of.data, 'secret.key'), join(data, 'secret.key'));
  const service = await createControlPlane({ env: { CIDERMILL_DATA: data, ...settings }, log });
  t.equal((await fetch(`${service.baseUrl.replace(/\/api\/v1$/, '')}/healthz`)).status, 200);
  await service.stop();
}

t.test('the page has three blocks for it', async (t) => {
  t.same(
    blocks.map(({ commands }) => /pg_dump|pg_restore|pg_basebackup/.exec(commands)?.[0]),
    ['pg_dump', 'pg_restore', 'pg_basebackup'],
  );
});

t.test('a dump, and a copy of the folder of objects', async (t) => {
  const one = await large(t);
  one.run(0, { DATABASE: one.url });
  const before = await rowsOfServer(one.url);
  // Everything that was not copied is gone.
  rmSync(one.mounted, { recursive: true });
  const RESTORED = await newUrl();
  one.run(1, { RESTORED });
  t.same(await rowsOfServer(RESTORED), before);
  await isWhole(t, one, RESTORED, one.restored);
});

t.test('a base backup, and a copy of the folder of objects', async (t) => {
  const one = await large(t);
  const before = await rowsOfServer(one.url);
  one.run(2, { DATABASE: one.url });
  const database = new URL(one.url).pathname.slice(1);
  const url = (await cluster.startOnCopy(join(one.backup, 'base'), database)).replace('@/', '@localhost/');
  t.same(await rowsOfServer(url), before);
  mkdirSync(one.restored);
  cpSync(join(one.backup, 'objects'), join(one.restored, 'objects'), { recursive: true });
  rmSync(one.mounted, { recursive: true });
  await isWhole(t, one, url, one.restored);
});
