// How far the test clock runs ahead; kept with the data, so that time never goes back over a restart.
import type { Queries } from './sql.js';

export async function readClockOffset(db: Queries): Promise<number> {
  const row = await db.get<{ value: string }>(`SELECT value FROM meta WHERE name = 'clock_offset_ms'`);
  return Number(row?.value ?? 0);
}

export async function writeClockOffset(db: Queries, offsetMs: number): Promise<void> {
  await db.run(
    `INSERT INTO meta (name, value) VALUES ('clock_offset_ms', :value)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    { value: String(offsetMs) },
  );
}
