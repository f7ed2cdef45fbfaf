// A rented Mac: GET /status, GET /rentals.
import { z } from 'zod';
import { labelsShape } from '../../builds/http/build-view.js';
import { progressShape, progressView } from '../../macs/http/jobs-view.js';
import { macProblemShape, macProblemView } from '../../macs/http/problem-view.js';
import { enumeration } from '../../platform/domain/enumeration.js';
import { isoTime } from '../../platform/domain/iso-time.js';
import { time, won } from '../../platform/http/values.js';
import { quoteHint } from '../domain/advice.js';
import type { RentedMac } from '../domain/extension.js';
import { endIfReady, FOREVER, remainingSeconds } from '../domain/rental.js';

export const quoteHintShape = z
  .object({ days: z.literal(1), amount_won: won })
  .meta({ id: 'QuoteHint', title: 'What one more day costs' });

export const macState = enumeration(['reserved', 'preparing', 'ready', 'building', 'resetting', 'updating'], {
  id: 'MacState',
  meanings: {
    reserved: 'its time has not begun',
    preparing: 'it is being created or recreated; its time does not run until it is ready',
    ready: 'it waits for builds',
    building: 'it runs a build',
    resetting: 'it is being recreated, or its work folder is being emptied',
    updating: 'what is installed on it is being changed',
  },
});

export const macShape = z
  .object({
    rental_id: z.string(),
    name: z.string().meta({ title: 'What the account calls it' }),
    tier: z.string(),
    xcode: z.string().nullable().meta({ title: 'The version that is selected' }),
    labels: labelsShape,
    state: macState,
    progress: progressShape.nullable().meta({
      description: 'Of a change, as the host reported it; null: none is under way',
    }),
    problem: macProblemShape.nullable(),
    starts_at: time.nullable(),
    ends_at: time.nullable().meta({
      description: 'Provisional while preparing; null: no end. Bought time starts when the Mac is ready.',
    }),
    remaining_s: z.int().min(0).meta({ description: '2147483647 when it has no end' }),
    hours: z.int().nullable().meta({
      description: 'Bought time; null: granted by the operator. No order extends a Mac that was granted.',
    }),
    amount_won: won.meta({ description: 'Extensions included' }),
    can_extend: z.boolean(),
    max_extend_days: z.int().min(0),
    quote_hint: quoteHintShape,
  })
  .meta({ id: 'AgentMac', title: 'A rented Mac' });

export function macView({ mac, extension }: RentedMac, now: number): z.infer<typeof macShape> {
  return {
    rental_id: mac.rentalId,
    name: mac.name,
    tier: mac.tier,
    xcode: mac.xcode,
    labels: { ...mac.labels },
    state: mac.state,
    progress: mac.making?.progress ? progressView(mac.making.progress) : null,
    problem: mac.making?.problem ? macProblemView(mac.making.problem) : null,
    starts_at: isoTime(mac.startsAt),
    ends_at: mac.endsAt === FOREVER ? null : isoTime(mac.awaySince === null ? mac.endsAt : endIfReady(mac, now)),
    remaining_s: remainingSeconds(mac, now),
    hours: mac.hours,
    amount_won: mac.amountWon,
    can_extend: extension.canExtend,
    max_extend_days: extension.maxExtendDays,
    quote_hint: quoteHint(mac),
  };
}
