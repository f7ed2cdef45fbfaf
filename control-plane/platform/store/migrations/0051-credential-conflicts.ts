// What operators have to be told of until they have dealt with it: two agents that used the credential of one host.
import type { Migration } from '../migrate.js';

export const credentialConflicts: Migration = {
  id: 51,
  name: 'credential-conflicts',
  statements: ['ALTER TABLE hosts ADD COLUMN credential_conflict TEXT'],
};
