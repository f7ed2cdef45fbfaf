// Prices: of new Macs, and of more time for rented ones.
import { z } from 'zod';
import type { ExtensionItem, MultiQuote } from '../../../app/extensions.js';
import type { Quote } from '../../../app/quotes.js';

const won = z.int().min(0);

const breakdown = z.array(z.object({ period: z.string(), count: z.int().min(1), amount_won: won }));

export const quoteShape = z
  .object({
    tier: z.string(),
    hours: z.int(),
    units: z.int().min(1),
    unit_price_won: won,
    amount_won: won,
    breakdown,
    available_now: z.int().min(0),
    sales_open: z.boolean(),
  })
  .meta({ id: 'Quote' });

export function quoteView(quote: Quote): z.infer<typeof quoteShape> {
  return {
    tier: quote.tier,
    hours: quote.hours,
    units: quote.units,
    unit_price_won: quote.unitPriceWon,
    amount_won: quote.amountWon,
    breakdown: quote.breakdown.map((line) => ({ ...line })),
    available_now: quote.availableNow,
    sales_open: quote.salesOpen,
  };
}

export const extensionQuoteShape = z
  .object({
    rental_id: z.string(),
    hours: z.int(),
    amount_won: won,
    breakdown,
    ends_at: z.string(),
    new_ends_at: z.string(),
  })
  .meta({ id: 'ExtensionQuote' });

const iso = (ms: number) => new Date(ms).toISOString();

export function extensionQuoteView(item: ExtensionItem, hours: number): z.infer<typeof extensionQuoteShape> {
  return {
    rental_id: item.rentalId,
    hours,
    amount_won: item.amountWon,
    breakdown: item.breakdown.map((line) => ({ ...line })),
    ends_at: iso(item.endsAt),
    new_ends_at: iso(item.newEndsAt),
  };
}

/** Of several Macs one; an item that is not ok says why. */
const item = z.object({
  rental_id: z.string(),
  tier: z.string().nullable(),
  ok: z.boolean(),
  amount_won: won.optional(),
  ends_at: z.string().optional(),
  new_ends_at: z.string().optional(),
  reason: z.string().optional(),
  message: z.string().optional(),
});

export const multiQuoteShape = z
  .object({ hours: z.int(), amount_won: won, items: z.array(item) })
  .meta({ id: 'MultiExtensionQuote' });

export function extensionItemView(one: ExtensionItem): z.infer<typeof item> {
  const { rentalId: rental_id, tier, refusal } = one;
  const ends_at = iso(one.endsAt);
  if (refusal) return { rental_id, tier, ok: false, ends_at, reason: refusal.code, message: refusal.message };
  return { rental_id, tier, ok: true, amount_won: one.amountWon, ends_at, new_ends_at: iso(one.newEndsAt) };
}

export function multiQuoteView({ hours, amountWon, items }: MultiQuote): z.infer<typeof multiQuoteShape> {
  return { hours, amount_won: amountWon, items: items.map(extensionItemView) };
}
