import { z } from 'zod';
import { type PlacedEntry, waitlistStatuses } from '../../../domain/waitlist.js';
import { isoTime } from './build.js';

export const waitlistEntryShape = z
  .object({
    id: z.string(),
    tier: z.string(),
    units: z.int().min(1),
    status: z.enum(waitlistStatuses),
    position: z.int().min(1).nullable(),
    created_at: z.string(),
    notified_at: z.string().nullable(),
  })
  .meta({ id: 'WaitlistEntry' });

export const waitlistShape = z.object({ entries: z.array(waitlistEntryShape) }).meta({ id: 'Waitlist' });

export function waitlistEntryView(entry: PlacedEntry): z.infer<typeof waitlistEntryShape> {
  return {
    id: entry.entryId,
    tier: entry.tier,
    units: entry.units,
    status: entry.status,
    position: entry.position,
    created_at: new Date(entry.createdAt).toISOString(),
    notified_at: isoTime(entry.notifiedAt),
  };
}
