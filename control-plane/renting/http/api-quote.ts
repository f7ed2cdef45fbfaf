// POST /quote.
import { z } from 'zod';
import { checkedMacNames } from '../../macs/app/mac-names.js';
import { macNameShape } from '../../macs/http/mac-name-view.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { parseIsoTime } from '../../platform/domain/iso-time.js';
import type { Limits } from '../../platform/domain/limits.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Quotes } from '../app/quotes.js';
import { quoteShape, quoteView } from './quote-view.js';

export interface QuoteRoutesDeps {
  readonly quotes: Quotes;
  readonly limits: Limits;
}

export const hours = z.number().meta({ description: 'A multiple of 24, at most 24 times `max_days` of the tier' });
export const units = (limits: Limits) =>
  z.int().min(1).max(limits.order_units).optional().meta({ description: 'Default: 1' });

const start = z.string().optional().meta({ description: '`now`, the default, or an ISO time' });
const names = (limits: Limits) =>
  z.array(macNameShape).max(limits.order_units).optional().meta({
    description: 'As many as `units`; default: Mac 1, Mac 2, and so on. Held until the order ends unpaid.',
  });
const setup = z.object({ xcode: z.string().optional() }).optional();

/** What an order takes, a quote takes too. */
export const orderBody = (limits: Limits) =>
  z
    .object({ tier: z.string(), hours, units: units(limits), names: names(limits), start, setup })
    .meta({ id: 'OrderRequest' });

/** Returns null for now. Throws invalid_start. */
export function startOf(text: string | undefined): number | null {
  if (text === undefined || text === 'now') return null;
  const ms = parseIsoTime(text);
  if (ms === null) throw new ApiError('invalid_start', { detail: { field: 'start' } });
  return ms;
}

export function createQuoteRoutes({ quotes, limits }: QuoteRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'POST',
      path: '/quote',
      operationId: 'quote',
      level: 'read',
      action: null,
      beyondRecordsLimit: 'reads',
      summary: 'Quote Macs: price and availability. Holds nothing.',
      body: orderBody(limits),
      invalidBody: 'invalid_quote',
      responses: { 200: quoteShape },
      errors: ['invalid_name', 'invalid_tier', 'invalid_period', 'invalid_start', 'xcode_not_available'],
      async handle({ caller, body }) {
        const { tier, hours, units = 1, names = [] } = body;
        checkedMacNames(names, units, 'invalid_quote');
        const request = {
          tier,
          hours,
          units,
          startAt: startOf(body.start),
          xcode: body.setup?.xcode ?? null,
        };
        return { status: 200, body: quoteView(await quotes.quote(caller.account, request)) };
      },
    }),
  ];
}
