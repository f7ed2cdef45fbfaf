// Why a build failed as code, values and text (JSON), in the list of errors. Builds keep it in `failure`, which is JSON.
import type { Migration } from '../migrate.js';

export const failureMessages: Migration = {
  id: 56,
  name: 'failure-messages',
  statements: ['ALTER TABLE api_errors ADD COLUMN failure_message TEXT'],
};
