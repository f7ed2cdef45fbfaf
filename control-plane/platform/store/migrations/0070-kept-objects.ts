// Every object in the object store has a row here, from before its bytes are written until they are deleted.
import type { Migration } from '../migrate.js';

export const keptObjects: Migration = {
  id: 70,
  name: 'kept-objects',
  statements: [
    `CREATE TABLE kept_objects (
      object_key TEXT PRIMARY KEY,
      content_key TEXT,
      state TEXT NOT NULL,
      check_at INTEGER NOT NULL)`,
    'CREATE INDEX kept_objects_due ON kept_objects (check_at, object_key)',
  ],
};
