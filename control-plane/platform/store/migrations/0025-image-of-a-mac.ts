import type { Migration } from '../migrate.js';

/** Of Macs from before, what their tier offers can be selected. */
export const imageOfAMac: Migration = {
  id: 25,
  name: 'image-of-a-mac',
  statements: [`ALTER TABLE macs ADD COLUMN made_from TEXT`],
};
