// When the database was last copied by the service's own command.
import { readMeta, writeMeta } from './meta.js';
import type { Queries } from './sql.js';

const LAST_BACKUP = 'last_backup_at';

/** Ms since the epoch; null: never. */
export async function lastBackupAt(q: Queries): Promise<number | null> {
  const at = await readMeta(q, LAST_BACKUP);
  return at === null ? null : Number(at);
}

export const recordBackup = (q: Queries, now: number): Promise<void> => writeMeta(q, LAST_BACKUP, String(now));
