// The processes of the control plane that use this database. Their times are those of PostgreSQL, whatever the clocks of
// their machines say.
import { text } from '../domain/fields.js';
import { type ProcessRecord, processFields } from '../domain/process.js';
import type { Queries } from './sql.js';
import { table } from './table.js';

export const processes = table('processes', processFields);

/** What one process does for all: its name, and which process that is. */
export const processTasks = table('process_tasks', { task: text(), processId: text().orNull });

/** By which processes wake each other. */
export const WAKE_CHANNEL = 'cidermill';

/** Not the start of the transaction: it may have waited. */
export const DATABASE_NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

const insert = processes.inserter<'startedAt' | 'seenAt'>({
  computed: { startedAt: DATABASE_NOW, seenAt: DATABASE_NOW },
});

export async function insertProcess(q: Queries, process: Omit<ProcessRecord, 'startedAt' | 'seenAt'>): Promise<void> {
  await insert(q, process);
}

/** Oldest first. */
export const listProcesses = (q: Queries): Promise<ProcessRecord[]> =>
  processes.all(q, 'ORDER BY started_at, process_id');

export const listAlive = (q: Queries, deadMs: number): Promise<ProcessRecord[]> =>
  processes.all(q, `WHERE seen_at >= ${DATABASE_NOW} - :deadMs`, { deadMs });

/**
 * A process is there: its id, how many hosts are connected to it, its lag, after how long one has died, its key. Returns no row when it has been given up, and
 * how many others have not been seen for too long. Run outside a serializable transaction, it disturbs none.
 */
export const BEAT = `UPDATE processes SET seen_at = ${DATABASE_NOW}, connections = $2, lag_ms = $3, key_id = $5 WHERE process_id = $1
  RETURNING (SELECT COUNT(*) FROM processes o WHERE o.seen_at < ${DATABASE_NOW} - $4::int AND o.process_id <> $1) AS dead`;

/** Tells all processes that anything may have changed. */
export const WAKE_EVERYTHING = `SELECT pg_notify('${WAKE_CHANNEL}', '["",null]')`;

/** Deletes those that have not been seen for so long, and returns them. */
export const deleteDead = (tx: Queries, deadMs: number): Promise<ProcessRecord[]> =>
  processes.allOf(
    tx,
    `DELETE FROM processes WHERE seen_at < ${DATABASE_NOW} - :deadMs RETURNING ${processes.columns}`,
    { deadMs },
  );

export async function deleteProcess(tx: Queries, processId: string): Promise<void> {
  await tx.run('DELETE FROM processes WHERE process_id = :processId', { processId });
}

/** Deletes all. */
export const deleteProcesses = (tx: Queries): Promise<ProcessRecord[]> =>
  processes.allOf(tx, `DELETE FROM processes RETURNING ${processes.columns}`);

export async function giveBackTasks(tx: Queries, processId: string): Promise<void> {
  await processTasks.update(tx, { processId }, { processId: null });
}

/** Takes a task that no process has. Returns whether this process has it. */
export async function takeTask(tx: Queries, task: string, processId: string): Promise<boolean> {
  const { changes } = await tx.run(
    `UPDATE process_tasks SET process_id = :processId WHERE task = :task AND (process_id = :processId
       OR process_id IS NULL OR process_id NOT IN (SELECT process_id FROM processes))`,
    { task, processId },
  );
  return changes === 1;
}
