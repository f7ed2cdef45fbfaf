// A rented Mac: GET /status, GET /rentals.
import { z } from 'zod';
import { quoteHint } from '../../../domain/advice.js';
import type { RentedMac } from '../../../domain/extension.js';
import { remainingSeconds } from '../../../domain/rental.js';
import { isoTime } from './build.js';

export const quoteHintShape = z.object({ days: z.literal(1), amount_won: z.int().min(0) });

export const macShape = z
  .object({
    rental_id: z.string(),
    tier: z.string(),
    xcode: z.string().nullable(),
    state: z.enum(['reserved', 'preparing', 'ready', 'building', 'resetting', 'updating']),
    starts_at: z.string().nullable(),
    ends_at: z.string().nullable(),
    remaining_s: z.int().min(0),
    can_extend: z.boolean(),
    max_extend_days: z.int().min(0),
    quote_hint: quoteHintShape,
  })
  .meta({ id: 'Mac' });

export function macView({ mac, extension }: RentedMac, now: number): z.infer<typeof macShape> {
  return {
    rental_id: mac.rentalId,
    tier: mac.tier,
    xcode: mac.xcode,
    state: mac.state,
    starts_at: isoTime(mac.startsAt),
    ends_at: isoTime(mac.endsAt),
    remaining_s: remainingSeconds(mac, now),
    can_extend: extension.canExtend,
    max_extend_days: extension.maxExtendDays,
    quote_hint: quoteHint(mac),
  };
}
