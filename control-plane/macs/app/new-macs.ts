// The limits of changes that recreate a Mac.
import type { Limits } from '../../platform/domain/limits.js';
import type { Queries } from '../../platform/store/sql.js';
import { makesNewMac, type NewMacQuota, newMacQuota, newMacWindowMs } from '../domain/maintenance.js';
import { readJobsSince } from '../store/jobs.js';

type NewMacLimits = Pick<Limits, 'reset_every_ms' | 'resets_per_day'>;

/** Returns when the changes were accepted that recreated the Mac and count toward the limits, ms. */
export async function newMacsOf(q: Queries, rentalId: string, now: number, limits: NewMacLimits): Promise<number[]> {
  const jobs = await readJobsSince(q, rentalId, now - newMacWindowMs(limits));
  return jobs
    .filter(({ kind, target }) => kind !== 'provision' && makesNewMac({ kind, target }))
    .map(({ createdAt }) => createdAt);
}

/** Returns how often the Mac may still be recreated today, and when the next time is allowed. */
export async function newMacQuotaOf(
  q: Queries,
  rentalId: string,
  now: number,
  limits: NewMacLimits,
): Promise<NewMacQuota> {
  return newMacQuota(await newMacsOf(q, rentalId, now, limits), now, limits);
}
