// How far the test clock runs ahead; kept with the data, so that time never goes back over a restart.
import { readMeta, writeMeta } from './meta.js';
import type { Queries } from './sql.js';

const NAME = 'clock_offset_ms';

export async function readClockOffset(db: Queries): Promise<number> {
  return Number((await readMeta(db, NAME)) ?? 0);
}

export async function writeClockOffset(db: Queries, offsetMs: number): Promise<void> {
  await writeMeta(db, NAME, String(offsetMs));
}
