// What one process counts and locks in its memory.
import t from 'tap';
import { openMigrated } from '../harness/migrated-database.js';
import { sharedConformance } from './shared-conformance.js';

t.test('one process by itself', async (t) => {
  const store = await openMigrated();
  t.teardown(() => store.close());
  await sharedConformance(t, { stores: [store, store], shared: [null, null] });
});
