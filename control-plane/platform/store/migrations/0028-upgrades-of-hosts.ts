import type { Migration } from '../migrate.js';

export const upgradesOfHosts: Migration = {
  id: 28,
  name: 'upgrades-of-hosts',
  statements: [`ALTER TABLE hosts ADD COLUMN upgrade TEXT`],
};
