import type { Migration } from '../migrate.js';

/** A counter by which keys were cached once. Nothing reads it any more. */
export const accessRevision: Migration = {
  id: 22,
  name: 'access-revision',
  statements: [`DELETE FROM meta WHERE name = 'access_revision'`],
};
