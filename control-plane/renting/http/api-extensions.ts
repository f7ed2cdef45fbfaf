// Extensions of rented Macs: quotes and orders, for one Mac and for several.

import { z } from 'zod';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { SiteAddresses } from '../../platform/domain/addresses.js';
import type { Limits } from '../../platform/domain/limits.js';
import { because } from '../../platform/http/issue-problem.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { ExtensionItem } from '../app/extension-items.js';
import type { Extensions } from '../app/extensions.js';
import { hours } from './api-quote.js';
import { orderShape, orderView } from './order-view.js';
import {
  extensionItemView,
  extensionQuoteShape,
  extensionQuoteView,
  multiQuoteShape,
  multiQuoteView,
} from './quote-view.js';

export interface ExtensionRoutesDeps {
  readonly extensions: Extensions;
  readonly limits: Limits;
  readonly site: SiteAddresses;
}

const one = {
  params: z.object({ rental_id: z.string() }),
  invalidParams: 'rental_not_found',
  body: z.object({ hours }).meta({ id: 'ExtensionRequest' }),
  invalidBody: 'invalid_hours',
} as const;
const concerns = ['macs', 'mac', 'jobs', 'queue', 'status'] as const;
const reasons = [
  'invalid_period',
  'rental_not_found',
  'rental_not_active',
  'extension_deadline',
  'extension_pending',
  'rental_duration_limit',
  'reservation_conflict',
] as const;

export function createExtensionRoutes({ extensions, limits, site }: ExtensionRoutesDeps): AnyRoute[] {
  const several = {
    body: z
      .object({
        rental_ids: z
          .array(z.string())
          .min(1)
          .max(limits.order_units)
          .refine((ids) => new Set(ids).size === ids.length, because(fieldProblem('each_once'))),
        hours,
      })
      .meta({ id: 'MultiExtensionRequest' }),
    invalidBody: 'invalid_rentals',
  } as const;
  const created = (order: Parameters<typeof orderView>[0]) => ({ status: 201, body: orderView(order, site) });

  return [
    route({
      ...one,
      method: 'POST',
      path: '/rentals/:rental_id/extend/quote',
      operationId: 'quoteExtension',
      level: 'read',
      action: null,
      beyondRecordsLimit: 'reads',
      summary: 'Quote more time for a Mac',
      responses: { 200: extensionQuoteShape },
      errors: reasons,
      async handle({ caller, params, body }) {
        const item = await extensions.quote(caller.account, params.rental_id, body.hours);
        return { status: 200, body: extensionQuoteView(item, body.hours) };
      },
    }),
    route({
      ...several,
      method: 'POST',
      path: '/rentals/extend/quote',
      operationId: 'quoteExtensions',
      level: 'read',
      action: null,
      beyondRecordsLimit: 'reads',
      summary: 'Quote more time for several Macs. An item that is not ok has a reason.',
      responses: { 200: multiQuoteShape },
      errors: ['invalid_period', 'rental_not_found'],
      async handle({ caller, body }) {
        const quote = await extensions.quoteAll(caller.account, body.rental_ids, body.hours);
        return { status: 200, body: multiQuoteView(quote) };
      },
    }),
    route({
      ...one,
      method: 'POST',
      path: '/rentals/:rental_id/extend',
      operationId: 'extendRental',
      level: 'manage',
      action: { name: 'rental.extend', concerns },
      beyondRecordsLimit: 'keeps',
      summary: 'Order more time for a Mac',
      idempotent: true,
      responses: { 201: orderShape },
      errors: ['account_blocked', ...reasons, 'too_many_pending_orders'],
      async handle({ caller, params, body, recordReply }) {
        return created(await extensions.order(caller, params.rental_id, body.hours, recordReply(created)));
      },
    }),
    route({
      ...several,
      method: 'POST',
      path: '/rentals/extend',
      operationId: 'extendRentals',
      level: 'manage',
      action: { name: 'rental.extend', made: 'order_no', concerns },
      beyondRecordsLimit: 'keeps',
      summary: 'Order more time for several Macs, all or none. They have one pay_url.',
      idempotent: true,
      responses: { 201: orderShape },
      errors: [
        'account_blocked',
        'invalid_period',
        'rental_not_found',
        'extension_unavailable',
        'too_many_pending_orders',
      ],
      async handle({ caller, body, recordReply }) {
        const view = (items: readonly ExtensionItem[]) => items.map(extensionItemView);
        return created(await extensions.orderAll(caller, body.rental_ids, body.hours, view, recordReply(created)));
      },
    }),
  ];
}
