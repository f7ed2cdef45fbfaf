import type { Migration } from '../migrate.js';

export const xcodesOfHosts: Migration = {
  id: 9,
  name: 'xcodes-of-hosts',
  statements: [
    // Versions as a JSON list, from the host's inventory. Null until the host reports, and where its Macs have Xcodes of their own.
    `ALTER TABLE hosts ADD COLUMN xcodes TEXT`,
  ],
};
