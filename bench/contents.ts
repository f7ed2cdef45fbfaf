// The service's part of a first upload: 10,000 small contents (54 MB) stored durably, and read as a host
// fetches them, against git adding the same files with an fsync each, and with its batched fsync.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createStorageQuota } from '../control-plane/access/app/storage-quota.js';
import { insertOrganization } from '../control-plane/access/store/organizations.js';
import { blobRecords } from '../control-plane/hosts/link/blob-records.js';
import { createFsContentStore } from '../control-plane/platform/blobs/fs-content-store.js';
import { defaultLimits } from '../control-plane/platform/domain/limits.js';
import { migrate } from '../control-plane/platform/store/migrate.js';
import { migrations } from '../control-plane/platform/store/migrations/all.js';
import { openSqlite } from '../control-plane/platform/store/sqlite.js';
import { beginIntake } from '../control-plane/uploads/app/blob-intake.js';
import { systemClock } from '../shared/clock.js';
import { median, print, ratio } from './report.js';

const files = 10_000;
const size = 5400;
const rounds = 3;
const dir = mkdtempSync(join(tmpdir(), 'cidermill-contents-'));
const timed = async (work: () => Promise<void> | void): Promise<number> => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};

/** Returns the milliseconds to store all contents, and to read all of them. */
async function ours(contents: readonly Buffer[], folder: string): Promise<[number, number]> {
  mkdirSync(folder);
  const store = openSqlite(join(folder, 'rows.db'));
  await migrate(store, migrations, 0);
  const organization = { orgId: 'org_bench', name: 'bench', slug: 'bench', createdAt: 0 };
  const { id } = await store.transaction((tx) => insertOrganization(tx, organization));
  const blobs = await createFsContentStore(join(folder, 'blobs'));
  const quota = createStorageQuota({ store, limits: defaultLimits });
  const taken = await timed(async () => {
    const intake = beginIntake(
      { store, clock: systemClock, blobs, quota },
      { accountId: id, workspaceId: 'ws_1' },
      true,
    );
    for (const bytes of contents) await intake.add(once(bytes), { size: bytes.length });
    if ((await intake.finish()) !== contents.length) throw new Error('not all of them were stored');
  });
  const rows = await store.all<{ sha256: string; key: string }>(
    'SELECT sha256, blob_key AS key FROM blobs ORDER BY stored_at',
  );
  const keys = new Map(rows.map(({ sha256, key }) => [sha256, key]));
  const openBlob = async (account: number, sha256: string) => {
    return { size, stream: await blobs.open(String(account), keys.get(sha256) ?? '') };
  };
  const read = await timed(async () => {
    for await (const piece of blobRecords({ openBlob }, id, [...keys.keys()])) consume(piece);
  });
  await store.close();
  return [taken, read];
}

/** Returns the milliseconds of `git add` of the same files. */
function git(contents: readonly Buffer[], folder: string, method: 'fsync' | 'batch'): Promise<number> {
  mkdirSync(folder);
  execFileSync('git', ['init', '--quiet', folder]);
  for (const [n, bytes] of contents.entries()) writeFileSync(join(folder, `file${n}`), bytes);
  const options = ['-c', 'core.fsync=all', '-c', `core.fsyncMethod=${method}`, '-c', 'core.compression=0'];
  return timed(() => void execFileSync('git', [...options, 'add', '.'], { cwd: folder }));
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

let seen = 0;
function consume(piece: Buffer): void {
  seen += piece.length;
}

const results: { taken: number; read: number; fsync: number; batch: number }[] = [];
for (let round = 0; round < rounds; round++) {
  const contents = Array.from({ length: files }, () => randomBytes(size));
  const fsync = await git(contents, join(dir, `git-${round}`), 'fsync');
  const batch = await git(contents, join(dir, `batch-${round}`), 'batch');
  const [taken, read] = await ours(contents, join(dir, `ours-${round}`));
  results.push({ taken, read, fsync, batch });
}
if (seen < rounds * files * size) throw new Error('not everything was read back');
rmSync(dir, { recursive: true });
const of = (name: keyof (typeof results)[number]) => median(results.map((result) => result[name]));
print('contents: 10,000 of 5.4 KB, durable', [
  { name: 'git add, fsync each', value: of('fsync'), unit: 'ms', ratio: 1 },
  {
    name: 'git add, batched fsync',
    value: of('batch'),
    unit: 'ms',
    ratio: ratio(of('batch'), of('fsync')),
  },
  { name: 'taken in', value: of('taken'), unit: 'ms', ratio: ratio(of('taken'), of('fsync')) },
  { name: 'read back', value: of('read'), unit: 'ms', ratio: null },
]);
