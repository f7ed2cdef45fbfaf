// Whether an artifact is executable: it is saved as the build made it.
import type { Migration } from '../migrate.js';

export const executableArtifacts: Migration = {
  id: 54,
  name: 'executable-artifacts',
  statements: ['ALTER TABLE files ADD COLUMN executable INTEGER NOT NULL DEFAULT 0'],
};
