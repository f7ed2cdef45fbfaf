// Which machine a host is, and the address that it connected from: another machine with its credential is noticed.
import type { Migration } from '../migrate.js';

export const machinesOfHosts: Migration = {
  id: 58,
  name: 'machines-of-hosts',
  statements: ['ALTER TABLE hosts ADD COLUMN machine TEXT', 'ALTER TABLE hosts ADD COLUMN connected_from TEXT'],
};
