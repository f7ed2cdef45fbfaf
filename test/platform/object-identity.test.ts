import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { insertOrganization } from '../../control-plane/access/store/organizations.js';
import { useOwnObjects } from '../../control-plane/own-objects.js';
import { claimObjects } from '../../control-plane/platform/app/object-identity.js';
import { BlobError } from '../../control-plane/platform/blobs/blob-error.js';
import { openFolderObjects } from '../../control-plane/platform/blobs/folder-objects.js';
import { addUsage } from '../../control-plane/platform/store/account-usage.js';
import { openMigrated } from '../harness/migrated-database.js';

const log = pino({ level: 'silent' });

async function start(t: Test) {
  const root = t.testdir({});
  const store = await openMigrated();
  t.teardown(() => store.close());
  const { id } = await store.transaction((tx) =>
    insertOrganization(tx, { orgId: 'org_1', name: 'one', slug: 'one', createdAt: 0 }),
  );
  return { root, store, accountId: id, folder: (name: string) => openFolderObjects(join(root, name)) };
}

t.test('an installation keeps the store that it began with', async (t) => {
  const { root, store, accountId, folder } = await start(t);
  t.equal(await claimObjects(store, null), null, 'files need no claim');
  t.equal(await claimObjects(store, await folder('a')), null);
  t.equal(await claimObjects(store, await folder('a')), null);
  await store.transaction((tx) => addUsage(tx, accountId, 'contentsBytes', 5));
  t.equal(await claimObjects(store, await folder('a')), null);
  t.equal(await claimObjects(store, await folder('b')), 'other');
  t.equal(await claimObjects(store, null), 'unset');
  cpSync(join(root, 'a'), join(root, 'copy'), { recursive: true });
  t.equal(await claimObjects(store, await folder('copy')), null, 'a complete copy is as good');
  rmSync(join(root, 'a', 'objects'), { recursive: true });
  await t.rejects(useOwnObjects(store, await folder('a'), log), {
    name: 'StartError',
    message: /does not have the objects/,
  });
  await t.rejects(useOwnObjects(store, null, log), { name: 'StartError', message: /set CIDERMILL_OBJECTS as it was/ });
});

t.test('an installation with files does not change over to a store that lacks them', async (t) => {
  const { store, accountId, folder } = await start(t);
  await store.transaction((tx) => addUsage(tx, accountId, 'logsBytes', 5));
  t.equal(await claimObjects(store, await folder('a')), 'files');
  t.equal(await claimObjects(store, null), null, 'nothing was written');
});

t.test('processes that start at once, and one that died at its first start, agree', async (t) => {
  const { store, folder } = await start(t);
  const objects = await folder('a');
  const away = { ...objects, put: () => Promise.reject(new BlobError('away', 'no answer')) };
  await t.rejects(claimObjects(store, away), { name: 'BlobError', kind: 'away' });
  t.same(await Promise.all([1, 2, 3].map(() => claimObjects(store, objects))), [null, null, null]);
  t.equal(await claimObjects(store, objects), null);
  t.equal(await claimObjects(store, await folder('b')), 'other');
});

t.test('a store that is away does not keep the service from starting', async (t) => {
  const { store, folder } = await start(t);
  const objects = await folder('a');
  await claimObjects(store, objects);
  const away = { ...objects, stat: () => Promise.reject(new BlobError('away', 'no answer')) };
  await useOwnObjects(store, away, log);
  const broken = { ...objects, stat: () => Promise.reject(new TypeError('a defect')) };
  await t.rejects(useOwnObjects(store, broken, log), { message: 'a defect' });
});
