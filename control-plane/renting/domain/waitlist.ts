// Waitlist entries for Macs of a tier, and which of them are notified.

import { type NoticeMessage, organizationNotice } from '../../../shared/messages/notice.js';
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

/** An entry with its position among the waiting entries of its tier, from 1; null if it is not waiting. */
export interface PlacedEntry extends WaitlistEntry {
  readonly position: number | null;
}

export type Waiting = Pick<WaitlistEntry, 'entryId' | 'accountId' | 'units'>;

/**
 * Returns the entries to notify now: the oldest that fit. The units of a notification stay reserved for a time in which
 * it may become an order; an entry that is too large does not block smaller ones.
 *
 * @param waiting oldest first
 * @param free how many Macs an account can order now
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

interface OfferedTier {
  readonly tier: string;
  readonly name: string;
  readonly priceWon: number;
}

/** The notice that Macs of a tier can be ordered again. */
export const macsAvailable = ({ tier, name, priceWon }: OfferedTier, units: number): NoticeMessage =>
  organizationNotice('macs_available', { tier, name, units, won: priceWon });
