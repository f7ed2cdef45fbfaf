// Webhook payloads of rentals, orders and the waitlist: their shapes, and the projections onto them.
import { z } from 'zod';
import { macProblemTexts } from '../../macs/domain/mac-problem.js';
import { payUrl, type SiteAddresses } from '../../platform/domain/addresses.js';
import { isoTime } from '../../platform/domain/iso-time.js';
import {
  type OrderEventType,
  orderEventTypes,
  type RentalEventType,
  type RentingEventType,
  rentalEventTypes,
  type WaitlistEventType,
  waitlistEventTypes,
} from './event.js';
import { type Order, orderKinds, orderStatuses } from './order.js';
import { FOREVER, type RentalWithMachine } from './rental.js';
import type { WaitlistEntry } from './waitlist.js';

const time = z.string().meta({ format: 'date-time' });
const won = z.int().min(0);

const rentalShape = z
  .object({
    id: z.string(),
    name: z.string().meta({ description: 'What the account called it then' }),
    tier: z.string(),
    xcode: z.string().nullable(),
    order_no: z.string().nullable().meta({ description: 'Null: granted by the operator' }),
    hours: z.int().nullable().meta({ description: 'Total bought time; null: granted by the operator' }),
    starts_at: time,
    ends_at: time.nullable().meta({ description: 'Null: no end' }),
    problem: z
      .object({ code: z.string(), text: z.string() })
      .nullable()
      .meta({ description: 'Why its host cannot make its Mac' }),
  })
  .meta({ id: 'WebhookRental', title: 'The rental as it was when the event happened' });

const orderShape = z
  .object({
    order_no: z.string(),
    kind: z.enum(orderKinds),
    status: z.enum(orderStatuses),
    tier: z.string().nullable(),
    hours: z.int(),
    units: z.int(),
    amount_won: won,
    refunded_won: won.meta({ description: 'All refunds so far' }),
    rental_ids: z.array(z.string()).meta({ description: 'The Macs that it created or extends' }),
    names: z.array(z.string()).meta({ description: 'Their names in that order; before, those asked for' }),
    created_at: time,
    paid_at: time.nullable(),
    pay_url: z.string().meta({ description: 'The page of the order, for people who are signed in' }),
  })
  .meta({ id: 'WebhookOrder', title: 'The order as it was when the event happened' });

const waitlistShape = z
  .object({ id: z.string(), tier: z.string(), units: z.int().min(1), created_at: time })
  .meta({ id: 'WebhookWaitlistEntry' });

const head = {
  schema_version: z.literal(1),
  event_id: z.string(),
  sequence: z.int().min(1).meta({ description: 'Within the rental, order or entry, from 1' }),
  occurred_at: time,
  build: z.null(),
  stall: z.null(),
};

export const rentalEventShape = z
  .object({ ...head, event_type: z.enum(rentalEventTypes), rental: rentalShape })
  .meta({ id: 'RentalEvent', title: 'Something happened to a rental' });
export const orderEventShape = z
  .object({ ...head, event_type: z.enum(orderEventTypes), order: orderShape })
  .meta({ id: 'OrderEvent', title: 'Something happened to an order' });
export const waitlistEventShape = z
  .object({ ...head, event_type: z.enum(waitlistEventTypes), waitlist: waitlistShape })
  .meta({ id: 'WaitlistEvent', title: 'Something happened to an entry of the waitlist' });

/** What an event is about, and its part of the payload. */
export interface EventSubject<T extends RentingEventType> {
  readonly accountId: number;
  readonly subjectKind: 'rental' | 'order' | 'waitlist';
  readonly subjectId: string;
  readonly part: Readonly<Record<string, unknown>>;
  readonly type: T;
}

export function rentalSubject(type: RentalEventType, rental: RentalWithMachine): EventSubject<RentalEventType> {
  const problem = rental.making?.problem;
  const told: z.infer<typeof rentalShape> = {
    id: rental.rentalId,
    name: rental.name,
    tier: rental.tier,
    xcode: rental.xcode,
    order_no: rental.orderNo,
    hours: rental.hours,
    starts_at: isoTime(rental.startsAt),
    ends_at: rental.endsAt === FOREVER ? null : isoTime(rental.endsAt),
    problem: problem ? { code: problem.code, text: macProblemTexts[problem.code] } : null,
  };
  return {
    type,
    subjectKind: 'rental',
    accountId: rental.accountId,
    subjectId: rental.rentalId,
    part: { rental: told },
  };
}

export function orderSubject(
  type: OrderEventType,
  order: Order,
  { rentalIds, names }: { readonly rentalIds: readonly string[]; readonly names: readonly string[] },
  site: SiteAddresses,
): EventSubject<OrderEventType> {
  const told: z.infer<typeof orderShape> = {
    order_no: order.orderNo,
    kind: order.kind,
    status: order.status,
    tier: order.tier,
    hours: order.hours,
    units: order.units,
    amount_won: order.amountWon,
    refunded_won: order.refundedWon,
    rental_ids: [...rentalIds],
    names: [...names],
    created_at: isoTime(order.createdAt),
    paid_at: isoTime(order.paidAt),
    pay_url: payUrl(site, order.orderNo),
  };
  return {
    type,
    subjectKind: 'order',
    accountId: order.accountId,
    subjectId: order.orderNo,
    part: { order: told },
  };
}

export function waitlistSubject(
  type: WaitlistEventType,
  entry: Pick<WaitlistEntry, 'entryId' | 'accountId' | 'tier' | 'units' | 'createdAt'>,
): EventSubject<WaitlistEventType> {
  const told: z.infer<typeof waitlistShape> = {
    id: entry.entryId,
    tier: entry.tier,
    units: entry.units,
    created_at: isoTime(entry.createdAt),
  };
  return {
    type,
    subjectKind: 'waitlist',
    accountId: entry.accountId,
    subjectId: entry.entryId,
    part: { waitlist: told },
  };
}
