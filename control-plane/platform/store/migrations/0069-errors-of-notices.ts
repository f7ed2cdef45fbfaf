// Why the webhook of a notice to operators failed is kept as a message, beside its text.
import type { Migration } from '../migrate.js';

export const errorsOfNotices: Migration = {
  id: 69,
  name: 'errors-of-notices',
  statements: ['ALTER TABLE operator_notices ADD COLUMN error_message TEXT'],
};
