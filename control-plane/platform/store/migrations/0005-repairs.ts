// Macs that could not be prepared for a build, builds that were started again for that, and hosts low on disk space.
import type { Migration } from '../migrate.js';

export const repairs: Migration = {
  id: 5,
  name: 'repairs',
  statements: [
    // Of a Mac that is being made: its host repairs it because a build could not be prepared there.
    `ALTER TABLE rentals ADD COLUMN repairing INTEGER NOT NULL DEFAULT 0`,
    // Repairs in a row since a build could be prepared.
    `ALTER TABLE rentals ADD COLUMN repairs INTEGER NOT NULL DEFAULT 0`,
    `ALTER TABLE builds ADD COLUMN start_retried INTEGER NOT NULL DEFAULT 0`,
    `ALTER TABLE hosts ADD COLUMN disk_low INTEGER NOT NULL DEFAULT 0`,
  ],
};
