import { z } from 'zod';
import { rentalIdsOf } from '../../find-macs.js';
import { given, idempotencyKey, known } from '../inputs.js';
import { tool } from '../tool.js';
import { InvalidInput } from '../tool-error.js';
import { orderView } from '../views.js';

const tier = z.string().min(1);
const units = z.int().min(1).optional().describe('default 1');
const newOrMore = {
  tier: tier.optional().describe('for new Macs, as catalog lists it'),
  units,
  extend: z.array(z.string()).min(1).max(100).optional().describe('or more time for these Macs'),
  hours: z.int().describe('multiple of 24; catalog has max_days'),
};

const PERSON =
  'Show your user pay_url: somebody signed in to this account opens it before pay_expires_at, consents and pays. Then call wait with order_no.';

export const rentingTools = [
  tool({
    name: 'quote',
    title: 'Price',
    description: 'Price in won, VAT included, of new Macs (tier) or of more time (extend). Holds and changes nothing.',
    input: newOrMore,
    answer: { amount_won: 'number', hours: 'number' },
    effect: 'reads',
    does: ['quote', 'quoteExtension', 'quoteExtensions'],
    async run(request, { client, signal }) {
      const wanted = oneOf(request);
      const quote = wanted.extend
        ? await client.rentals.quoteExtensions(
            await rentalIdsOf(client.rentals, wanted.extend, { signal }),
            request.hours,
            { signal },
          )
        : await client.orders.quote(
            { tier: wanted.tier, hours: request.hours, ...given({ units: request.units }) },
            { signal },
          );
      return { data: { ...quote } };
    },
  }),
  tool({
    name: 'order',
    title: 'Order Macs or time',
    description:
      'Places an order and answers the pay_url at which a PERSON pays; it never pays. Ask your user about the price (quote) first. New Macs are held until pay_expires_at; a person can cancel there.',
    input: {
      ...newOrMore,
      names: z.array(z.string()).optional(),
      start: z.string().optional().describe('ISO time in the future; default now'),
      xcode: z.string().optional().describe('Xcode version to begin with'),
      idempotency_key: idempotencyKey,
    },
    answer: { order: 'object', next: 'string' },
    effect: 'adds',
    does: ['createOrder', 'extendRental', 'extendRentals'],
    async run({ idempotency_key, ...request }, { client, signal }) {
      const options = { signal, ...given({ idempotencyKey: idempotency_key }) };
      const wanted = oneOf(request);
      const { hours: length, start, xcode } = request;
      const order = wanted.extend
        ? await client.rentals.extendAll(await rentalIdsOf(client.rentals, wanted.extend, { signal }), length, options)
        : await client.orders.create(
            {
              tier: wanted.tier,
              hours: length,
              ...given({ units: request.units, names: request.names, start }),
              ...(xcode === undefined ? {} : { setup: { xcode } }),
            },
            options,
          );
      const next = order.status === 'awaiting_payment' ? PERSON : 'Call wait with order_no.';
      return { data: { order: orderView(order), next } };
    },
  }),
  tool({
    name: 'waitlist',
    title: 'List the waitlist',
    description: 'Sold-out tiers that this account waits for.',
    input: {},
    answer: { entries: 'array' },
    effect: 'reads',
    does: ['listWaitlist'],
    async run(_, { client, signal }) {
      const { entries } = await client.waitlist.list({ signal });
      return { data: { entries: entries.map((entry) => known({ ...entry })) } };
    },
  }),
  tool({
    name: 'join_waitlist',
    title: 'Join the waitlist',
    description: "Notifies the account's owners when Macs of a sold-out tier are free again.",
    input: { tier, units },
    answer: { entry: 'object' },
    effect: 'adds',
    does: ['joinWaitlist'],
    run: async (request, { client, signal }) => ({
      data: {
        entry: known({
          ...(await client.waitlist.add({ tier: request.tier, ...given({ units: request.units }) }, { signal })),
        }),
      },
    }),
  }),
  tool({
    name: 'leave_waitlist',
    title: 'Leave the waitlist',
    description: 'Removes an entry that still waits from the waitlist.',
    input: { entry_id: z.string().regex(/^wl_/) },
    answer: { entry: 'object' },
    effect: 'destroys',
    does: ['leaveWaitlist'],
    run: async ({ entry_id }, { client, signal }) => ({
      data: { entry: known({ ...(await client.waitlist.cancel(entry_id, { signal })) }) },
    }),
  }),
];

interface NewOrMore {
  tier?: string | undefined;
  units?: number | undefined;
  extend?: string[] | undefined;
  names?: string[] | undefined;
  start?: string | undefined;
  xcode?: string | undefined;
}

/** @throws InvalidInput for both or neither, and for what more time does not take */
function oneOf({ tier, extend, ...forNew }: NewOrMore): { tier: string; extend: null } | { extend: string[] } {
  if ((tier === undefined) === (extend === undefined)) throw new InvalidInput('give one of tier and extend');
  if (!extend) return { tier: tier ?? '', extend: null };
  const idle = (['units', 'names', 'start', 'xcode'] as const).filter((name) => forNew[name] !== undefined);
  if (idle.length > 0) throw new InvalidInput(`${idle.join(' and ')}: only for new Macs, not with extend`);
  return { extend };
}
