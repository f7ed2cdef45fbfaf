import { z } from 'zod';
import { given, idempotencyKey, rentalId } from '../inputs.js';
import { tool } from '../tool.js';
import { InvalidInput } from '../tool-error.js';
import { orderShape } from '../views.js';

const hours = z.int().describe('multiple of 24, from 24 to 720');
const tier = z.string().min(1).describe('as catalog lists them');
const units = z.int().min(1).optional().describe('how many Macs; default 1');
const newOrMore = {
  tier: tier.optional().describe('for new Macs: which, as catalog lists them'),
  units,
  extend: z.array(rentalId).min(1).max(100).optional().describe('or more time for these Macs'),
  hours,
};
const entryShape = z.looseObject({ id: z.string(), tier: z.string(), units: z.number(), status: z.string() });

const PERSON =
  'A person has to act now: show them pay_url. Somebody signed in to this account opens it before pay_expires_at, consents and pays; no program can. Then call wait with order_no.';

export const rentingTools = [
  tool({
    name: 'quote',
    title: 'What Macs would cost',
    description:
      'Price in won, VAT included, of new Macs (tier) or of more time for rented ones (extend). Nothing is held or changed.',
    input: newOrMore,
    output: { amount_won: z.number(), hours: z.number() },
    effect: 'reads',
    async run(request, { client, signal }) {
      const wanted = oneOf(request);
      const quote = wanted.extend
        ? await client.rentals.quoteExtensions(wanted.extend, request.hours, { signal })
        : await client.orders.quote(
            { tier: wanted.tier, hours: request.hours, ...given({ units: request.units }) },
            { signal },
          );
      return { data: { ...quote } };
    },
  }),
  tool({
    name: 'order',
    title: 'Order Macs, or more time',
    description:
      'Places an order and answers the link at which a PERSON pays; it never pays. New Macs (tier) are held until pay_expires_at. Say the price (quote) and ask your user before you order.',
    input: {
      ...newOrMore,
      start: z.string().optional().describe('ISO time that lies ahead; now by default'),
      xcode: z.string().optional().describe('Xcode version to begin with'),
      idempotency_key: idempotencyKey,
    },
    output: { order: orderShape, next: z.string() },
    effect: 'adds',
    async run({ idempotency_key, ...request }, { client, signal }) {
      const options = { signal, ...given({ idempotencyKey: idempotency_key }) };
      const wanted = oneOf(request);
      const { hours: length, start, xcode } = request;
      const order = wanted.extend
        ? await client.rentals.extendAll(wanted.extend, length, options)
        : await client.orders.create(
            {
              ...{ tier: wanted.tier, hours: length, ...given({ units: request.units, start }) },
              ...(xcode === undefined ? {} : { setup: { xcode } }),
            },
            options,
          );
      const next = order.status === 'awaiting_payment' ? PERSON : 'Call wait with order_no.';
      return { data: { order: { ...order }, next } };
    },
  }),
  tool({
    name: 'waitlist',
    title: 'Places on the waitlist',
    description: 'Tiers for which this account waits to be told that Macs are free again.',
    input: {},
    output: { entries: z.array(entryShape) },
    effect: 'reads',
    run: async (_, { client, signal }) => ({ data: { ...(await client.waitlist.list({ signal })) } }),
  }),
  tool({
    name: 'join_waitlist',
    title: 'Wait for Macs of a tier',
    description: "Has the account's owners told when Macs of a tier that is sold out can be had again.",
    input: { tier, units },
    output: { entry: entryShape },
    effect: 'adds',
    run: async (request, { client, signal }) => ({
      data: {
        entry: {
          ...(await client.waitlist.add(
            { tier: request.tier, ...given({ units: request.units }) },
            { signal },
          )),
        },
      },
    }),
  }),
  tool({
    name: 'leave_waitlist',
    title: 'Stop waiting for a tier',
    description: 'Takes an entry off the waitlist; only while it waits. See waitlist for its id.',
    input: { entry_id: z.string().regex(/^wl_/).describe('id of the entry (wl_…)') },
    output: { entry: entryShape },
    effect: 'destroys',
    run: async ({ entry_id }, { client, signal }) => ({
      data: { entry: { ...(await client.waitlist.cancel(entry_id, { signal })) } },
    }),
  }),
];

interface NewOrMore {
  tier?: string | undefined;
  extend?: string[] | undefined;
}

function oneOf({ tier, extend }: NewOrMore): { tier: string; extend: null } | { extend: string[] } {
  if ((tier === undefined) === (extend === undefined)) throw new InvalidInput('give one of tier and extend');
  return extend ? { extend } : { tier: tier ?? '', extend: null };
}
