// An account's contents in a folder, with the rows that name them.
import { join } from 'node:path';
import { insertOrganization } from '../../control-plane/access/store/organizations.js';
import { openContents } from '../../control-plane/platform/blobs/contents.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';
import { putMigratedDatabase } from '../harness/migrated-database.js';

/** Made when it is new; the same account every time. */
export async function openBlobs(folder: string) {
  const file = join(folder, 'blobs.db');
  await putMigratedDatabase(file);
  const store = openSqlite(file);
  const known = await store.get<{ id: number }>('SELECT id FROM organizations', {});
  const account = { orgId: 'org_one', name: 'one', slug: 'one', createdAt: 0 };
  const { id } = known ?? (await store.transaction((tx) => insertOrganization(tx, account)));
  return { store, contents: await openContents(join(folder, 'contents')), accountId: id };
}
