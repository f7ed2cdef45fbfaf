// Rentals that operators grant and end, for teams that own their Macs.

import { z } from 'zod';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { Message } from '../../../shared/messages/message.js';
import type { Organizations } from '../../access/app/organizations.js';
import { organizationOf, orgField } from '../../access/http/organization-view.js';
import type { Hosts } from '../../hosts/app/hosts.js';
import { targetOfAll } from '../../platform/domain/audit-entry.js';
import { fieldError } from '../../platform/domain/field-error.js';
import { operation } from '../../platform/http/operation.js';
import { timeParam } from '../../platform/http/query.js';
import { time, won } from '../../platform/http/values.js';
import type { RentalGrants } from '../app/rental-grants.js';
import { FOREVER, type RentalWithMac } from '../domain/rental.js';

interface Deps {
  readonly rentalGrants: RentalGrants;
  readonly organizations: Organizations;
  readonly hosts: Pick<Hosts, 'named'>;
}

const grantedShape = z
  .object({
    rental_id: z.string(),
    name: z.string(),
    tier: z.string(),
    host_id: z.string(),
    slot_id: z.string(),
    state: z.string(),
    order_no: z.string().nullable(),
    hours: z.int().nullable(),
    amount_won: won,
    ends_at: time.nullable().meta({ description: 'Null: no end' }),
  })
  .meta({ id: 'GrantedRental' });

const grantedView = (mac: RentalWithMac): z.infer<typeof grantedShape> => ({
  rental_id: mac.rentalId,
  name: mac.name,
  tier: mac.tier,
  host_id: mac.hostId,
  slot_id: mac.slotId,
  state: mac.state,
  order_no: mac.orderNo,
  hours: mac.hours,
  amount_won: mac.amountWon,
  ends_at: mac.endsAt === FOREVER ? null : new Date(mac.endsAt).toISOString(),
});

const concerned = ['macs', 'mac', 'jobs', 'queue', 'status'] as const;

export const grantRentals = operation<Deps>()({
  name: 'rental.grant',
  summary: 'Grant Macs to a team that owns them: no order, no payment, no limit of days',
  input: z.object({
    org: orgField,
    tier: z.string().optional().meta({ description: 'On any host of this tier' }),
    host: z.string().optional().meta({ description: 'On this host only, by id or name' }),
    units: z.int().default(1).meta({ description: 'Macs' }),
    until: timeParam().optional().meta({ format: 'date-time', description: 'When the rentals end, ISO 8601' }),
    forever: z.boolean().default(false).meta({ description: 'Until `rental end`; the default' }),
  }),
  output: z.object({ rentals: z.array(grantedShape) }).meta({ id: 'GrantedRentals' }),
  audit: { name: 'rental.grant', concerns: concerned },
  confirm: true,
  access: 'console',
  errors: ['not_found', 'invalid_request', 'invalid_tier', 'host_not_found', 'host_state', 'no_capacity'],
  async run(deps, { org, tier, host, units, until, forever }, context) {
    const { id } = await organizationOf(deps, org, context);
    if (until !== undefined && forever)
      throw invalid('until', fieldProblem('exactly_one', { names: 'until, forever' }));
    const macs = await deps.rentalGrants.grant(
      { accountId: id, on: await placeOf(deps, tier, host), units, endsAt: until ?? null },
      context.record<readonly string[]>((rentalIds) => ({ target: targetOfAll(rentalIds) })),
    );
    return { rentals: macs.map(grantedView) };
  },
});

export const endRental = operation<Deps>()({
  name: 'rental.end',
  summary: 'End a rental that was granted; its Mac is removed at once',
  input: z.object({
    rental_id: z.string().meta({ description: 'Id of the rental, or the name of its Mac' }),
    org: orgField.optional().meta({
      description: 'The organization that has it: org_…, slug or number. Needed if several have a Mac of this name',
    }),
  }),
  output: z.object({ rental_id: z.string(), name: z.string(), ended: z.literal(true) }),
  audit: { name: 'rental.end', concerns: concerned },
  confirm: true,
  access: 'console',
  errors: ['not_found', 'rental_not_found', 'invalid_request'],
  async run({ rentalGrants, organizations }, { rental_id, org }, { record, concerns }) {
    const accountId = org === undefined ? null : (await organizations.find(org)).id;
    concerns({ target: rental_id, ...(accountId === null ? {} : { accountId }) });
    const ended = await rentalGrants.end(
      { mac: rental_id, accountId },
      record<Pick<RentalWithMac, 'rentalId' | 'accountId'>>(({ rentalId, accountId }) => ({
        target: rentalId,
        accountId,
      })),
    );
    return { rental_id: ended.rentalId, name: ended.name, ended: true as const };
  },
});

export const rentalOperations = [grantRentals, endRental];

async function placeOf({ hosts }: Deps, tier?: string, host?: string): Promise<{ tier: string } | { hostId: string }> {
  if (tier !== undefined && host === undefined) return { tier };
  if (host !== undefined && tier === undefined) return { hostId: (await hosts.named(host)).hostId };
  throw invalid('tier', fieldProblem('exactly_one', { names: 'tier, host' }));
}

const invalid = (field: string, problem: Message) => fieldError('invalid_request', field, problem);
