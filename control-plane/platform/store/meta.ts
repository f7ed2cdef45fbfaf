// Single values that belong to the whole service, by name.
import { text } from '../domain/fields.js';
import type { Queries } from './sql.js';
import { table } from './table.js';

export const meta = table('meta', { name: text(), value: text() });

export async function readMeta(q: Queries, name: string): Promise<string | null> {
  return (await meta.get(q, 'WHERE name = :name', { name }))?.value ?? null;
}

const put = meta.inserter({ onConflict: `ON CONFLICT (name) DO UPDATE SET ${meta.excluded('value')}` });

/** Replaces the existing value. */
export async function writeMeta(q: Queries, name: string, value: string): Promise<void> {
  await put(q, { name, value });
}

/** How far the test clock runs ahead; kept with the data, so that time never goes back over a restart. */
const CLOCK_OFFSET = 'clock_offset_ms';

export async function readClockOffset(db: Queries): Promise<number> {
  return Number((await readMeta(db, CLOCK_OFFSET)) ?? 0);
}

export async function writeClockOffset(db: Queries, offsetMs: number): Promise<void> {
  await writeMeta(db, CLOCK_OFFSET, String(offsetMs));
}

/** When the database was last copied by the service's own command. */
const LAST_BACKUP = 'last_backup_at';

/** Ms since the epoch; null: never. */
export async function lastBackupAt(q: Queries): Promise<number | null> {
  const at = await readMeta(q, LAST_BACKUP);
  return at === null ? null : Number(at);
}

export const recordBackup = (q: Queries, now: number): Promise<void> => writeMeta(q, LAST_BACKUP, String(now));
