import type { Migration } from '../migrate.js';

export const movesOfHosts: Migration = {
  id: 26,
  name: 'moves-of-hosts',
  statements: [`ALTER TABLE hosts ADD COLUMN link_address TEXT`, `ALTER TABLE hosts ADD COLUMN move_to TEXT`],
};
