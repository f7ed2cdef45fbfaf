import type { Migration } from '../migrate.js';
import { schema } from './0065-schema.js';
import { orderOfRollouts } from './0066-order-of-rollouts.js';
import { reasonsOfJobs } from './0067-reasons-of-jobs.js';
import { reasonsOfProblems } from './0068-reasons-of-problems.js';
import { errorsOfNotices } from './0069-errors-of-notices.js';
import { keptObjects } from './0070-kept-objects.js';
import { processes } from './0071-processes.js';
import { sharedLogs } from './0072-shared-logs.js';
import { messagesOfNotices } from './0073-messages-of-notices.js';

/** Every migration, oldest first. Released ones are never edited; a change is a new one. */
export const migrations: readonly Migration[] = [
  schema,
  orderOfRollouts,
  reasonsOfJobs,
  reasonsOfProblems,
  errorsOfNotices,
  keptObjects,
  processes,
  sharedLogs,
  messagesOfNotices,
];

/** What a database of this program is at. */
export const newestMigration = migrations.at(-1)?.id ?? 0;
