// What is wrong with a host, tier or payment is kept as a message, beside its text, instead of translations.
import type { Migration } from '../migrate.js';

export const reasonsOfProblems: Migration = {
  id: 68,
  name: 'reasons-of-problems',
  statements: [
    'ALTER TABLE operator_problems ADD COLUMN reason TEXT',
    'ALTER TABLE operator_problems DROP COLUMN translations',
  ],
};
