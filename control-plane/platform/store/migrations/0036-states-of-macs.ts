// The history of states of each Mac.
import type { Migration } from '../migrate.js';

export const statesOfMacs: Migration = {
  id: 36,
  name: 'states-of-macs',
  statements: [
    `CREATE TABLE mac_states (
       seq INTEGER PRIMARY KEY,
       rental_id TEXT NOT NULL,
       at INTEGER NOT NULL,
       state TEXT NOT NULL,
       cause TEXT NOT NULL,
       job_id TEXT
     )`,
    `CREATE INDEX mac_states_of_a_mac ON mac_states (rental_id, seq)`,
    `CREATE INDEX mac_states_age ON mac_states (at)`,
  ],
};
