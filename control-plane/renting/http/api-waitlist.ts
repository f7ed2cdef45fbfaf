// GET and POST /waitlist, DELETE /waitlist/:id.
import { z } from 'zod';
import type { Limits } from '../../platform/domain/limits.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Waitlist } from '../app/waitlist.js';
import type { PlacedEntry } from '../domain/waitlist.js';
import { units } from './api-quote.js';
import { waitlistEntryShape, waitlistEntryView, waitlistShape } from './waitlist-view.js';

export interface WaitlistRoutesDeps {
  readonly waitlist: Waitlist;
  readonly limits: Limits;
}

export function createWaitlistRoutes({ waitlist, limits }: WaitlistRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/waitlist',
      operationId: 'listWaitlist',
      level: 'read',
      summary: 'Waitlist entries, newest first',
      responses: { 200: waitlistShape },
      async handle({ caller }) {
        const entries = await waitlist.list(caller.account.id);
        return { status: 200, body: { entries: entries.map(waitlistEntryView) } };
      },
    }),
    route({
      method: 'POST',
      path: '/waitlist',
      operationId: 'joinWaitlist',
      level: 'manage',
      action: { name: 'waitlist.join', made: 'id', concerns: ['waitlist', 'catalog'] },
      summary: 'Join the waitlist of a tier. The account is notified when this many Macs can be ordered.',
      body: z.object({ tier: z.string(), units: units(limits) }).meta({ id: 'WaitlistRequest' }),
      invalidBody: 'invalid_waitlist',
      idempotent: true,
      responses: { 201: waitlistEntryShape },
      errors: ['waitlist_exists', 'available_now'],
      async handle({ caller, body, recordReply }) {
        const reply = (entry: PlacedEntry) => ({ status: 201, body: waitlistEntryView(entry) });
        const request = { tier: body.tier, units: body.units ?? 1 };
        return reply(await waitlist.add(caller, request, recordReply(reply)));
      },
    }),
    route({
      method: 'DELETE',
      path: '/waitlist/:id',
      operationId: 'leaveWaitlist',
      level: 'manage',
      action: { name: 'waitlist.leave', concerns: ['waitlist', 'catalog'] },
      invalidBody: 'invalid_waitlist',
      summary: 'Leave the waitlist',
      params: z.object({ id: z.string() }),
      invalidParams: 'waitlist_not_found',
      idempotent: true,
      responses: { 200: waitlistEntryShape },
      errors: ['waitlist_not_found', 'waitlist_not_cancellable'],
      async handle({ caller, params, recordReply }) {
        const reply = (entry: PlacedEntry) => ({ status: 200, body: waitlistEntryView(entry) });
        return reply(await waitlist.cancel(caller.account.id, params.id, recordReply(reply)));
      },
    }),
  ];
}
