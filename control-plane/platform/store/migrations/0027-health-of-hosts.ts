import type { Migration } from '../migrate.js';

export const healthOfHosts: Migration = {
  id: 27,
  name: 'health-of-hosts',
  statements: [`ALTER TABLE hosts ADD COLUMN health TEXT`],
};
