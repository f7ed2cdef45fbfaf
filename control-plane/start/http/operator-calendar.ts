// GET /v1/calendar of the operator API.

import { z } from 'zod';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { fieldError } from '../../platform/domain/field-error.js';
import { isoTime } from '../../platform/domain/iso-time.js';
import type { Limits } from '../../platform/domain/limits.js';
import { nextCursor, pageOf, pageParams } from '../../platform/http/page.js';
import { timeParam } from '../../platform/http/query.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { time } from '../../platform/http/values.js';
import { FOREVER } from '../../renting/domain/rental.js';
import type { SlotCalendar, SlotOccupation } from '../app/slot-calendar.js';
import { organizationRef, organizationRefShape } from './fleet-view.js';

const DAY_MS = 86_400_000;
const LONGEST_DAYS = 100;

const occupationShape = z
  .object({
    kind: z.enum(['rental', 'reservation', 'hold']).meta({
      description: 'hold: for an unpaid order, or for the extension of `rental_id`',
    }),
    rental_id: z.string().nullable(),
    rental_name: z.string().nullable(),
    order_no: z.string().nullable(),
    state: z.string().nullable().meta({ description: 'Of the Mac' }),
    starts_at: time,
    ends_at: time.nullable().meta({ description: 'Null: no end' }),
    organization: organizationRefShape,
  })
  .meta({ id: 'SlotOccupation' });

export function createOperatorCalendarRoutes(deps: {
  readonly calendar: SlotCalendar;
  readonly clock: { now(): number };
  readonly limits: Limits;
}): AnyRoute[] {
  const { calendar, clock, limits } = deps;
  return [
    route({
      method: 'GET',
      path: '/v1/calendar',
      operationId: 'getCalendar',
      level: 'read',
      summary: 'Slots of each host, and the organizations that have them over time',
      query: z.object({
        ...pageParams(limits),
        from: timeParam().optional().meta({ description: 'Default: a day ago' }),
        to: timeParam().optional().meta({ description: 'Default: 14 days after `from`' }),
        tier: z.string().optional(),
      }),
      responses: {
        200: z
          .object({
            from: time,
            to: time,
            data: z.array(
              z.object({
                host_id: z.string(),
                name: z.string(),
                tier: z.string().nullable(),
                status: z.string(),
                slots: z.array(
                  z.object({
                    slot_id: z.string(),
                    position: z.int().min(0),
                    occupations: z.array(occupationShape),
                  }),
                ),
              }),
            ),
            next_cursor: nextCursor,
          })
          .meta({ id: 'CalendarPage' }),
      },
      async handle({ query }) {
        const from = query.from ?? clock.now() - DAY_MS;
        const to = query.to ?? from + 14 * DAY_MS;
        if (to <= from || to - from > LONGEST_DAYS * DAY_MS) {
          throw fieldError('invalid_request', 'to', fieldProblem('not_after', { other: 'from', days: LONGEST_DAYS }));
        }
        const { limit = limits.list_limit_default, cursor, tier = null } = query;
        const found = await calendar.read({
          from,
          to,
          tier,
          after: cursor?.id ?? null,
          limit: limit + 1,
        });
        const { page, next } = pageOf(found, limit, ({ host }) => ({ at: 0, id: host.hostId }));
        const data = page.map(({ host, slots }) => ({
          host_id: host.hostId,
          name: host.name,
          tier: host.tier,
          status: host.status,
          slots: slots.map(({ slotId, position, occupations }) => ({
            slot_id: slotId,
            position,
            occupations: occupations.map(occupationView),
          })),
        }));
        const span = { from: isoTime(from), to: isoTime(to) };
        return { status: 200, body: { ...span, data, next_cursor: next } };
      },
    }),
  ];
}

function occupationView(one: SlotOccupation): z.infer<typeof occupationShape> {
  return {
    kind: one.kind,
    rental_id: one.rentalId,
    rental_name: one.macName,
    order_no: one.orderNo,
    state: one.state,
    starts_at: isoTime(one.startsAt),
    ends_at: one.endsAt === FOREVER ? null : isoTime(one.endsAt),
    organization: organizationRef(one.organization),
  };
}
