import { z } from 'zod';
import { enumeration } from '../../platform/domain/enumeration.js';
import { isoTime } from '../../platform/domain/iso-time.js';
import { time } from '../../platform/http/values.js';
import { type PlacedEntry, waitlistStatuses } from '../domain/waitlist.js';

export const waitlistEntryShape = z
  .object({
    id: z.string(),
    tier: z.string(),
    units: z.int().min(1).meta({ title: 'Macs' }),
    status: enumeration(waitlistStatuses, {
      plain: true,
      meanings: {
        waiting: 'too few Macs are free',
        notified: 'the account was notified that it can order',
        cancelled: 'it is no longer waiting',
      },
    }),
    position: z
      .int()
      .min(1)
      .nullable()
      .meta({ description: 'Among the waiting entries of its tier. Null unless it is waiting.' }),
    created_at: time,
    notified_at: time.nullable(),
  })
  .meta({ id: 'WaitlistEntry', title: 'A waitlist entry for Macs of a tier' });

export const waitlistShape = z.object({ entries: z.array(waitlistEntryShape) }).meta({ id: 'Waitlist' });

export function waitlistEntryView(entry: PlacedEntry): z.infer<typeof waitlistEntryShape> {
  return {
    id: entry.entryId,
    tier: entry.tier,
    units: entry.units,
    status: entry.status,
    position: entry.position,
    created_at: isoTime(entry.createdAt),
    notified_at: isoTime(entry.notifiedAt),
  };
}
