// Who waits for Macs of a tier, and who is told when there are some.
import { int, type RecordOf, text } from '../../platform/domain/fields.js';

export const waitlistStatuses = ['waiting', 'notified', 'cancelled'] as const;
export type WaitlistStatus = (typeof waitlistStatuses)[number];

export const waitlistFields = {
  entryId: text(),
  accountId: int(),
  tier: text(),
  units: int(),
  status: text<WaitlistStatus>().initially('waiting'),
  createdAt: int(),
  notifiedAt: int().orNull.initially(null),
};
export type WaitlistEntry = RecordOf<typeof waitlistFields>;

/** An entry with its place among those of its tier that wait, from 1; null when it does not wait. */
export interface PlacedEntry extends WaitlistEntry {
  readonly position: number | null;
}

export type Waiting = Pick<WaitlistEntry, 'entryId' | 'accountId' | 'units'>;

/**
 * Who is told now: the oldest entries that fit. A notification counts its units as used up for those behind it, for
 * as long as it is likely to become an order; an entry that is too large does not keep smaller ones from theirs.
 *
 * @param waiting oldest first
 * @param free how many Macs an account could order now
 * @param promised units of earlier notifications that have not become orders yet
 */
export function toNotify<W extends Waiting>(
  waiting: readonly W[],
  free: (accountId: number) => number,
  promised: number,
): W[] {
  let used = promised;
  return waiting.filter(({ accountId, units }) => {
    if (free(accountId) - used < units) return false;
    used += units;
    return true;
  });
}
