// Quotes of new Macs and of extensions.
import { z } from 'zod';
import { isoTime } from '../../platform/domain/iso-time.js';
import { count, time, won } from '../../platform/http/values.js';
import type { ExtensionItem } from '../app/extension-items.js';
import type { MultiQuote } from '../app/extensions.js';
import type { Quote } from '../app/quotes.js';
import { FOREVER } from '../domain/rental.js';

const breakdown = z.array(
  z
    .object({
      period: z.string().meta({ description: '`24h`' }),
      count: z.int().min(1),
      amount_won: won.meta({
        description: 'Of the whole line. The lines add up to the amount of the quote.',
      }),
    })
    .meta({ id: 'QuoteLine' }),
);
const hours = z.int();

export const quoteShape = z
  .object({
    tier: z.string(),
    hours,
    units: z.int().min(1),
    start: time.nullable(),
    unit_price_won: won.meta({ description: 'One Mac for 24 hours' }),
    amount_won: won,
    breakdown,
    available_now: count.meta({ title: 'Macs that this account can order now' }),
    sales_open: z.boolean(),
  })
  .meta({ id: 'Quote', description: 'Holds no Macs' });

export function quoteView(quote: Quote): z.infer<typeof quoteShape> {
  return {
    tier: quote.tier,
    hours: quote.hours,
    units: quote.units,
    start: isoTime(quote.startAt),
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
    rental_name: z.string(),
    hours,
    amount_won: won,
    breakdown,
    ends_at: time.meta({ title: 'The current end' }),
    new_ends_at: time.meta({ title: 'The end after the extension' }),
  })
  .meta({ id: 'ExtensionQuote', title: 'Quote more time for a Mac' });

export function extensionQuoteView(item: ExtensionItem, hours: number): z.infer<typeof extensionQuoteShape> {
  return {
    rental_id: item.rentalId,
    rental_name: item.name,
    hours,
    amount_won: item.amountWon,
    breakdown: item.breakdown.map((line) => ({ ...line })),
    ends_at: isoTime(item.endsAt),
    new_ends_at: isoTime(item.newEndsAt),
  };
}

/** One of several Macs; an item that is not ok has a reason. */
const item = z
  .object({
    rental_id: z.string(),
    rental_name: z.string(),
    tier: z.string().nullable(),
    ok: z.boolean().meta({ title: 'False: it cannot be extended; `reason` says why' }),
    amount_won: won.optional(),
    ends_at: time.optional(),
    new_ends_at: time.optional(),
    reason: z.string().optional().meta({ description: 'An error code; absent if ok' }),
    message: z.string().optional(),
  })
  .meta({ id: 'ExtensionItem' });

export const multiQuoteShape = z
  .object({
    hours,
    amount_won: won.meta({ description: 'Sum of the items that are ok' }),
    items: z.array(item),
  })
  .meta({ id: 'MultiExtensionQuote', title: 'Quote more time for several Macs' });

export function extensionItemView(one: ExtensionItem): z.infer<typeof item> {
  const { rentalId: rental_id, name: rental_name, tier, refusal } = one;
  const head = { rental_id, rental_name, tier };
  if (refusal) {
    const end = one.endsAt === FOREVER ? {} : { ends_at: isoTime(one.endsAt) };
    return { ...head, ok: false, ...end, reason: refusal.code, message: refusal.message };
  }
  const ends_at = isoTime(one.endsAt);
  return { ...head, ok: true, amount_won: one.amountWon, ends_at, new_ends_at: isoTime(one.newEndsAt) };
}

export function multiQuoteView({ hours, amountWon, items }: MultiQuote): z.infer<typeof multiQuoteShape> {
  return { hours, amount_won: amountWon, items: items.map(extensionItemView) };
}
