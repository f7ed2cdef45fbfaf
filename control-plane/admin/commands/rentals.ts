import type { Command } from 'commander';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { FOREVER, type RentalWithMac } from '../../renting/domain/rental.js';
import { type Action, parseTime, subcommand, table, wholeNumber } from '../command.js';
import type { AdminService } from '../service.js';

interface GrantOptions {
  org: string;
  tier?: string;
  host?: string;
  units: number;
  until?: number;
  forever?: boolean;
}

export function addRentalCommands(program: Command, action: Action): void {
  const rental = program.command('rental').description('Macs that accounts have');

  subcommand(rental, 'grant', 'give Macs to a team that owns them: no order, no payment, no limit of days')
    .requiredOption('--org <org>', 'account (org_…, slug or number)')
    .option('--tier <id>', 'on any host of this tier')
    .option('--host <host>', 'on this host only, by id or name')
    .option('--units <n>', 'Macs', wholeNumber, 1)
    .option('--until <time>', 'ISO 8601', parseTime)
    .option('--forever', 'until `rental end`; the default')
    .action(
      action<GrantOptions>(async ({ rentalGrants, organizations, hosts }, options) => {
        const { id } = await organizations.find(options.org);
        const macs = await rentalGrants.grant({
          accountId: id,
          on: await placeOf(options, hosts),
          units: options.units,
          endsAt: endOf(options),
        });
        return { json: { rentals: macs.map(view) }, text: lines(macs) };
      }),
    );

  subcommand(rental, 'end <rental>', 'end a rental that was granted; its Mac is removed at once').action(
    action(async ({ rentalGrants }, _options, rentalId = '') => {
      await rentalGrants.end(rentalId);
      return { json: { rental_id: rentalId, ended: true }, text: `${rentalId} ends now` };
    }),
  );

  subcommand(rental, 'list', 'rentals of an account that have not ended')
    .requiredOption('--org <org>', 'account (org_…, slug or number)')
    .action(
      action<{ org: string }>(async ({ rentalGrants, organizations }, { org }) => {
        const macs = await rentalGrants.list((await organizations.find(org)).id);
        return { json: { rentals: macs.map(view) }, text: lines(macs) };
      }),
    );
}

async function placeOf(
  { tier, host }: GrantOptions,
  hosts: AdminService['hosts'],
): Promise<{ tier: string } | { hostId: string }> {
  if (tier !== undefined && host === undefined) return { tier };
  if (host !== undefined && tier === undefined) return { hostId: (await hosts.named(host)).hostId };
  throw invalid('Give either --tier or --host.', 'tier');
}

function endOf({ until, forever }: GrantOptions): number | null {
  if (until !== undefined && forever) throw invalid('Give either --until or --forever.', 'until');
  return until ?? null;
}

const invalid = (message: string, field: string) =>
  new ApiError('invalid_request', { message, detail: { fields: [field] } });

const endText = (mac: RentalWithMac) => (mac.endsAt === FOREVER ? null : new Date(mac.endsAt).toISOString());

function view(mac: RentalWithMac) {
  return {
    rental_id: mac.rentalId,
    tier: mac.tier,
    host_id: mac.hostId,
    slot_id: mac.slotId,
    state: mac.state,
    order_no: mac.orderNo,
    hours: mac.hours,
    amount_won: mac.amountWon,
    ends_at: endText(mac),
  };
}

const lines = (macs: readonly RentalWithMac[]) =>
  table(macs.map((mac) => [mac.rentalId, mac.tier, mac.hostId, mac.state, endText(mac) ?? 'no end']));
