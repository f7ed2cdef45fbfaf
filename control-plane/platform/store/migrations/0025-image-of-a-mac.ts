import type { Migration } from '../migrate.js';

/** Macs that exist before this migration can select what their tier offers. */
export const imageOfAMac: Migration = {
  id: 25,
  name: 'image-of-a-mac',
  statements: [`ALTER TABLE macs ADD COLUMN made_from TEXT`],
};
