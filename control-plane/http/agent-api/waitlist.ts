// GET and POST /waitlist, DELETE /waitlist/:id.
import { z } from 'zod';
import type { Waitlist } from '../../app/waitlist.js';
import type { Limits } from '../../domain/limits.js';
import { type AnyRoute, route } from '../route.js';
import { waitlistEntryShape, waitlistEntryView, waitlistShape } from './views/waitlist.js';

export interface WaitlistRoutesDeps {
  readonly waitlist: Waitlist;
  readonly limits: Limits;
}

export function createWaitlistRoutes({ waitlist, limits }: WaitlistRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/waitlist',
      level: 'read',
      summary: 'Entries of the account, newest first',
      responses: { 200: waitlistShape },
      async handle({ caller }) {
        const entries = await waitlist.list(caller.account.id);
        return { status: 200, body: { entries: entries.map(waitlistEntryView) } };
      },
    }),
    route({
      method: 'POST',
      path: '/waitlist',
      level: 'manage',
      summary: 'Be told when so many Macs of a tier can be ordered again',
      body: z
        .object({ tier: z.string(), units: z.int().min(1).max(limits.order_units).optional() })
        .meta({ id: 'WaitlistRequest' }),
      invalidBody: 'invalid_waitlist',
      responses: { 201: waitlistEntryShape },
      errors: ['waitlist_exists', 'available_now'],
      async handle({ caller, body }) {
        const entry = await waitlist.add(caller, { tier: body.tier, units: body.units ?? 1 });
        return { status: 201, body: waitlistEntryView(entry) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/waitlist/:id',
      level: 'manage',
      summary: 'Wait no longer',
      params: z.object({ id: z.string() }),
      invalidParams: 'waitlist_not_found',
      responses: { 200: waitlistEntryShape },
      errors: ['waitlist_not_found', 'waitlist_not_cancellable'],
      async handle({ caller, params }) {
        return { status: 200, body: waitlistEntryView(await waitlist.cancel(caller.account.id, params.id)) };
      },
    }),
  ];
}
