// Messages for people as code, values and text (JSON). The columns with the text alone stay for rows of older versions.
import type { Migration } from '../migrate.js';

export const messages: Migration = {
  id: 55,
  name: 'messages',
  statements: [
    'ALTER TABLE deliveries ADD COLUMN error_message TEXT',
    'ALTER TABLE builds ADD COLUMN commit_state_message TEXT',
  ],
};
