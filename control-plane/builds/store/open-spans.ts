// Times of unfinished builds from which spans are measured; see platform/app/clock-steps.ts.
import type { Transaction } from '../../platform/store/sql.js';

// Names every value of an index's first column, so that waiting builds are found without reading the others.
const QUEUED = `status = 'queued' AND stalled_queue IN (0, 1)`;

/** Moves the times of unfinished builds from which spans are measured by `ms`, after a step of the service's clock. */
export async function shiftOpenBuilds(tx: Transaction, ms: number): Promise<void> {
  await tx.run(
    `UPDATE builds SET created_at = created_at + :ms, requeued_at = requeued_at + :ms, started_at = started_at + :ms
     WHERE ${QUEUED}`,
    { ms },
  );
  await tx.run(
    `UPDATE builds SET created_at = created_at + :ms, requeued_at = requeued_at + :ms, started_at = started_at + :ms,
       attempt_started_at = attempt_started_at + :ms, deadline_at = deadline_at + :ms,
       last_output_at = last_output_at + :ms, stop_requested_at = stop_requested_at + :ms
     WHERE status = 'running'`,
    { ms },
  );
}
