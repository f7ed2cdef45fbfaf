// An account's contents in a folder, with the rows that name them.
import { join } from 'node:path';
import { insertOrganization } from '../../control-plane/access/store/organizations.js';
import { openContents } from '../../control-plane/platform/blobs/contents.js';
import { migrate } from '../../control-plane/platform/store/migrate.js';
import { migrations } from '../../control-plane/platform/store/migrations/all.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';

/** Made when it is new; the same account every time. */
export async function openBlobs(folder: string) {
  const store = openSqlite(join(folder, 'blobs.db'));
  await migrate(store, migrations, 0);
  const known = await store.get<{ id: number }>('SELECT id FROM organizations', {});
  const account = { orgId: 'org_one', name: 'one', slug: 'one', createdAt: 0 };
  const { id } = known ?? (await store.transaction((tx) => insertOrganization(tx, account)));
  return { store, contents: await openContents(join(folder, 'contents')), accountId: id };
}
