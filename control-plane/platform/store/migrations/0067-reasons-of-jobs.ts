// Why a job failed is kept as a message, beside its text.
import type { Migration } from '../migrate.js';

export const reasonsOfJobs: Migration = {
  id: 67,
  name: 'reasons-of-jobs',
  statements: ['ALTER TABLE jobs ADD COLUMN reason TEXT'],
};
