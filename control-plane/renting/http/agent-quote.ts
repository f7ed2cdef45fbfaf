// POST /quote.
import { z } from 'zod';
import type { Limits } from '../../platform/domain/limits.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Quotes } from '../app/quotes.js';
import { quoteShape, quoteView } from './quote-view.js';

export interface QuoteRoutesDeps {
  readonly quotes: Quotes;
  readonly limits: Limits;
}

export const hours = z.number().meta({ description: 'A multiple of 24, from 24 to 720' });
export const units = (limits: Limits) =>
  z.int().min(1).max(limits.order_units).optional().meta({ description: 'Macs; 1 by default' });

export function createQuoteRoutes({ quotes, limits }: QuoteRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'POST',
      path: '/quote',
      summary: 'Quote the price and availability of Macs; holds nothing',
      body: z
        .object({
          tier: z.string(),
          hours,
          units: units(limits),
        })
        .meta({ id: 'QuoteRequest' }),
      invalidBody: 'invalid_quote',
      responses: { 200: quoteShape },
      errors: ['invalid_tier', 'invalid_period'],
      async handle({ caller, body }) {
        const { tier, hours, units = 1 } = body;
        return {
          status: 200,
          body: quoteView(await quotes.quote(caller.account.id, { tier, hours, units })),
        };
      },
    }),
  ];
}
